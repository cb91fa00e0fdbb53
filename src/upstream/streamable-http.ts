// A legacy server over Streamable HTTP, 2025-03-26 to 2025-11-25: one POST for each frame, the answers on its response,
// and a stream of the server's own where it offers one. spec 2025-11-25 basic/transports#streamable-http
import type { IncomingHttpHeaders } from 'node:http';
import { join, type Chunks, type Frame } from '../jsonrpc/frame.ts';
import { IdTable } from '../jsonrpc/id-table.ts';
import { refusalText } from './failure-text.ts';
import { isSuccess, type HttpEndpoint } from './http-endpoint.ts';
import type { HttpLinkOptions, Sent } from './http-link.ts';
import { ListeningStream } from './listening-stream.ts';
import { NoticePosts, type Settled } from './notice-posts.ts';
import type { Link, LinkHandlers, Undelivered } from './port.ts';
import { RequestExchange } from './request-exchange.ts';
import { hasSessionCode, isSessionError, SessionProbe } from './session-probe.ts';

/** The HTTP response with which `initialize` was refused. */
export interface StartRefusal {
  readonly status: number;
  readonly frames: readonly Frame[];
  /** Its beginning. */
  readonly body: Buffer;
}

/** How long the first frames wait until it is known whether the server has a stream of its own to ask on. */
const listeningPatienceMs = 250;
/** How long the server may take to end the session. */
const deletePatienceMs = 1500;

export class StreamableHttpLink implements Link {
  private readonly endpoint: HttpEndpoint;
  private readonly options: HttpLinkOptions;
  private readonly handlers: LinkHandlers;
  private readonly onStartRefused: (refusal: StartRefusal) => void;
  private readonly listening: ListeningStream;
  private readonly probe: SessionProbe;
  private readonly notices: NoticePosts;
  private readonly exchanges = new IdTable<RequestExchange>();
  private state: 'starting' | 'negotiated' | 'initialized' = 'starting';
  /** While the server has not said yes to `initialized`, what follows waits here. */
  private held: Sent[] | undefined;
  private isGone = false;
  private isOver = false;
  private stopPatience: () => void = () => undefined;
  private closing: Promise<void> | undefined;

  constructor(
    endpoint: HttpEndpoint,
    options: HttpLinkOptions,
    handlers: LinkHandlers,
    onStartRefused: (refusal: StartRefusal) => void,
  ) {
    this.endpoint = endpoint;
    this.options = options;
    this.handlers = handlers;
    this.onStartRefused = onStartRefused;
    this.probe = new SessionProbe(endpoint, options.clock);
    this.notices = new NoticePosts(options);
    this.listening = new ListeningStream(endpoint, options.clock, options.maxMessageBytes, {
      onFrame: handlers.onFrame,
      onOversize: handlers.onOversize,
      onKnown: () => {
        this.letGo();
      },
      onRefused: () => {
        void this.askAfterSession();
      },
    });
  }

  send(frame: Chunks, requestId?: number, onUndelivered?: Undelivered): void {
    if (this.isOver) return;
    const sent = { body: join(frame), requestId, onUndelivered };
    if (this.held !== undefined) this.held.push(sent);
    else if (this.state === 'negotiated') this.initialized(sent.body);
    else this.post(sent);
  }

  negotiated(version: string): void {
    this.state = 'negotiated';
    this.endpoint.negotiated(version);
  }

  abandon(requestId: number): void {
    this.exchanges.get(requestId)?.stop();
    this.exchanges.delete(requestId);
  }

  close(): Promise<void> {
    this.closing ??= this.end('closed');
    return this.closing;
  }

  /** What follows on other connections must not overtake it. */
  private initialized(body: Buffer): void {
    this.state = 'initialized';
    this.held = [];
    this.notify(body, (status) => {
      if (this.isOver) return;
      if (status === 404 && this.endpoint.hasSession) {
        this.sessionGone();
        return;
      }
      this.stopPatience = this.options.clock.after(listeningPatienceMs, () => {
        this.letGo();
      });
      this.listening.start();
    });
  }

  private letGo(): void {
    this.stopPatience();
    const held = this.held ?? [];
    this.held = undefined;
    if (!this.isOver) for (const sent of held) this.post(sent);
  }

