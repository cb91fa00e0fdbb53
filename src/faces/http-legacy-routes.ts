// Which requests over HTTP are for legacy sessions, and what each of them wants. All others are modern ones.
// spec 2026-07-28 basic/versioning#backward-compatibility-with-initialization-based-versions
import type { IncomingMessage } from 'node:http';
import { stringMember, type Frame, type ParsedFrame } from '../jsonrpc/frame.ts';
import { isModern } from '../protocol/modern-request.ts';
import type { HttpAnswer } from './http-answer.ts';
import type { HttpLegacy } from './http-legacy.ts';

/** The two places of the transport of 2024-11-05. */
const ssePath = '/sse';
const messagesPath = '/messages';

export class HttpLegacyRoutes {
  private readonly legacy: HttpLegacy;
  private readonly hasSse: boolean;

  constructor(legacy: HttpLegacy, hasSse: boolean) {
    this.legacy = legacy;
    this.hasSse = hasSse;
  }

  /** Whether there is something at a path beside the endpoint's. */
  hasPlace(path: string): boolean {
    return this.hasSse && (path === ssePath || path === messagesPath);
  }

  private isAtPlace(request: IncomingMessage): boolean {
    return this.hasSse && this.hasPlace(pathOf(request));
  }

  /** Whether a request other than a POST may be one of these. */
  hasMethod(request: IncomingMessage): boolean {
    const { method, headers } = request;
    if (this.isAtPlace(request)) return method === 'GET';
    return (method === 'GET' || method === 'DELETE') && headers['mcp-session-id'] !== undefined;
  }

  /** A GET or DELETE. Throws what it is to be refused with. */
  takeBodiless(request: IncomingMessage, answer: HttpAnswer, principal: string): void {
    if (request.method === 'DELETE') this.legacy.delete(request, answer, principal);
    else if (pathOf(request) === ssePath) this.legacy.openSse(answer, principal, messagesPath);
    else this.legacy.listen(request, answer, principal);
  }

  /** A POST. False when it is none for a legacy session. Throws what it is to be refused with. */
  take(
    request: IncomingMessage,
    parsed: ParsedFrame,
    body: Buffer,
    answer: HttpAnswer,
    principal: string,
  ): boolean {
    const { legacy } = this;
    const batch = !parsed.ok && parsed.reason === 'batch' ? body : undefined;
    const message = parsed.ok ? parsed.frame : batch;
    if (message === undefined) return false;
    if (this.isAtPlace(request)) {
      legacy.postSse(sessionIn(request), message, answer, principal);
      return true;
    }
    if (parsed.ok && isModern(parsed.frame)) return false;
    if (request.headers['mcp-session-id'] !== undefined) {
      legacy.post(request, message, answer, principal);
      return true;
    }
    if (!parsed.ok || !isInitialize(parsed.frame)) return false;
    legacy.open(parsed.frame, answer, principal);
    return true;
  }
}

/** The path that a request names, whatever its host and its query. */
export function pathOf(request: IncomingMessage): string {
  const { url = '' } = request;
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/]*/i, '');
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}

function sessionIn(request: IncomingMessage): string | undefined {
  return /[?&]sessionId=([\w-]+)/.exec(request.url ?? '')?.[1];
}

function isInitialize({ bytes, members }: Frame): boolean {
  return stringMember(bytes, members, 'method') === 'initialize';
}
