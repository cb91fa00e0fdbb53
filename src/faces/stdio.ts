// The stdio face: one client, lines in, lines out. Nothing but frames is ever written to the output.
// spec 2026-07-28 basic/transports/stdio
import type { Readable, Writable } from 'node:stream';
import type { Bridge } from '../bridge/bridge.ts';
import { outcomeOf, type Caller, type ListenResponder, type Outcome } from '../bridge/outcome.ts';
import { find, join, parseFrame, text, type Chunks, type Frame } from '../jsonrpc/frame.ts';
import { IdTable } from '../jsonrpc/id-table.ts';
import { LineSplitter } from '../jsonrpc/line-splitter.ts';
import { isBacklogged } from '../jsonrpc/write-chunks.ts';
import { idOf, parseRequestId, type RequestId } from '../jsonrpc/request-id.ts';
import { TurnWriter } from '../jsonrpc/turn-writer.ts';
import type { Logger } from '../log.ts';
import { isModern, parseClientMessage, type ClientMessage } from '../protocol/modern-request.ts';
import { duplicateId } from '../protocol/refusals.ts';
import type { OpenRelay } from '../relay/relayed-session.ts';
import { StdioLegacy } from './stdio-legacy.ts';
import { admit, frameFault, isResponse, notificationFrame, responseFrame, tooLarge } from './wire.ts';

export interface StdioFaceOptions {
  readonly bridge: Bridge;
  readonly input: Readable;
  readonly output: Writable;
  /** Longer lines are refused and the stream goes on behind them. */
  readonly maxMessageBytes: number;
  readonly log: Logger;
  /** Starts the session of a legacy client. Undefined: there is no serving legacy clients. */
  readonly openRelay?: OpenRelay | undefined;
}

/** What ends a connection. With the server of its legacy session a client has to begin anew. */
export const serverGone = 'the server of the legacy session has gone';
const clientGone = 'the client has gone';

/** All that comes in on one stdio connection is of one party. */
const caller: Caller = { domain: 'stdio', principal: 'stdio' };
/** A client that reads a notification and the answer in one go may drop the former, so the answer keeps this far. */
const notificationGapMs = 10;
/** The server behind one of the two eras, as far as it can be waited for. */
type Server = Pick<Bridge, 'isBacklogged' | 'onceTaken' | 'pauseUpstream' | 'resumeUpstream'>;

/** What a client that does not read may leave lying. */
const maxUnreadBytes = 16 * 1024 * 1024;

export class StdioFace {
  /** Resolves when the client has gone: its end of the input or of the output is closed; or the legacy session. */
  readonly ended: Promise<string>;
  private readonly options: StdioFaceOptions;
  private readonly inFlight = new IdTable<() => void, string>();
  private readonly lines: TurnWriter;
  private readonly waitsFor = new Set<'server' | 'client'>();
  private isOutputOpen = true;
  private legacy: StdioLegacy | undefined;
  private end: (reason: string) => void = () => undefined;

  constructor(options: StdioFaceOptions) {
    this.options = options;
    const { input, output } = options;
    this.lines = new TurnWriter(output);
    const splitter = new LineSplitter(options.maxMessageBytes, {
      onLine: (line) => {
        this.onLine(join(line));
      },
      onOversize: () => {
        this.answer(undefined, outcomeOf(tooLarge()));
      },
    });
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
    input.on('data', (chunk: Buffer) => {
      splitter.push(chunk);
      this.waitForServers();
    });
    input.on('end', () => {
      splitter.end();
      this.end(clientGone);
    });
    for (const event of ['error', 'close'] as const) {
      input.on(event, () => {
        this.end(clientGone);
      });
      output.on(event, () => {
        this.isOutputOpen = false;
        this.resumeServers();
        this.end(clientGone);
      });
    }
  }

  /** Ends the legacy session, if there is one; the modern side is the bridge's. */
  async close(drainMs: number, hurry?: AbortSignal): Promise<void> {
    await this.legacy?.session.close(drainMs, hurry);
  }

  private onLine(line: Buffer): void {
    const parsed = parseFrame(line);
    const { legacy } = this;
    if (parsed.ok && isResponse(parsed.frame)) this.onResponse(parsed.frame);
    else if (parsed.ok) this.onFrame(parsed.frame);
    else if (legacy !== undefined && parsed.reason === 'batch') legacy.takeBatch(line);
    else this.answer(undefined, outcomeOf(frameFault(parsed.reason)));
  }

  /** Only legacy clients are asked anything that they could respond to. */
  private onResponse(frame: Frame): void {
    if (this.legacy === undefined) this.options.log.debug({}, 'client sent a response; ignored');
    else this.legacy.take(frame);
  }

