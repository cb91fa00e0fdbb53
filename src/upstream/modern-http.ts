// A modern server over Streamable HTTP: each request is a POST of its own, and closing its response cancels it. There is
// no session, no stream of the server's own, and nothing else than requests to be sent.
// spec 2026-07-28 basic/transports/streamable-http
import { join, type Chunks } from '../jsonrpc/frame.ts';
import { IdTable } from '../jsonrpc/id-table.ts';
import { refusalText } from './failure-text.ts';
import type { HttpEndpoint } from './http-endpoint.ts';
import type { HttpLinkOptions } from './http-link.ts';
import type { HeaderLines, Link, LinkHandlers, Undelivered } from './port.ts';
import { RequestExchange } from './request-exchange.ts';

export class ModernHttpLink implements Link {
  readonly takesLines = true;
  private readonly endpoint: HttpEndpoint;
  private readonly options: HttpLinkOptions;
  private readonly handlers: LinkHandlers;
  private readonly exchanges = new IdTable<RequestExchange>();
  private isOver = false;

  constructor(endpoint: HttpEndpoint, options: HttpLinkOptions, handlers: LinkHandlers) {
    this.endpoint = endpoint;
    this.options = options;
    this.handlers = handlers;
  }

  send(frame: Chunks, requestId?: number, _onUndelivered?: Undelivered, lines?: HeaderLines): void {
    if (this.isOver || requestId === undefined) return;
    const exchange = new RequestExchange(
      this.endpoint,
      { ...this.options, isResumable: false },
      {
        onHead: () => true,
        onFrame: (answer) => {
          this.handlers.onFrame(answer, requestId);
        },
        onOversize: (start) => {
          this.handlers.onOversize(start, requestId);
        },
        onRefused: (status, frames) => {
          for (const answer of frames) this.handlers.onFrame(answer, requestId);
          this.end(requestId, refusalText(status));
        },
        onAccepted: () => {
          this.end(requestId, 'the server took the request and gives no answer');
        },
        onEnd: (reason) => {
          this.end(requestId, reason);
        },
      },
    );
    this.exchanges.set(requestId, exchange);
    exchange.start(join(frame), lines);
  }

  abandon(requestId: number): void {
    this.exchanges.get(requestId)?.stop();
    this.exchanges.delete(requestId);
  }

  close(): Promise<void> {
    if (this.isOver) return Promise.resolve();
    this.isOver = true;
    for (const exchange of this.exchanges.all()) exchange.stop();
    this.exchanges.clear();
    this.handlers.onClosed('closed');
    return Promise.resolve();
  }

  private end(requestId: number, reason: string): void {
    if (this.exchanges.delete(requestId) && !this.isOver) this.handlers.onStreamEnd(requestId, reason);
  }
}
