// The stream on which a Streamable HTTP server speaks of its own accord, where it offers one: opened again whenever it
// ends, ever more slowly as long as it brings nothing.
// spec 2025-11-25 basic/transports#listening-for-messages-from-the-server
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../clock.ts';
import type { Frame } from '../jsonrpc/frame.ts';
import { framesOfText } from './frames-of-text.ts';
import { isEventStream, type HttpEndpoint } from './http-endpoint.ts';
import { mayComeLater, retryDelayMs } from './retry-delay.ts';
import { SseReader } from './sse-reader.ts';

export interface ListeningHandlers {
  readonly onFrame: (frame: Frame) => void;
  readonly onOversize: (start: Buffer) => void;
  /** It is known, for the first time, whether there is such a stream. */
  readonly onKnown: () => void;
  /** A stream that was there is refused: the session may be gone. */
  readonly onRefused: () => void;
}

export class ListeningStream {
  private readonly endpoint: HttpEndpoint;
  private readonly clock: Clock;
  private readonly handlers: ListeningHandlers;
  private readonly reader: SseReader;
  private hasBeenOpen = false;
  private state: 'off' | 'asking' | 'open' | 'waiting' = 'off';
  private vainCount = 0;
  private giveUp: () => void = () => undefined;
  private stopTimer: () => void = () => undefined;

  constructor(endpoint: HttpEndpoint, clock: Clock, maxMessageBytes: number, handlers: ListeningHandlers) {
    this.endpoint = endpoint;
    this.clock = clock;
    this.handlers = handlers;
    this.reader = new SseReader(maxMessageBytes, {
      onEvent: (_, data) => {
        this.vainCount = 0;
        for (const frame of framesOfText([data])) if (this.state !== 'off') handlers.onFrame(frame);
      },
      onOversize: handlers.onOversize,
    });
  }

  /** Whether an answer could come on it, now or when it is open again. */
  get isOffered(): boolean {
    return this.state !== 'off';
  }

  start(): void {
    this.state = 'asking';
    this.giveUp = this.endpoint.get(this.reader.lastEventId, {
      onHead: (status, headers) => {
        this.onHead(status, headers);
      },
      onData: (chunk) => {
        if (this.state === 'open') this.reader.push(chunk);
      },
      onEnd: () => {
        this.later();
      },
      onFailed: () => {
        this.later();
      },
    });
  }

  stop(): void {
    this.state = 'off';
    this.stopTimer();
    this.giveUp();
  }

  private onHead(status: number, headers: IncomingHttpHeaders): void {
    if (this.state !== 'asking') return;
    if (status === 200 && isEventStream(headers)) {
      this.state = 'open';
      this.hasBeenOpen = true;
    } else if (!mayComeLater(status)) this.onNone(status);
    this.handlers.onKnown();
  }

  /** The server offers no such stream, or none any more. */
  private onNone(status: number): void {
    this.stop();
    if (this.hasBeenOpen && (status === 404 || status === 400)) this.handlers.onRefused();
  }

  private later(): void {
    if (this.state === 'off') return;
    this.handlers.onKnown();
    this.state = 'waiting';
    this.reader.restart();
    const delayMs = retryDelayMs(this.reader.retryMs, this.vainCount);
    this.vainCount += 1;
    this.stopTimer = this.clock.after(delayMs, () => {
      this.start();
    });
  }
}
