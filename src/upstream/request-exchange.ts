// One request over Streamable HTTP until its answer is there: as JSON, or on an event stream that the server may close
// early and go on with. spec 2025-11-25 basic/transports#sending-messages-to-the-server
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../clock.ts';
import { find, join, type Frame } from '../jsonrpc/frame.ts';
import { framesOfText } from './frames-of-text.ts';
import { isEventStream, isSuccess, mediaType, type Answered, type HttpEndpoint } from './http-endpoint.ts';
import { maxRefusalBytes } from './http-link.ts';
import type { HeaderLines } from './port.ts';
import { mayComeLater, retryDelayMs } from './retry-delay.ts';
import { SseReader } from './sse-reader.ts';

export interface ExchangeHandlers {
  /** The response to the POST has begun. False: the exchange is given up. */
  readonly onHead: (status: number, headers: IncomingHttpHeaders) => boolean;
  readonly onFrame: (frame: Frame) => void;
  readonly onOversize: (start: Buffer) => void;
  /** Another status than 2xx; the frames of the body, and its beginning. */
  readonly onRefused: (status: number, frames: readonly Frame[], body: Buffer) => void;
  /** The server took the request, and answers it on another stream if at all. */
  readonly onAccepted: () => void;
  /** Nothing more will come; `reason` is why an answer that is still missing will not. */
  readonly onEnd: (reason: string, hasAnswer: boolean) => void;
}

export interface ExchangeOptions {
  readonly clock: Clock;
  readonly maxMessageBytes: number;
  /** Whether a stream that is cut off can be gone on with. */
  readonly isResumable?: boolean;
}

/** Fruitless attempts to go on with a stream that was cut off, in a row. */
const maxVainCount = 5;
/** How long a stream may stay open behind the answer. */
const lingerMs = 1000;

const broken = 'the connection broke before the answer';

export class RequestExchange {
  private readonly endpoint: HttpEndpoint;
  private readonly options: ExchangeOptions;
  private readonly handlers: ExchangeHandlers;
  private readonly reader: SseReader;
  private body: Buffer[] = [];
  private bodyBytes = 0;
  private status = 0;
  private isStream = false;
  private hasAnswer = false;
  private isOver = false;
  private vainCount = 0;
  private giveUp: () => void = () => undefined;
  private stopTimer: () => void = () => undefined;

  constructor(endpoint: HttpEndpoint, options: ExchangeOptions, handlers: ExchangeHandlers) {
    this.endpoint = endpoint;
    this.options = options;
    this.handlers = handlers;
    this.reader = new SseReader(options.maxMessageBytes, {
      onEvent: (_, data) => {
        this.vainCount = 0;
        for (const frame of framesOfText([data])) this.take(frame);
      },
      onOversize: handlers.onOversize,
    });
  }

  start(body: Buffer, lines?: HeaderLines): void {
    const handlers = {
      onHead: (status: number, headers: IncomingHttpHeaders): void => {
        this.onHead(status, headers);
      },
      ...this.bodyHandlers(),
    };
    this.giveUp = this.endpoint.post(body, handlers, lines);
  }

  /** Nobody waits for the answer any more. */
  stop(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.stopTimer();
    this.giveUp();
  }

  private bodyHandlers(): Omit<Answered, 'onHead'> {
    return {
      onData: (chunk) => {
        this.onData(chunk);
      },
      onEnd: () => {
        if (this.isStream) this.onStreamEnd(broken);
        else this.onBody();
      },
      onFailed: (reason) => {
        if (this.isStream) this.onStreamEnd(reason);
        else this.end(reason);
      },
    };
  }

  private onHead(status: number, headers: IncomingHttpHeaders): void {
    this.status = status;
    if (!this.handlers.onHead(status, headers)) this.stop();
    if (this.isOver || !isSuccess(status)) return;
    const type = mediaType(headers);
    this.isStream = isEventStream(headers);
    if (!this.isStream && type !== '' && !/^application\/(?:.+\+)?json$/.test(type) && status === 200)
      this.fail('the answer is neither JSON nor an event stream');
  }

  private onData(chunk: Buffer): void {
    if (this.isOver) return;
    if (this.isStream) {
      this.reader.push(chunk);
      return;
    }
    this.bodyBytes += chunk.length;
    const isRefusal = !isSuccess(this.status);
    if (this.bodyBytes <= (isRefusal ? maxRefusalBytes : this.options.maxMessageBytes)) this.body.push(chunk);
    else if (isRefusal) this.onBody();
    else {
      this.handlers.onOversize(Buffer.concat([...this.body, chunk].slice(0, 2)).subarray(0, 1024));
      this.fail('the answer is over the size limit');
    }
  }

  private onBody(): void {
    const { body } = this;
    const frames = framesOfText(body);
    if (!isSuccess(this.status)) {
      this.stop();
      // Errors of OAuth and of gateways are JSON as well.
      this.handlers.onRefused(this.status, frames.filter(isJsonRpc), join(body));
    } else if (frames.length > 0) {
      for (const frame of frames) this.take(frame);
      this.end('the response holds no answer');
    } else if (this.status === 200 && this.bodyBytes > 0) this.end('the response is not JSON-RPC');
    else {
      this.isOver = true;
      this.handlers.onAccepted();
    }
  }

  private take(frame: Frame): void {
    if (this.isOver) return;
    // The only answer that belongs on the stream of a request is its own.
    if (find(frame.members, 'method') === undefined && !this.hasAnswer) {
      this.hasAnswer = true;
      if (this.isStream)
        this.stopTimer = this.options.clock.after(lingerMs, () => {
          this.fail('the answer has come');
        });
    }
    this.handlers.onFrame(frame);
  }

  /** spec 2025-11-25 basic/transports#resumability-and-redelivery */
  private onStreamEnd(reason: string): void {
    const { lastEventId, retryMs } = this.reader;
    const { isResumable = true } = this.options;
    const mayResume = isResumable && !this.hasAnswer && lastEventId !== undefined && lastEventId !== '';
    if (!mayResume || this.vainCount >= maxVainCount) {
      this.end(reason);
      return;
    }
    this.reader.restart();
    const delayMs = retryDelayMs(retryMs, this.vainCount);
    this.vainCount += 1;
    this.stopTimer = this.options.clock.after(delayMs, () => {
      this.resume(lastEventId);
    });
  }

  private resume(lastEventId: string): void {
    let isGood = false;
    const { onData, onEnd, onFailed } = this.bodyHandlers();
    this.giveUp = this.endpoint.get(lastEventId, {
      onHead: (status, headers) => {
        isGood = status === 200 && isEventStream(headers);
        if (!isGood && !mayComeLater(status))
          this.fail(`the server does not go on with its answer (HTTP ${String(status)})`);
      },
      onData: (chunk) => {
        if (isGood) onData(chunk);
      },
      onEnd,
      onFailed,
    });
  }

  private fail(reason: string): void {
    if (this.isOver) return;
    this.stop();
    this.handlers.onEnd(reason, this.hasAnswer);
  }

  private end(reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.stopTimer();
    this.handlers.onEnd(reason, this.hasAnswer);
  }
}

function isJsonRpc(frame: Frame): boolean {
  return find(frame.members, 'jsonrpc') !== undefined;
}
