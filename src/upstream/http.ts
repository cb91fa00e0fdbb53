// A legacy server at an http(s) URL: Streamable HTTP, or HTTP+SSE where the server refuses that. Which of them it is
// shows with the first frame, which is `initialize`. spec 2025-11-25 basic/transports#backwards-compatibility
import { find, toBytes, parseFrame, type Chunks, type Frame } from '../jsonrpc/frame.ts';
import type { Credentials } from './credentials.ts';
import { refusalText } from './failure-text.ts';
import { HttpClient } from './http-client.ts';
import { createDispatcher, type ConnectionOptions } from './http-connections.ts';
import { HttpEndpoint } from './http-endpoint.ts';
import type { HttpLinkOptions } from './http-link.ts';
import { HttpSseLink } from './http-sse.ts';
import { ModernHttpLink } from './modern-http.ts';
import type { HeaderLines, Link, LinkHandlers, Undelivered, Upstream } from './port.ts';
import { StreamableHttpLink, type StartRefusal } from './streamable-http.ts';

export interface HttpUpstreamOptions extends Omit<HttpLinkOptions, 'label'>, ConnectionOptions {
  readonly url: URL;
  readonly credentials: Credentials;
}

/** From here on there are no sessions. */
const firstModernVersion = '2026-07-28';
/** How long a server that refused `initialize` as a bad request may take to name an endpoint of the old transport. */
const endpointPatienceMs = 10_000;

/** One `Mcp-Session-Id`, or one event stream, for each link; one pool of connections for all of them. */
export function createHttpUpstream(options: HttpUpstreamOptions): Upstream {
  const { url, credentials } = options;
  const client = new HttpClient(createDispatcher(url, options), credentials);
  const linkOptions = { ...options, label: url.host };
  const learnt: Learnt = { isSse: false };
  return { label: url.host, open: (handlers) => new HttpLink(client, url, linkOptions, handlers, learnt) };
}

/** What one link found out for the next. */
interface Learnt {
  isSse: boolean;
}

class HttpLink implements Link {
  private readonly client: HttpClient;
  private readonly url: URL;
  private readonly options: HttpLinkOptions;
  private readonly handlers: LinkHandlers;
  private readonly learnt: Learnt;
  private link: Link;
  private initialize: { readonly frame: Chunks; readonly requestId: number | undefined } | undefined;
  private isClosed = false;
  private stopPatience: () => void = () => undefined;

  constructor(
    client: HttpClient,
    url: URL,
    options: HttpLinkOptions,
    handlers: LinkHandlers,
    learnt: Learnt,
  ) {
    this.client = client;
    this.url = url;
    this.options = options;
    this.handlers = handlers;
    this.learnt = learnt;
    this.link = learnt.isSse ? this.openSse(undefined) : this.openStreamable();
  }

  send(frame: Chunks, requestId?: number, onUndelivered?: Undelivered, lines?: HeaderLines): void {
    this.initialize ??= { frame, requestId };
    this.link.send(frame, requestId, onUndelivered, lines);
  }

  negotiated(version: string): void {
    if (version < firstModernVersion) this.link.negotiated?.(version);
    else this.link = new ModernHttpLink(new HttpEndpoint(this.client, this.url), this.options, this.handlers);
  }

  abandon(requestId: number): void {
    this.link.abandon?.(requestId);
  }

  get takesLines(): boolean {
    return this.link.takesLines ?? false;
  }

  pause(): void {
    this.client.pause();
  }

  resume(): void {
    this.client.resume();
  }

  close(): Promise<void> {
    this.isClosed = true;
    this.stopPatience();
    return this.link.close();
  }

  private openStreamable(): Link {
    const endpoint = new HttpEndpoint(this.client, this.url);
    return new StreamableHttpLink(endpoint, this.options, this.handlers, (refusal) => {
      this.onStartRefused(refusal);
    });
  }

  /** `refusal`: how the other transport was refused; if this one does not work out either, that is the reason. */
  private openSse(refusal: StartRefusal | undefined): HttpSseLink {
    let hasEndpoint = false;
    const link = new HttpSseLink(this.client, this.url, this.options, {
      ...this.handlers,
      onEndpoint: () => {
        hasEndpoint = true;
        this.stopPatience();
        this.learnt.isSse = true;
      },
      onClosed: (reason) => {
        this.stopPatience();
        if (!hasEndpoint) this.learnt.isSse = false;
        if (hasEndpoint || refusal === undefined || this.isClosed) this.handlers.onClosed(reason);
        else this.refuse(refusal);
      },
    });
    if (refusal?.status === 400)
      this.stopPatience = this.options.clock.after(endpointPatienceMs, () => void link.close());
    return link;
  }

  private onStartRefused(refusal: StartRefusal): void {
    const { status, frames } = refusal;
    const mayBeSse = status === 400 || status === 404 || status === 405;
    if (this.isClosed || this.initialize === undefined || !mayBeSse || frames.some(isModern)) {
      this.refuse(refusal);
      return;
    }
    this.link = this.openSse(refusal);
    this.link.send(this.initialize.frame, this.initialize.requestId);
  }

  private refuse({ status, frames, body }: StartRefusal): void {
    const requestId = this.initialize?.requestId;
    const isAboutCredentials = status === 401 || status === 403;
    const answer = isAboutCredentials ? undefined : (frames[0] ?? versionRefusal(status, body));
    // It may be the version: the next one is offered on the transport that refused this one.
    if (answer === undefined) this.handlers.onClosed(refusalText(status));
    else {
      this.initialize = undefined;
      this.link = this.openStreamable();
      this.handlers.onFrame(answer, requestId);
    }
  }
}

/** The error codes that only the modern revision has. */
function isModern(frame: Frame): boolean {
  const code = find(find(frame.members, 'error')?.members, 'code');
  return code !== undefined && /^-3202[0-2]$/.test(frame.bytes.toString('latin1', code.start, code.end));
}

/** A bad request in the server's own words, as an answer; the versions that it names are those that it supports. */
function versionRefusal(status: number, body: Buffer): Frame | undefined {
  if (status !== 400) return undefined;
  const supported = body.toString('latin1', 0, 4096).match(/\b20\d\d-\d\d-\d\d\b/g) ?? [];
  const error = { code: -32600, message: 'HTTP 400', data: { supported } };
  const parsed = parseFrame(toBytes({ jsonrpc: '2.0', error }));
  return parsed.ok ? parsed.frame : undefined;
}
