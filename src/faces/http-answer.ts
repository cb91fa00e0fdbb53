// One HTTP answer: a JSON object when there is nothing to stream, an SSE stream from the first notification on, or
// after a silence, so that nothing on the way cuts a long call. Nothing is committed before the first message.
// spec 2026-07-28 basic/transports/streamable-http#receiving-messages
import type { ServerResponse } from 'node:http';
import type { ListenResponder, Outcome } from '../bridge/outcome.ts';
import { join, sizeOf, text, type Chunks } from '../jsonrpc/frame.ts';
import type { RequestId } from '../jsonrpc/request-id.ts';
import { isBacklogged, maxJoinedBytes, writeChunks } from '../jsonrpc/write-chunks.ts';
import { notificationFrame, responseFrame } from './wire.ts';

const DATA = text('data: ');
const END = text('\n\n');
const retrySoon = { 'Retry-After': '1' };
const statusHeaders: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': 'Bearer' },
  429: retrySoon,
  503: retrySoon,
};
const COMMENT = text(': keep-alive\n\n');

/** Most answers say nothing in their headers that others do not. */
const noHeaders: Readonly<Record<string, string>> = {};

export interface HttpAnswerOptions {
  /** Beside those of every answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the client takes an event stream. */
  readonly mayStream: boolean;
  /** Something was written that its client may be slow to read. */
  readonly onWritten?: (response: ServerResponse) => void;
}

export class HttpAnswer implements ListenResponder {
  readonly response: ServerResponse;
  private readonly id: RequestId | undefined;
  private readonly headers: Readonly<Record<string, string>>;
  readonly mayStream: boolean;
  private readonly onWritten: HttpAnswerOptions['onWritten'];
  private writtenAt = Date.now();

  constructor(response: ServerResponse, id: RequestId | undefined, options: HttpAnswerOptions) {
    this.response = response;
    this.id = id;
    this.headers = options.headers ?? noHeaders;
    this.mayStream = options.mayStream;
    this.onWritten = options.onWritten;
  }

  canTakeMore(): boolean {
    return !this.response.writableNeedDrain;
  }

  onceDrained(run: () => void): void {
    this.response.once('drain', run);
  }

  notify(method: string, params: Chunks): void {
    if (this.mayStream && !isBacklogged(this.response)) this.event(notificationFrame(method, params));
  }

  answer(outcome: Outcome): void {
    this.finish(outcome);
    this.onWritten?.(this.response);
  }

  /** One frame before the last, on the stream. */
  event(frame: Chunks, type?: string): void {
    if (this.response.writableEnded) return;
    this.openStream();
    writeChunks(this.response, [type === undefined ? DATA : text(`event: ${type}\ndata: `), ...frame, END]);
  }

  finish(outcome: Outcome): void {
    this.finishFrame(responseFrame(this.id, outcome), outcome.kind === 'error' ? outcome.status : 200);
  }

  /** The last frame, as it is. */
  finishFrame(frame: Chunks, status: number): void {
    const { response } = this;
    if (response.writableEnded || response.destroyed) return;
    // In one go, where there is nothing before it.
    const bytes = sizeOf(frame);
    if (!response.headersSent && bytes <= maxJoinedBytes) {
      this.writeHead(bytes, status);
      response.end(join(frame));
    } else {
      this.writeFrame(frame, status);
      response.end();
    }
  }

  /** There is no answer, or none any more. */
  accept(): void {
    if (!this.response.headersSent) this.response.writeHead(202, this.headers);
    this.response.end();
  }

  /** Writes all of the answer, but does not end the response. */
  write(outcome: Outcome): void {
    this.writeFrame(responseFrame(this.id, outcome), outcome.kind === 'error' ? outcome.status : 200);
  }

  private writeFrame(frame: Chunks, status: number): void {
    const { response } = this;
    if (response.headersSent) {
      writeChunks(response, [DATA, ...frame, END]);
      return;
    }
    this.writeHead(sizeOf(frame), status);
    writeChunks(response, frame);
  }

  private writeHead(bytes: number, status: number): void {
    this.response.writeHead(status, {
      ...this.headers,
      ...statusHeaders[status],
      'Content-Type': 'application/json',
      'Content-Length': bytes,
    });
  }

  /** Keeps a silent stream, or a silent call, alive on its way. */
  keepAlive(silenceMs: number, now: number): void {
    if (!this.mayStream || this.response.writableEnded || now - this.writtenAt < silenceMs) return;
    this.openStream();
    if (this.canTakeMore()) this.response.write(COMMENT);
  }

  openStream(): void {
    this.writtenAt = Date.now();
    if (this.response.headersSent) return;
    this.response.writeHead(200, {
      ...this.headers,
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache',
      'X-Accel-Buffering': 'no',
    });
  }
}