  private post({ body, requestId, onUndelivered }: Sent): void {
    if (requestId === undefined)
      this.notify(body, (status, reason) => {
        if (this.isOver) return;
        if (status === 404 && this.endpoint.hasSession) this.sessionGone();
        if (!isSuccess(status)) onUndelivered?.(reason);
      });
    else this.request(body, requestId);
  }

  private notify(body: Buffer, onSettled: Settled): void {
    this.notices.send((handlers) => this.endpoint.post(body, handlers), onSettled);
  }

  private request(body: Buffer, id: number): void {
    const exchange = new RequestExchange(this.endpoint, this.options, {
      onHead: (status, headers) => this.onHead(status, headers),
      onFrame: (frame) => {
        if (!this.endpoint.hasSession || !isSessionError(frame)) this.handlers.onFrame(frame, id);
        else {
          this.abandon(id);
          void this.onSessionError(id, [frame], 'the answer was an error');
        }
      },
      onOversize: (start) => {
        this.handlers.onOversize(start, id);
      },
      onRefused: (status, frames, refusal) => {
        this.onRefused(id, status, frames, refusal);
      },
      onAccepted: () => {
        if (!this.listening.isOffered)
          this.onEnd(id, 'the server took the request and gives no answer', false);
      },
      onEnd: (reason, hasAnswer) => {
        this.onEnd(id, reason, hasAnswer);
      },
    });
    this.exchanges.set(id, exchange);
    exchange.start(body);
  }

  private onHead(status: number, headers: IncomingHttpHeaders): boolean {
    if (this.state !== 'starting' || status !== 200 || this.endpoint.begin(headers)) return true;
    this.finish('the server gave a session id that cannot be sent back');
    return false;
  }

  private onEnd(id: number, reason: string, hasAnswer: boolean): void {
    if (!this.exchanges.delete(id) || this.isOver) return;
    if (this.state === 'starting' && !hasAnswer) this.finish(reason);
    else this.handlers.onStreamEnd(id, reason);
  }

  private onRefused(id: number, status: number, frames: readonly Frame[], body: Buffer): void {
    this.exchanges.delete(id);
    if (this.isOver) return;
    if (this.state === 'starting') this.onStartRefused({ status, frames, body });
    else if (status === 404 && this.endpoint.hasSession) this.sessionGone(id);
    else if (status === 400 && this.endpoint.hasSession && frames.every(hasSessionCode))
      void this.onSessionError(id, frames, refusalText(status));
    else this.refused(id, frames, refusalText(status));
  }

  /** Other servers than the specification's say otherwise that a session is gone: whether it is, a ping tells. */
  private async onSessionError(id: number, frames: readonly Frame[], reason: string): Promise<void> {
    const isGone = await this.probe.isGone();
    if (this.isOver) return;
    if (isGone) this.sessionGone(id);
    else this.refused(id, frames, reason);
  }

  private async askAfterSession(): Promise<void> {
    if (this.endpoint.hasSession && (await this.probe.isGone()) && !this.isOver) this.sessionGone();
  }

  private refused(id: number, frames: readonly Frame[], reason: string): void {
    for (const frame of frames) this.handlers.onFrame(frame, id);
    this.handlers.onStreamEnd(id, reason);
  }

  private sessionGone(refused?: number): void {
    if (!this.isGone) this.listening.stop();
    this.isGone = true;
    this.letGo();
    this.handlers.onSessionGone(refused);
  }

  private finish(reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.listening.stop();
    this.stopPatience();
    this.probe.stop();
    this.notices.stop();
    for (const exchange of this.exchanges.all()) exchange.stop();
    this.exchanges.clear();
    this.handlers.onClosed(reason);
  }

  /** spec 2025-11-25 basic/transports#session-management (5): whatever the server says to it, it was told. */
  private async end(reason: string): Promise<void> {
    this.finish(reason);
    if (!this.endpoint.hasSession || this.isGone || this.options.hurry.aborted) return;
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        stopPatience();
        this.options.hurry.removeEventListener('abort', abandon);
        resolve();
      };
      const giveUp = this.endpoint.delete({
        onHead: () => undefined,
        onData: () => undefined,
        onEnd: settle,
        onFailed: settle,
      });
      const abandon = (): void => {
        giveUp();
        settle();
      };
      const stopPatience = this.options.clock.after(deletePatienceMs, abandon);
      this.options.hurry.addEventListener('abort', abandon, { once: true });
    });
  }
}
