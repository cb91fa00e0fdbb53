// The one URL of a Streamable HTTP server, and what every request to it carries once the session has begun.
// spec 2025-11-25 basic/transports#streamable-http
import type { IncomingHttpHeaders } from 'node:http';
import type { HttpClient, ResponseHandlers } from './http-client.ts';
import type { HeaderLines } from './port.ts';

export type Answered = Omit<ResponseHandlers, 'onMoved'>;

const both = 'application/json, text/event-stream';
/** Visible ASCII: nothing else may come back in a header. spec 2025-11-25 basic/transports#session-management (1) */
const sessionIdText = /^[\x21-\x7e]{1,4096}$/;

export class HttpEndpoint {
  private readonly client: HttpClient;
  private url: URL;
  /** With every request, once the session has begun. */
  private lines: HeaderLines = {};
  /** The same with what a POST has of its own: made once, as every call is one. */
  private postLines: HeaderLines = { accept: both, 'content-type': 'application/json' };
  private session: string | undefined;

  constructor(client: HttpClient, url: URL) {
    this.client = client;
    this.url = url;
  }

  get hasSession(): boolean {
    return this.session !== undefined;
  }

  /** Takes the session id from the answer to `initialize`. False when it is one that no header can carry. */
  begin(headers: IncomingHttpHeaders): boolean {
    const id = headers['mcp-session-id'];
    if (id === undefined) return true;
    if (typeof id !== 'string' || !sessionIdText.test(id)) return false;
    this.session = id;
    this.add({ 'mcp-session-id': id });
    return true;
  }

  /** spec 2025-11-25 basic/transports#protocol-version-header */
  negotiated(version: string): void {
    this.add({ 'mcp-protocol-version': version });
  }

  /** `lines`: what this one request carries beside them. */
  post(body: Buffer, handlers: Answered, lines?: HeaderLines): () => void {
    const headers = lines === undefined ? this.postLines : { ...this.postLines, ...lines };
    return this.client.send({ method: 'POST', url: this.url, headers, body }, this.moving(handlers));
  }

  /** Opens a stream of the server's own, or goes on with one that was cut off behind `lastEventId`. */
  get(lastEventId: string | undefined, handlers: Answered): () => void {
    const headers = {
      accept: 'text/event-stream',
      ...this.lines,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    };
    return this.client.send({ method: 'GET', url: this.url, headers }, this.moving(handlers));
  }

  /** Asks the server to end the session. */
  delete(handlers: Answered): () => void {
    return this.client.send({ method: 'DELETE', url: this.url, headers: this.lines }, this.moving(handlers));
  }

  private add(lines: HeaderLines): void {
    this.lines = { ...this.lines, ...lines };
    this.postLines = { ...this.postLines, ...lines };
  }

  private moving(handlers: Answered): ResponseHandlers {
    return {
      ...handlers,
      onMoved: (url) => {
        this.url = url;
      },
    };
  }
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The media type without its parameters, in lower case; empty where none is named. */
export function mediaType(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export function isEventStream(headers: IncomingHttpHeaders): boolean {
  return mediaType(headers) === 'text/event-stream';
}
