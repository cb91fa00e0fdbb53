// One legacy client over HTTP: which of its open responses a frame of the server goes out on.
// spec 2025-11-25 basic/transports#streamable-http
import type { ServerResponse } from 'node:http';
import { sizeOf, type Chunks, type Frame } from '../jsonrpc/frame.ts';
import type { Logger } from '../log.ts';
import type { OpenRelay, RelayedSession, Way } from '../relay/relayed-session.ts';
import type { BatchAnswers } from './batch-answers.ts';
import type { HttpAnswer } from './http-answer.ts';
import { takeBatch, takeMessage } from './legacy-messages.ts';

/** A POST whose answers are due. */
interface Exchange {
  readonly answer: HttpAnswer;
  /** Undefined for a single request. */
  readonly batch: BatchAnswers | undefined;
}

/** What waits for a stream to go out on, while the client has none open. */
const maxHeldCount = 256;
const maxHeldBytes = 1024 * 1024;

export interface HttpLegacySessionOptions {
  readonly log: Logger;
  /** A response was begun or is over. */
  readonly onChange: () => void;
  /** The server has ended the session. */
  readonly onOver: () => void;
  /** Something was written that its client may be slow to read. */
  readonly onWritten: (response: ServerResponse) => void;
  /** Answers come on the server's own stream, as in the transport of 2024-11-05. */
  readonly hasStreamOnly?: boolean;
}

export class HttpLegacySession {
  readonly relay: RelayedSession;
  private readonly log: Logger;
  private readonly onChange: () => void;
  private readonly onWritten: (response: ServerResponse) => void;
  private readonly hasStreamOnly: boolean;
  private readonly exchanges = new Map<number, Exchange>();
  private stream: HttpAnswer | undefined;
  private held: Chunks[] = [];
  private heldBytes = 0;

  constructor(openRelay: OpenRelay, options: HttpLegacySessionOptions) {
    const { log, onChange, onOver, onWritten, hasStreamOnly = false } = options;
    this.log = log;
    this.onWritten = onWritten;
    this.onChange = onChange;
    this.hasStreamOnly = hasStreamOnly;
    this.relay = openRelay({
      onFrame: (frame, way) => {
        if (way.kind === 'answer') this.onAnswer(frame, way);
        else this.send(frame, way.request);
      },
      onDropped: (request) => {
        this.settle(request, undefined, 200);
      },
      onOver: () => {
        this.stream?.response.end();
        onOver();
      },
    });
  }

  /** Whether no response is open. */
  get isIdle(): boolean {
    return this.stream === undefined && this.exchanges.size === 0;
  }

  /** Passes one message on. Throws what it is to be refused with. */
  post(frame: Frame, answer: HttpAnswer): void {
    const request = takeMessage(this.relay, frame);
    if (request === undefined) answer.accept();
    else this.expectAnswers([request], { answer, batch: undefined });
  }

  postBatch(bytes: Buffer, answer: HttpAnswer): void {
    const batch = takeBatch(this.relay, bytes);
    if (batch.isOpen) this.expectAnswers(batch.requests, { answer, batch });
    else if (batch.whole === undefined) answer.accept();
    else answer.finishFrame(batch.whole, 200);
  }

  /** Passes a message on whose answers come on the server's own stream. spec 2024-11-05 basic/transports#http-with-sse */
  postToStream(message: Frame | Buffer, answer: HttpAnswer): void {
    if (!Buffer.isBuffer(message)) takeMessage(this.relay, message);
    else {
      const refused = takeBatch(this.relay, message).whole;
      if (refused !== undefined) this.send(refused, undefined);
    }
    answer.accept();
  }

  /** Opens the stream on which the server speaks of its own accord. One that is open gives way. */
  listen(answer: HttpAnswer): void {
    this.stream?.response.end();
    this.stream = answer;
    answer.openStream();
    answer.response.flushHeaders();
    for (const frame of this.held.splice(0)) answer.event(frame);
    this.heldBytes = 0;
    answer.response.on('close', () => {
      if (this.stream === answer) this.stream = undefined;
      this.onChange();
    });
    this.onChange();
  }

  /** The requests run on when their client has gone: only a cancel ends them. #sending-messages-to-the-server (6) */
  private expectAnswers(requests: readonly number[], exchange: Exchange): void {
    for (const request of requests) this.exchanges.set(request, exchange);
    exchange.answer.response.on('close', () => {
      for (const request of requests) this.exchanges.delete(request);
      this.onChange();
    });
    this.onChange();
  }

  private onAnswer(frame: Chunks, { request, status = 200 }: Way): void {
    if (request === undefined) this.log.debug({}, 'server answered what is not in flight; dropped');
    else if (this.exchanges.has(request)) this.settle(request, frame, status);
    else if (this.hasStreamOnly) this.send(frame, undefined);
  }

  private settle(request: number, frame: Chunks | undefined, status: number): void {
    const exchange = this.exchanges.get(request);
    if (exchange === undefined) return;
    this.exchanges.delete(request);
    const { answer, batch } = exchange;
    batch?.settle(request, frame);
    if (batch?.isOpen === true) return;
    const whole = batch === undefined ? frame : batch.whole;
    if (whole === undefined) {
      answer.accept();
      return;
    }
    answer.finishFrame(whole, batch === undefined ? status : 200);
    this.onWritten(answer.response);
  }

  private send(frame: Chunks, request: number | undefined): void {
    const answer = this.wayOut(request);
    if (answer !== undefined) {
      answer.event(frame);
      this.onWritten(answer.response);
    } else if (this.held.length < maxHeldCount && this.heldBytes < maxHeldBytes) {
      this.held.push(frame);
      this.heldBytes += sizeOf(frame);
    } else this.log.warn({}, 'a legacy client opens no stream for what its server says; dropped');
  }

  /**
   * The response of the request that the frame belongs to. Where that is not known, that of the only request in
   * flight, so that the frame comes before its answer; or else the server's own stream.
   */
  private wayOut(request: number | undefined): HttpAnswer | undefined {
    const known = request === undefined ? undefined : this.exchanges.get(request)?.answer;
    if (known?.mayStream === true) return known;
    const open = [...this.exchanges.values()]
      .map(({ answer }) => answer)
      .filter((answer) => answer.mayStream);
    return open.length === 1 ? open[0] : (this.stream ?? open.at(-1));
  }
}
