// A legacy server over HTTP+SSE, the transport of 2024-11-05: one event stream on which everything comes, and a URL that
// it names for everything that goes. When the stream ends, the session is over.
// spec 2024-11-05 basic/transports#http-with-sse
import { join, type Chunks } from '../jsonrpc/frame.ts';
import { IdTable } from '../jsonrpc/id-table.ts';
import { refusalText } from './failure-text.ts';
import { framesOfText } from './frames-of-text.ts';
import { atHome, type HttpClient } from './http-client.ts';
import { isEventStream, isSuccess, type Answered } from './http-endpoint.ts';
import { maxRefusalBytes, type HttpLinkOptions, type Sent } from './http-link.ts';
import { NoticePosts } from './notice-posts.ts';
import type { Link, LinkHandlers, Undelivered } from './port.ts';
import { SseReader } from './sse-reader.ts';

export interface HttpSseHandlers extends LinkHandlers {
  /** The server has named the URL: it does speak this transport. */
  readonly onEndpoint: () => void;
}

export class HttpSseLink implements Link {
  private readonly client: HttpClient;
  private readonly url: URL;
  private readonly options: HttpLinkOptions;
  private readonly handlers: HttpSseHandlers;
  private readonly giveUpStream: () => void;
  private readonly posts = new IdTable<() => void>();
  private readonly notices: NoticePosts;
  private endpoint: URL | undefined;
  private held: Sent[] = [];
  private isOver = false;

  /** `url` is that of the event stream. */
  constructor(client: HttpClient, url: URL, options: HttpLinkOptions, handlers: HttpSseHandlers) {
    this.client = client;
    this.url = url;
    this.options = options;
    this.handlers = handlers;
    this.notices = new NoticePosts(options);
    const reader = new SseReader(options.maxMessageBytes, {
      onEvent: (type, data) => {
        this.onEvent(type, data);
      },
      onOversize: handlers.onOversize,
    });
    let isStream = false;
    this.giveUpStream = client.send(
      { method: 'GET', url, headers: { accept: 'text/event-stream' } },
      {
        onHead: (status, headers) => {
          isStream = status === 200 && isEventStream(headers);
          if (!isStream) this.finish(`the server offers no event stream (HTTP ${String(status)})`);
        },
        onData: (chunk) => {
          if (isStream && !this.isOver) reader.push(chunk);
        },
        onEnd: () => {
          this.finish('the server closed the event stream');
        },
        onFailed: (reason) => {
          this.finish(reason);
        },
        onMoved: () => undefined,
      },
    );
  }

  send(frame: Chunks, requestId?: number, onUndelivered?: Undelivered): void {
    if (this.isOver) return;
    const sent = { body: join(frame), requestId, onUndelivered };
    if (this.endpoint === undefined) this.held.push(sent);
    else this.post(this.endpoint, sent);
  }

  abandon(requestId: number): void {
    this.posts.get(requestId)?.();
    this.posts.delete(requestId);
  }

  close(): Promise<void> {
    this.finish('closed');
    return Promise.resolve();
  }

  private onEvent(type: string, data: Buffer): void {
    if (this.isOver) return;
    if (type === 'endpoint') this.onEndpoint(data.toString('utf8').trim());
    else if (type === 'message') for (const frame of framesOfText([data])) this.handlers.onFrame(frame);
  }

  /** The first counts. It is no way to another server: what the bridge shows to this one is for this one. */
  private onEndpoint(reference: string): void {
    if (this.endpoint !== undefined) return;
    const endpoint = atHome(reference, this.url);
    if (endpoint === undefined) {
      this.finish('the server names an endpoint elsewhere, and the bridge does not go there');
      return;
    }
    this.endpoint = endpoint;
    this.handlers.onEndpoint();
    for (const sent of this.held.splice(0)) this.post(endpoint, sent);
  }

  private post(url: URL, { body, requestId, onUndelivered }: Sent): void {
    if (requestId !== undefined) this.request(url, body, requestId);
    else
      this.notices.send(
        (handlers) => this.postTo(url, body, handlers),
        (status, reason) => {
          if (this.isOver || isSuccess(status)) return;
          if (status === 404) this.handlers.onSessionGone();
          onUndelivered?.(reason);
        },
      );
  }

  /** The answer comes on the event stream; the response only says whether the request was taken. */
  private request(url: URL, body: Buffer, id: number): void {
    const refusal: Buffer[] = [];
    let refusalBytes = 0;
    let answered = 0;
    const settle = (reason: string): void => {
      this.posts.delete(id);
      if (this.isOver || isSuccess(answered)) return;
      if (answered === 404) this.handlers.onSessionGone(id);
      else {
        for (const frame of framesOfText(refusal)) this.handlers.onFrame(frame, id);
        this.handlers.onStreamEnd(id, reason);
      }
    };
    const giveUp = this.postTo(url, body, {
      onHead: (status) => {
        answered = status;
      },
      onData: (chunk) => {
        refusalBytes += chunk.length;
        if (!isSuccess(answered) && refusalBytes <= maxRefusalBytes) refusal.push(chunk);
      },
      onEnd: () => {
        settle(refusalText(answered));
      },
      onFailed: settle,
    });
    this.posts.set(id, giveUp);
  }

  private postTo(url: URL, body: Buffer, handlers: Answered): () => void {
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    return this.client.send(
      { method: 'POST', url, headers, body },
      {
        ...handlers,
        onMoved: (moved) => {
          this.endpoint = moved;
        },
      },
    );
  }

  private finish(reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.held = [];
    this.giveUpStream();
    for (const giveUp of this.posts.all()) giveUp();
    this.notices.stop();
    this.handlers.onClosed(reason);
  }
}
