// The Streamable HTTP face: one endpoint that takes POSTs, each of them a request of its own.
// spec 2026-07-28 basic/transports/streamable-http
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bridge } from '../bridge/bridge.ts';
import { outcomeOf, type ListenResponder } from '../bridge/outcome.ts';
import { BridgeError, type ErrorReason } from '../errors.ts';
import { IdTable } from '../jsonrpc/id-table.ts';
import { parseFrame, type Frame } from '../jsonrpc/frame.ts';
import type { Logger } from '../log.ts';
import { invalidRequest } from '../protocol/error-codes.ts';
import { idOf, paramString, parseClientMessage, type ModernRequest } from '../protocol/modern-request.ts';
import type { ParamHeader } from '../protocol/param-headers.ts';
import { servedVersions } from '../protocol/versions.ts';
import { HttpAnswer } from './http-answer.ts';
import { readBody } from './http-body.ts';
import {
  corsHeaders,
  isHostAllowed,
  isOriginAllowed,
  preflightHeaders,
  type GuardOptions,
} from './http-guard.ts';
import { checkParamHeaders, checkStandardHeaders } from './http-headers.ts';
import { admit, frameFault } from './wire.ts';

export interface HttpFaceOptions extends GuardOptions {
  readonly bridge: Bridge;
  readonly host: string;
  /** 0 is any free port. */
  readonly port: number;
  /** The path of the endpoint, `/mcp`. */
  readonly path: string;
  readonly maxMessageBytes: number;
  /** After this silence a comment is sent, so that nothing on the way cuts the stream. */
  readonly keepAliveMs: number;
  readonly log: Logger;
}

const requestTimeoutMs = 30_000;

/** A good request, and the arguments that it must repeat in headers, once they are known. */
interface Admitted {
  readonly request: ModernRequest;
  readonly rules: readonly ParamHeader[] | Promise<readonly ParamHeader[]>;
}

export class HttpFace {
  private readonly options: HttpFaceOptions;
  private readonly server: Server;
  private readonly open = new IdTable<HttpAnswer>();
  private readonly keepAlive: NodeJS.Timeout;
  private callCount = 0;

  constructor(options: HttpFaceOptions) {
    this.options = options;
    this.server = createServer({ requestTimeout: requestTimeoutMs }, (request, response) => {
      this.onRequest(request, response);
    });
    this.keepAlive = setInterval(() => {
      const now = Date.now();
      for (const answer of this.open.all()) answer.keepAlive(options.keepAliveMs, now);
    }, options.keepAliveMs / 3).unref();
  }

