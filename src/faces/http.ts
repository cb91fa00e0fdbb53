// The Streamable HTTP face: one endpoint that takes POSTs, each of them a request of its own.
// spec 2026-07-28 basic/transports/streamable-http
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bridge } from '../bridge/bridge.ts';
import { outcomeOf } from '../bridge/outcome.ts';
import { BridgeError, type ErrorReason } from '../errors.ts';
import { IdTable } from '../jsonrpc/id-table.ts';
import { parseFrame, type Frame } from '../jsonrpc/frame.ts';
import { idOf } from '../jsonrpc/request-id.ts';
import type { Logger } from '../log.ts';
import { invalidRequest } from '../protocol/error-codes.ts';
import { paramString, parseClientMessage, type ModernRequest } from '../protocol/modern-request.ts';
import type { ParamHeader } from '../protocol/param-headers.ts';
import { servedVersions } from '../protocol/versions.ts';
import { HttpAnswer } from './http-answer.ts';
import { BodyReader, linger } from './http-body.ts';
import { answerFault } from './http-faults.ts';
import {
  corsHeaders,
  isHostAllowed,
  isOriginAllowed,
  preflightHeaders,
  type GuardOptions,
} from './http-guard.ts';
import { checkParamHeaders, checkStandardHeaders } from './http-headers.ts';
import { HttpLegacy, type HttpLegacyOptions } from './http-legacy.ts';
import { HttpLegacyRoutes, pathOf } from './http-legacy-routes.ts';
import { httpFaceDefaults, type HttpFaceLimits } from './http-limits.ts';
import type { Tokens } from './http-tokens.ts';
import { Unread } from './unread.ts';
import { admit, frameFault } from './wire.ts';

export interface HttpFaceOptions extends GuardOptions, Partial<HttpFaceLimits> {
  /** One for all callers, or for each principal its own. */
  readonly bridge: Bridge | ((principal: string) => Bridge);
  /** Undefined: callers are not authenticated. */
  readonly tokens?: Tokens | undefined;
  readonly host: string;
  /** 0 is any free port. */
  readonly port: number;
  /** The path of the endpoint, `/mcp`. */
  readonly path: string;
  readonly log: Logger;
  /** How legacy clients are served beside modern ones. Undefined: they are refused. */
  readonly legacy?: HttpLegacyOptions | undefined;
}

/** A peer that has gone without a word is asked for after so long a silence, and then soon given up. */
const probeMs = 30_000;

/** Who sends a body, and the headers of whatever is answered to it. */
interface Sender {
  readonly principal: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A good request, who serves it, and the arguments that it must repeat in headers, once they are known. */
interface Admitted {
  readonly request: ModernRequest;
  readonly bridge: Bridge;
  readonly principal: string;
  readonly rules: readonly ParamHeader[] | Promise<readonly ParamHeader[]>;
}

export class HttpFace {
  private readonly options: HttpFaceOptions;
  private readonly server: Server;
  private readonly open = new IdTable<HttpAnswer>();
  private readonly bodies: BodyReader;
  private readonly unread: Unread;
  private readonly keepAlive: NodeJS.Timeout;
  private readonly legacy: HttpLegacy | undefined;
  private readonly legacyRoutes: HttpLegacyRoutes | undefined;
  private callCount = 0;
  private onLastClosed: () => void = () => undefined;

  constructor(options: HttpFaceOptions) {
    this.options = options;
    const limits = { ...httpFaceDefaults, ...options };
    const { headersTimeoutMs, requestTimeoutMs, keepAliveMs, maxConnections } = limits;
    this.bodies = new BodyReader(limits);
    this.unread = new Unread(limits);
    this.legacy = options.legacy && new HttpLegacy(options.legacy, options.log, this.makeRoom);
    this.legacyRoutes = this.legacy && new HttpLegacyRoutes(this.legacy, options.legacy?.hasSse ?? false);
    const times = {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.max(50, Math.min(headersTimeoutMs, requestTimeoutMs) / 5),
      // Who has no good host is refused here, in words.
      requireHostHeader: false,
      keepAlive: true,
      keepAliveInitialDelay: probeMs,
    };
    this.server = createServer(times, (request, response) => {
      this.onRequest(request, response);
    });
    this.server.maxConnections = maxConnections;
    this.server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
      // In the middle of an answer there is nothing to be said.
      if (this.open.all().some(({ response }) => response.socket === socket)) socket.destroy();
      else answerFault(code, socket);
    });
    let droppedCount = 0;
    this.server.on('drop', () => (droppedCount += 1));
    this.keepAlive = setInterval(() => {
      if (droppedCount > 0)
        options.log.warn({ droppedCount, limit: maxConnections }, 'too many connections; some were closed');
      droppedCount = 0;
      const now = Date.now();
      for (const answer of this.open.all()) answer.keepAlive(keepAliveMs, now);
    }, keepAliveMs / 3).unref();
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

