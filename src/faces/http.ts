// The Streamable HTTP face: one endpoint that takes POSTs, each of them a request of its own.
// spec 2026-07-28 basic/transports/streamable-http
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bridge } from '../bridge/bridge.ts';
import { outcomeOf, type ListenResponder } from '../bridge/outcome.ts';
import { BridgeError } from '../errors.ts';
import { parseFrame, type Frame } from '../jsonrpc/frame.ts';
import type { Logger } from '../log.ts';
import { invalidRequest } from '../protocol/error-codes.ts';
import { idOf, paramString, parseClientMessage, type ModernRequest } from '../protocol/modern-request.ts';
import type { ParamHeader } from '../protocol/param-headers.ts';
import { HttpAnswer } from './http-answer.ts';
import { readBody } from './http-body.ts';
import { corsHeaders, isHostAllowed, isOriginAllowed, preflightHeaders, type GuardOptions } from './http-guard.ts';
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

export class HttpFace {
  private readonly options: HttpFaceOptions;
  private readonly server: Server;
  private readonly open = new Set<HttpAnswer>();
  private readonly keepAlive: NodeJS.Timeout;
  private callCount = 0;

  constructor(options: HttpFaceOptions) {
    this.options = options;
    this.server = createServer({ requestTimeout: requestTimeoutMs }, (request, response) => {
      this.onRequest(request, response);
    });
    this.keepAlive = setInterval(() => {
      const now = Date.now();
      for (const answer of this.open) answer.keepAlive(options.keepAliveMs, now);
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
    if (!isHostAllowed(request, this.options)) return refuse(response, forbidden('This host name is not served here'));
    if (origin !== undefined && !isOriginAllowed(origin, this.options))
      return refuse(response, forbidden('This origin may not call'));
    const headers = corsHeaders(origin);
    const [path] = (request.url ?? '').replace(/^https?:\/\/[^/]*/i, '').split('?', 1);
    if (path !== this.options.path) return refuse(response, notFound(), headers);
    if (request.method === 'OPTIONS') {
      response.writeHead(204, { ...headers, ...preflightHeaders(request) }).end();
      return;
    }
    if (request.method !== 'POST') return refuse(response, notAllowed(), { ...headers, Allow: 'POST, OPTIONS' });
    if (!/^application\/json\s*(?:;|$)/i.test(request.headers['content-type'] ?? ''))
      return refuse(response, wrongMediaType(), headers);
    readBody(request, this.options.maxMessageBytes, (body) => {
      if (body instanceof BridgeError) refuse(response, body, { ...headers, Connection: 'close' });
      else this.onBody(request, response, body, headers);
    });
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
  private admit(
    request: IncomingMessage,
    frame: Frame,
    mayStream: boolean,
  ):
    | { readonly request: ModernRequest; readonly rules: readonly ParamHeader[] | Promise<readonly ParamHeader[]> }
    | undefined {
    const message = parseClientMessage(frame);
    if (message.kind === 'notification') return undefined;
    const modern = admit(message);
    checkStandardHeaders(request.headers, modern);
    if (modern.method === 'subscriptions/listen' && !mayStream) throw notAcceptable();
    const tool = modern.method === 'tools/call' ? paramString(modern, 'name') : undefined;
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
    this.open.add(answer);
    // Nothing tells unauthenticated callers apart, so each call is a party of its own.
    const caller = { domain: `http ${String(this.callCount)}`, principal: 'anonymous' };
    const cancel = this.options.bridge.serve(modern, caller, toResponder(answer, response));
    response.on('close', () => {
      this.open.delete(answer);
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

function refuse(response: ServerResponse, error: BridgeError, headers: Readonly<Record<string, string>> = {}): void {
  new HttpAnswer(response, undefined, { headers, mayStream: false, now: 0 }).finish(outcomeOf(error));
}

function acceptsStream(request: IncomingMessage): boolean {
  return /text\/event-stream|text\/\*|\*\/\*/i.test(request.headers.accept ?? '*/*');
}

function forbidden(why: string): BridgeError {
  return new BridgeError(invalidRequest, 'forbidden', why, { status: 403 });
}

function notFound(): BridgeError {
  return new BridgeError(invalidRequest, 'not_found', 'There is nothing at this path', { status: 404 });
}

function notAllowed(): BridgeError {
  return new BridgeError(invalidRequest, 'method_not_allowed', 'Only POST is served here', { status: 405 });
}

function wrongMediaType(): BridgeError {
  const why = 'The body must be application/json';
  return new BridgeError(invalidRequest, 'unsupported_media_type', why, { status: 415 });
}

function notAcceptable(): BridgeError {
  const why = 'A listen stream needs a client that accepts text/event-stream';
  return new BridgeError(invalidRequest, 'not_acceptable', why, { status: 406 });
}
