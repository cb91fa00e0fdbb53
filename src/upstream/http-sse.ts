// A legacy server over HTTP+SSE, the transport of 2024-11-05: one event stream on which everything comes, and a URL that
// it names for everything that goes. When the stream ends, the session is over.
// spec 2024-11-05 basic/transports#http-with-sse
import { join, type Chunks } from '../jsonrpc/frame.ts';
import { IdTable } from '../jsonrpc/id-table.ts';
import { framesOfText } from './frames-of-text.ts';
import { atHome, type HttpClient } from './http-client.ts';
import { isEventStream } from './http-endpoint.ts';
import type { Link, LinkHandlers } from './port.ts';
import { SseReader } from './sse-reader.ts';
import type { HttpLinkOptions } from './streamable-http.ts';

export interface HttpSseHandlers extends LinkHandlers {
  /** The server has named the URL: it does speak this transport. */
  readonly onEndpoint: () => void;
}

interface Sent {
  readonly body: Buffer;
  readonly requestId: number | undefined;
}

/** Of a refusal only so much is read. */
const maxRefusalBytes = 64 * 1024;

export class HttpSseLink implements Link {
  private readonly client: HttpClient;
  private readonly url: URL;
  private readonly options: HttpLinkOptions;
  private readonly handlers: HttpSseHandlers;
  private readonly giveUpStream: () => void;
  private readonly posts = new IdTable<() => void>();
  private endpoint: URL | undefined;
  private held: Sent[] = [];
  private isOver = false;

  /** `url` is that of the event stream. */
  constructor(client: HttpClient, url: URL, options: HttpLinkOptions, handlers: HttpSseHandlers) {
    this.client = client;
    this.url = url;
    this.options = options;
    this.handlers = handlers;
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

  send(frame: Chunks, requestId?: number): void {
    if (this.isOver) return;
    const sent = { body: join(frame), requestId };
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
    else if (type === 'message') for (const frame of framesOfText(data)) this.handlers.onFrame(frame);
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

  /** The answer comes on the event stream; the response only says whether the frame was taken. */
  private post(url: URL, { body, requestId }: Sent): void {
    const refusal: Buffer[] = [];
    let refusalBytes = 0;
    let answered = 0;
    const settle = (reason: string): void => {
      if (requestId !== undefined) this.posts.delete(requestId);
      if (this.isOver || (answered >= 200 && answered < 300)) return;
      this.onRefused(requestId, answered, reason, refusal.length === 0 ? Buffer.alloc(0) : join(refusal));
    };
    const giveUp = this.client.send(
      {
        method: 'POST',
        url,
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body,
      },
      {
        onHead: (status) => {
          answered = status;
        },
        onData: (chunk) => {
          refusalBytes += chunk.length;
          if (answered >= 300 && refusalBytes <= maxRefusalBytes) refusal.push(chunk);
        },
        onEnd: () => {
          settle(`the server answered HTTP ${String(answered)}`);
        },
        onFailed: (reason) => {
          settle(reason);
        },
        onMoved: (moved) => {
          this.endpoint = moved;
        },
      },
    );
    if (requestId !== undefined) this.posts.set(requestId, giveUp);
  }

  private onRefused(id: number | undefined, status: number, reason: string, body: Buffer): void {
    if (status === 404) {
      this.handlers.onSessionGone(id);
      return;
    }
    if (id === undefined) {
      this.options.log.warn(
        { upstream: this.options.label, reason },
        'server refused a notification or an answer',
      );
      return;
    }
    for (const frame of framesOfText(body)) this.handlers.onFrame(frame, id);
    this.handlers.onStreamEnd(id, reason);
  }

  private finish(reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.held = [];
    this.giveUpStream();
    for (const giveUp of this.posts.all()) giveUp();
    this.handlers.onClosed(reason);
  }
}