  /** Resolves to the endpoint's URL. */
  listen(): Promise<string> {
    const { host, port, path } = this.options;
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        const { port: bound } = this.server.address() as AddressInfo;
        resolve(`http://${host.includes(':') ? `[${host}]` : host}:${String(bound)}${path}`);
      });
    });
  }

  /** Takes no new connections. */
  stopListening(): void {
    this.server.close();
    this.server.closeIdleConnections();
  }

  /** Cuts what is left. */
  close(): void {
    clearInterval(this.keepAlive);
    this.stopListening();
    this.server.closeAllConnections();
  }

  private onRequest(request: IncomingMessage, response: ServerResponse): void {
    const { origin } = request.headers;
    const headers = origin !== undefined && isOriginAllowed(origin, this.options) ? corsHeaders(origin) : {};
    const refusal = this.refusalOf(request);
    if (refusal !== undefined) refuse(response, refusal, headers);
    else if (request.method === 'OPTIONS')
      response.writeHead(204, { ...headers, ...preflightHeaders(request) }).end();
    else
      readBody(request, this.options.maxMessageBytes, (body) => {
        if (body instanceof BridgeError) refuse(response, body, { ...headers, Connection: 'close' });
        else this.onBody(request, response, body, headers);
      });
  }

  /** What is wrong with a request before its body is looked at. */
  private refusalOf(request: IncomingMessage): BridgeError | undefined {
    const { origin, 'content-type': mediaType } = request.headers;
    if (!isHostAllowed(request, this.options)) return refusals.host();
    if (origin !== undefined && !isOriginAllowed(origin, this.options)) return refusals.origin();
    const [path] = (request.url ?? '').replace(/^https?:\/\/[^/]*/i, '').split('?', 1);
    if (path !== this.options.path) return refusals.path();
    if (request.method === 'OPTIONS') return undefined;
    if (request.method !== 'POST') return refusals.method();
    return /^application\/json\s*(?:;|$)/i.test(mediaType ?? '') ? undefined : refusals.mediaType();
  }

  private onBody(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    headers: Readonly<Record<string, string>>,
  ): void {
    const parsed = parseFrame(body);
    if (!parsed.ok) {
      refuse(response, frameFault(parsed.reason), headers);
      return;
    }
    const mayStream = acceptsStream(request);
    const answer = new HttpAnswer(response, idOf(parsed.frame), { headers, mayStream, now: Date.now() });
    const fail = (error: unknown): void => {
      answer.finish(outcomeOf(error));
    };
    try {
      const admitted = this.admit(request, parsed.frame, mayStream);
      // Modern HTTP has no notifications from clients; whatever comes is taken and means nothing.
      if (admitted === undefined) response.writeHead(202, headers).end();
      else if (admitted.rules instanceof Promise)
        admitted.rules.then((rules) => {
          this.serve(request, response, admitted.request, rules, answer);
        }, fail);
      else this.serve(request, response, admitted.request, admitted.rules, answer);
    } catch (error) {
      fail(error);
    }
  }

  /** Undefined for a notification. */
  private admit(request: IncomingMessage, frame: Frame, mayStream: boolean): Admitted | undefined {
    const message = parseClientMessage(frame);
    if (message.kind === 'notification') return undefined;
    const modern = admit(message);
    checkStandardHeaders(request.headers, modern);
    if (modern.method === 'subscriptions/listen' && !mayStream) throw refusals.accept();
    const isCall = modern.method === 'tools/call' && servedVersions.includes(modern.version);
    const tool = isCall ? paramString(modern, 'name') : undefined;
    return { request: modern, rules: tool === undefined ? [] : this.options.bridge.paramHeaders(tool) };
  }

  private serve(
    request: IncomingMessage,
    response: ServerResponse,
    modern: ModernRequest,
    rules: readonly ParamHeader[],
    answer: HttpAnswer,
  ): void {
    if (response.destroyed) return;
    try {
      checkParamHeaders(request.headers, modern, rules);
    } catch (error) {
      answer.finish(outcomeOf(error));
      return;
    }
    this.callCount += 1;
    const number = this.callCount;
    this.open.set(number, answer);
    // Nothing tells unauthenticated callers apart, so each call is a party of its own.
    const caller = { domain: `http ${String(number)}`, principal: 'anonymous' };
    const cancel = this.options.bridge.serve(modern, caller, toResponder(answer, response));
    response.on('close', () => {
      this.open.delete(number);
      // spec 2026-07-28 basic/transports/streamable-http#cancellation
      if (!response.writableFinished) cancel();
    });
  }
}

function toResponder(answer: HttpAnswer, response: ServerResponse): ListenResponder {
  return {
    notify: (method, params) => {
      answer.notify(method, params, Date.now());
    },
    answer: (outcome) => {
      answer.finish(outcome);
    },
    canTakeMore: () => answer.canTakeMore,
    onceDrained: (run) => {
      response.once('drain', run);
    },
  };
}

function refuse(
  response: ServerResponse,
  error: BridgeError,
  headers: Readonly<Record<string, string>> = {},
): void {
  new HttpAnswer(response, undefined, { headers, mayStream: false, now: 0 }).finish(outcomeOf(error));
}

function acceptsStream(request: IncomingMessage): boolean {
  return /text\/event-stream|text\/\*|\*\/\*/i.test(request.headers.accept ?? '*/*');
}

function refusal(reason: ErrorReason, message: string, status: number): () => BridgeError {
  return () => new BridgeError(invalidRequest, reason, message, { status });
}

const refusals = {
  host: refusal('forbidden', 'This host name is not served here', 403),
  origin: refusal('forbidden', 'This origin may not call', 403),
  path: refusal('not_found', 'There is nothing at this path', 404),
  method: refusal('method_not_allowed', 'Only POST is served here', 405),
  mediaType: refusal('unsupported_media_type', 'The body must be application/json', 415),
  accept: refusal('not_acceptable', 'A listen stream needs a client that accepts text/event-stream', 406),
};