  private onFrame(frame: Frame): void {
    try {
      const message = parseClientMessage(frame);
      if (message.kind === 'notification') this.onNotification(message);
      else if (isModern(frame) || !this.isLegacy(message)) this.onRequest(message);
      else this.legacy?.take(frame);
    } catch (error) {
      this.answer(idOf(frame), outcomeOf(error));
    }
  }

  /** Whether a request without modern metadata has a legacy session to go to. An `initialize` opens it. */
  private isLegacy({ method }: ClientMessage): boolean {
    const { openRelay } = this.options;
    if (this.legacy === undefined && method === 'initialize' && openRelay !== undefined)
      this.legacy = new StdioLegacy(
        openRelay,
        (frame) => {
          this.write(frame);
        },
        () => {
          this.end(serverGone);
        },
      );
    return this.legacy !== undefined;
  }

  private onNotification({ method, frame }: ClientMessage): void {
    const isCancel = method === 'notifications/cancelled';
    const requestId = isCancel ? find(find(frame.members, 'params')?.members, 'requestId') : undefined;
    const id = requestId && parseRequestId(frame.bytes, requestId);
    const cancel = id && this.inFlight.get(id.key);
    if (id === undefined || cancel === undefined) {
      this.legacy?.take(frame);
      return;
    }
    this.inFlight.delete(id.key);
    cancel();
  }

  private onRequest(message: ClientMessage & { kind: 'request' }): void {
    const { id } = message;
    if (this.inFlight.has(id.key)) throw duplicateId();
    const request = admit(message);
    this.inFlight.set(id.key, () => undefined);
    const cancel = this.options.bridge.serve(request, caller, this.responder(id, message.method));
    if (this.inFlight.has(id.key)) this.inFlight.set(id.key, cancel);
  }

  private responder(id: RequestId, method: string): ListenResponder {
    const { output } = this.options;
    let quietAt = 0;
    return {
      notify: (notification, params) => {
        if (isBacklogged(output)) return;
        this.write(notificationFrame(notification, params));
        quietAt = performance.now() + notificationGapMs;
      },
      answer: (outcome) => {
        const finish = (): void => {
          this.finish(id, method, outcome);
        };
        const gap = quietAt - performance.now();
        if (gap > 0) setTimeout(finish, gap);
        else finish();
      },
      canTakeMore: () => !output.writableNeedDrain,
      onceDrained: (run) => {
        output.once('drain', run);
      },
    };
  }

  private finish(id: RequestId, method: string, outcome: Outcome): void {
    // Cancelled while the answer kept its distance from a notification.
    if (!this.inFlight.delete(id.key)) return;
    this.answer(id, outcome);
    if (method === 'subscriptions/listen' && outcome.kind === 'result') this.sayTornDown(id);
  }

  /** spec 2026-07-28 basic/patterns/cancellation: the end of a stream from this side is said twice on stdio. */
  private sayTornDown(id: RequestId): void {
    this.write(notificationFrame('notifications/cancelled', [text('{"requestId":'), id.text, text('}')]));
  }

  private answer(id: RequestId | undefined, outcome: Outcome): void {
    this.write(responseFrame(id, outcome));
  }

  private write(frame: Chunks): void {
    if (!this.isOutputOpen) return;
    this.lines.write(frame);
    if (this.options.output.writableLength > maxUnreadBytes) this.waitForClient();
  }

  private get servers(): readonly Server[] {
    const { bridge } = this.options;
    return this.legacy === undefined ? [bridge] : [bridge, this.legacy.session];
  }

  /** A server does not take what it has: what comes in would only pile up. */
  private waitForServers(): void {
    const behind = this.servers.find((server) => server.isBacklogged);
    if (behind === undefined || this.waitsFor.has('server')) return;
    this.pauseFor('server');
    behind.onceTaken(() => {
      this.goOn('server');
    });
  }

  /** The client does not read: nothing more is asked of the server for it, and nothing more read of the server. */
  private waitForClient(): void {
    if (this.waitsFor.has('client')) return;
    this.pauseFor('client');
    for (const server of this.servers) server.pauseUpstream();
    this.options.output.once('drain', () => {
      this.resumeServers();
      this.goOn('client');
    });
  }

  private resumeServers(): void {
    for (const server of this.servers) server.resumeUpstream();
  }

  private pauseFor(whom: 'server' | 'client'): void {
    this.waitsFor.add(whom);
    this.options.input.pause();
  }

  private goOn(whom: 'server' | 'client'): void {
    this.waitsFor.delete(whom);
    if (this.waitsFor.size === 0) this.options.input.resume();
  }
}