  /** Lets the last answers be read for up to `patienceMs`, then cuts what is left. */
  async close(patienceMs = 0): Promise<void> {
    clearInterval(this.keepAlive);
    this.stopListening();
    if (this.open.size > 0 && patienceMs > 0)
      await new Promise<void>((resolve) => {
        this.onLastClosed = resolve;
        setTimeout(resolve, patienceMs).unref();
      });
    this.server.closeAllConnections();
  }

  /** How many legacy clients have a session. */
  get legacySessionCount(): number {
    return this.legacy?.sessionCount ?? 0;
  }

  /** Lets what is in flight on legacy sessions end for up to `drainMs`; resolves when nothing of them is left. */
  async closeLegacy(drainMs: number): Promise<void> {
    await this.legacy?.close(drainMs);
  }

  private onRequest(request: IncomingMessage, response: ServerResponse): void {
    const { origin } = request.headers;
    const headers = origin !== undefined && isOriginAllowed(origin, this.options) ? corsHeaders(origin) : {};
    const principal = this.principalOf(request);
    const refusal = this.refusalOf(request, principal);
    if (refusal !== undefined) refuse(response, refusal, headers);
    else if (request.method === 'OPTIONS')
      response.writeHead(204, { ...headers, ...preflightHeaders(request) }).end();
    else if (principal !== undefined && request.method !== 'POST')
      this.onBodiless(request, response, { headers, principal });
    else if (principal !== undefined)
      this.bodies.read(request, (body) => {
        if (body instanceof BridgeError) {
          answerTo(response, { ...headers, Connection: 'close' }).write(outcomeOf(body));
          linger(request, response);
        } else this.onBody(request, response, body, { headers, principal });
      });
  }

  /** What is wrong with a request before its body is looked at. */
  private refusalOf(request: IncomingMessage, principal: string | undefined): BridgeError | undefined {
    const { origin } = request.headers;
    if (!isHostAllowed(request, this.options)) return refusals.host();
    if (origin !== undefined && !isOriginAllowed(origin, this.options)) return refusals.origin();
    const place = this.refusalOfPlace(request);
    if (place !== undefined || request.method === 'OPTIONS') return place;
    if (principal === undefined) return refusals.token();
    return request.method !== 'POST' || isJson(request) ? undefined : refusals.mediaType();
  }

  private refusalOfPlace(request: IncomingMessage): BridgeError | undefined {
    const { options, legacyRoutes } = this;
    const path = pathOf(request);
    if (path !== options.path && legacyRoutes?.hasPlace(path) !== true) return refusals.path();
    const isGood = request.method === 'POST' || request.method === 'OPTIONS';
    return isGood || legacyRoutes?.hasMethod(request) === true ? undefined : refusals.method();
  }

  private onBodiless(
    request: IncomingMessage,
    response: ServerResponse,
    { headers, principal }: Sender,
  ): void {
    const answer = new HttpAnswer(response, undefined, { headers, mayStream: true });
    try {
      this.legacyRoutes?.takeBodiless(request, answer, principal);
      this.track(answer);
    } catch (error) {
      answer.finish(outcomeOf(error));
    }
  }

  private onBody(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    { headers, principal }: Sender,
  ): void {
    const parsed = parseFrame(body);
    const mayStream = acceptsStream(request);
    const id = parsed.ok ? idOf(parsed.frame) : undefined;
    const answer = new HttpAnswer(response, id, { headers, mayStream, onWritten: this.makeRoom });
    const fail = (error: unknown): void => {
      answer.finish(outcomeOf(error));
    };
    try {
      if (this.legacyRoutes?.take(request, parsed, body, answer, principal) === true) {
        this.track(answer);
        return;
      }
      if (!parsed.ok) throw frameFault(parsed.reason);
      const admitted = this.admit(request, parsed.frame, mayStream, principal);
      // Modern HTTP has no notifications from clients; whatever comes is taken and means nothing.
      if (admitted === undefined) response.writeHead(202, headers).end();
      else if (admitted.rules instanceof Promise)
        admitted.rules.then((rules) => {
          this.serve(request, response, admitted, rules, answer);
        }, fail);
      else this.serve(request, response, admitted, admitted.rules, answer);
    } catch (error) {
      fail(error);
    }
  }

