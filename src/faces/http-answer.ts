// One HTTP answer: a JSON object when there is nothing to stream, an SSE stream from the first notification on, or
// after a silence, so that nothing on the way cuts a long call. Nothing is committed before the first message.
// spec 2026-07-28 basic/transports/streamable-http#receiving-messages
import type { ServerResponse } from 'node:http';
import type { Outcome } from '../bridge/outcome.ts';
import { join, text, type Chunks } from '../jsonrpc/frame.ts';
import type { RequestId } from '../jsonrpc/request-id.ts';
import { notificationFrame, responseFrame } from './wire.ts';

const DATA = text('data: ');
const END = text('\n\n');
const COMMENT = text(': keep-alive\n\n');
/** Bigger bodies are written piece by piece instead of being joined first. */
const maxJoinedBytes = 64 * 1024;

export class HttpAnswer {
  private readonly response: ServerResponse;
  private readonly id: RequestId | undefined;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly mayStream: boolean;
  private writtenAt: number;

  constructor(
    response: ServerResponse,
    id: RequestId | undefined,
    options: {
      readonly headers: Readonly<Record<string, string>>;
      readonly mayStream: boolean;
      readonly now: number;
    },
  ) {
    this.response = response;
    this.id = id;
    this.headers = options.headers;
    this.mayStream = options.mayStream;
    this.writtenAt = options.now;
  }

  get canTakeMore(): boolean {
    return !this.response.writableNeedDrain;
  }

  notify(method: string, params: Chunks, now: number): void {
    if (!this.mayStream || this.response.writableEnded) return;
    this.openStream(now);
    this.write([DATA, ...notificationFrame(method, params), END]);
  }

  finish(outcome: Outcome): void {
    const { response } = this;
    if (response.writableEnded || response.destroyed) return;
    const frame = responseFrame(this.id, outcome);
    if (response.headersSent) {
      this.write([DATA, ...frame, END]);
      response.end();
      return;
    }
    const size = frame.reduce((sum, chunk) => sum + chunk.length, 0);
    response.writeHead(outcome.kind === 'error' ? outcome.status : 200, {
      ...this.headers,
      'Content-Type': 'application/json',
      'Content-Length': size,
    });
    this.write(frame);
    response.end();
  }

  /** Keeps a silent stream, or a silent call, alive on its way. */
  keepAlive(silenceMs: number, now: number): void {
    if (!this.mayStream || this.response.writableEnded || now - this.writtenAt < silenceMs) return;
    this.openStream(now);
    if (this.canTakeMore) this.response.write(COMMENT);
  }

  private openStream(now: number): void {
    this.writtenAt = now;
    if (this.response.headersSent) return;
    this.response.writeHead(200, {
      ...this.headers,
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache',
      'X-Accel-Buffering': 'no',
    });
  }

  private write(chunks: Chunks): void {
    const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    if (size <= maxJoinedBytes) {
      this.response.write(join(chunks));
      return;
    }
    this.response.cork();
    for (const chunk of chunks) this.response.write(chunk);
    this.response.uncork();
  }
}