  /** Undefined for a notification. */
  private admit(
    request: IncomingMessage,
    frame: Frame,
    mayStream: boolean,
    principal: string,
  ): Admitted | undefined {
    const message = parseClientMessage(frame);
    if (message.kind === 'notification') return undefined;
    const modern = admit(message);
    checkStandardHeaders(request.headers, modern);
    if (modern.method === 'subscriptions/listen' && !mayStream) throw refusals.accept();
    const isCall = modern.method === 'tools/call' && servedVersions.includes(modern.version);
    const tool = isCall ? paramString(modern, 'name') : undefined;
    const { bridge: bridgeOf } = this.options;
    const bridge = typeof bridgeOf === 'function' ? bridgeOf(principal) : bridgeOf;
    const rules = tool === undefined ? [] : bridge.paramHeaders(tool);
    return { request: modern, bridge, principal, rules };
  }

  /** Undefined for a caller without a good token, where one is needed. */
  private principalOf(request: IncomingMessage): string | undefined {
    const { tokens } = this.options;
    return tokens === undefined ? anonymous : tokens.principalOf(request.headers.authorization);
  }

  private serve(
    request: IncomingMessage,
    response: ServerResponse,
    { request: modern, bridge, principal }: Admitted,
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
    let cancel = (): void => undefined;
    const number = this.track(answer, () => {
      // spec 2026-07-28 basic/transports/streamable-http#cancellation
      if (!response.writableFinished) cancel();
    });
    // Nothing tells unauthenticated callers apart, so each call is a party of its own.
    const isKnown = this.options.tokens !== undefined;
    const caller = { domain: isKnown ? `principal ${principal}` : `http ${String(number)}`, principal };
    cancel = bridge.serve(modern, caller, answer);
  }

  private readonly makeRoom = ({ writableLength }: ServerResponse): void => {
    this.unread.makeRoom(writableLength, () => this.open.all().map((each) => each.response));
  };

  /** Looks after an open response until it is closed. Returns its number. */
  private track(answer: HttpAnswer, onClosed?: () => void): number {
    this.callCount += 1;
    const number = this.callCount;
    this.open.set(number, answer);
    this.unread.watch(answer.response);
    answer.response.on('close', () => {
      this.open.delete(number);
      if (this.open.size === 0) this.onLastClosed();
      onClosed?.();
    });
    return number;
  }
}

function refuse(
  response: ServerResponse,
  error: BridgeError,
  headers: Readonly<Record<string, string>> = {},
): void {
  answerTo(response, headers).finish(outcomeOf(error));
}

/** The answer to a request of which nothing is known yet. */
function answerTo(response: ServerResponse, headers: Readonly<Record<string, string>>): HttpAnswer {
  return new HttpAnswer(response, undefined, { headers, mayStream: false });
}

function isJson({ headers }: IncomingMessage): boolean {
  return /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '');
}

function acceptsStream(request: IncomingMessage): boolean {
  return /text\/event-stream|text\/\*|\*\/\*/i.test(request.headers.accept ?? '*/*');
}

function refusal(reason: ErrorReason, message: string, status: number): () => BridgeError {
  return () => new BridgeError(invalidRequest, reason, message, { status });
}

const anonymous = 'anonymous';

const refusals = {
  token: refusal('unauthorized', 'A good bearer token is needed here', 401),
  host: refusal('forbidden', 'This host name is not served here', 403),
  origin: refusal('forbidden', 'This origin may not call', 403),
  path: refusal('not_found', 'There is nothing at this path', 404),
  method: refusal('method_not_allowed', 'Only POST is served here', 405),
  mediaType: refusal('unsupported_media_type', 'The body must be application/json', 415),
  accept: refusal('not_acceptable', 'A listen stream needs a client that accepts text/event-stream', 406),
};
