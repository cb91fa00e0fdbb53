// A legacy client's own session with the legacy server: every frame passes as it is, both ways, under the ids that its
// sender gave it. What is known of a frame is only what finds its way: which request it answers or belongs to.
import type { Clock } from '../clock.ts';
import { BridgeError } from '../errors.ts';
import {
  find,
  methodOf,
  sourceOf,
  stringMember,
  text,
  toBytes,
  wholeOf,
  type Chunks,
  type Frame,
} from '../jsonrpc/frame.ts';
import { IdTable } from '../jsonrpc/id-table.ts';
import { editObject, entry } from '../jsonrpc/object-edit.ts';
import { idOf, parseRequestId, type RequestId } from '../jsonrpc/request-id.ts';
import type { Member } from '../jsonrpc/scan.ts';
import type { Logger } from '../log.ts';
import { internalError, invalidRequest } from '../protocol/error-codes.ts';
import {
  duplicateId,
  exited,
  noAnswer,
  sessionNotFound,
  shuttingDown,
  tooManyCalls,
} from '../protocol/refusals.ts';
import { isLegacyVersion } from '../protocol/versions.ts';
import type { Link, Upstream } from '../upstream/port.ts';

/** What a frame for the client has to do with the client's own requests, by the numbers that `take` gave them. */
export interface Way {
  readonly kind: 'answer' | 'request' | 'notification';
  /** Undefined: it belongs to none, or that is not known. */
  readonly request: number | undefined;
  /** An answer of the bridge in the server's stead, and the HTTP status that goes with it. */
  readonly status?: number;
}

export interface RelayHandlers {
  readonly onFrame: (frame: Chunks, way: Way) => void;
  /** The client has cancelled that request: no answer is due any more. */
  readonly onDropped: (request: number) => void;
  /** Once; every request that was in flight has been answered with an error before. `reason` may be shown. */
  readonly onOver: (reason: string) => void;
}

export interface RelayOptions {
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long the server may take to answer `initialize`. */
  readonly startTimeoutMs: number;
  /** How many requests of one client may be in flight. */
  readonly maxCalls: number;
  /** The server's answer to an `initialize` that it has taken. */
  readonly onInitialized?: (answer: Buffer) => void;
}

/** Starts a session for one legacy client. */
export type OpenRelay = (handlers: RelayHandlers) => RelayedSession;

interface Pending {
  readonly id: RequestId;
  readonly number: number;
  readonly progressToken: string | undefined;
}

/** Longer ids would be kept for nothing: nobody counts so far. */
const maxIdBytes = 1024;
const answerId = /^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(\d+|"[^"\\]*")/;

export class RelayedSession {
  private readonly options: RelayOptions;
  private readonly handlers: RelayHandlers;
  private readonly link: Link;
  private readonly byId = new IdTable<Pending, string>();
  private readonly byNumber = new IdTable<Pending>();
  private readonly byToken = new IdTable<Pending, string>();
  private nextNumber = 1;
  private initializing: number | undefined;
  private negotiated: string | undefined;
  private isGone = false;
  private isOver = false;
  private onIdle: () => void = () => undefined;
  private stopStartTimer: () => void = () => undefined;

  constructor(options: RelayOptions, handlers: RelayHandlers) {
    this.options = options;
    this.handlers = handlers;
    this.link = options.upstream.open({
      onFrame: (frame, origin) => {
        this.onFrame(frame, origin);
      },
      onOversize: (start, origin) => {
        this.onOversize(start, origin);
      },
      onStreamEnd: (number, reason) => {
        this.fail(this.byNumber.get(number), noAnswer(reason));
      },
      onSessionGone: (refused) => {
        this.onGone(refused);
      },
      onClosed: (reason) => {
        this.finish(exited(reason));
      },
    });
  }

  /** The version that the server has answered `initialize` with. */
  get version(): string | undefined {
    return this.negotiated;
  }

  /** The server is so far behind that nothing more should be taken for it. */
  get isBacklogged(): boolean {
    return this.link.isBacklogged ?? false;
  }

  /** Calls once when the server has caught up, or the session is over. */
  onceTaken(run: () => void): void {
    this.link.onceTaken?.(run);
  }

  /** The client takes nothing: as little as may be is read of the server until `resumeUpstream`. */
  pauseUpstream(): void {
    this.link.pause?.();
  }

  resumeUpstream(): void {
    this.link.resume?.();
  }

  /** Passes a frame of the client on. Returns the number of a request. Throws what a request is to be refused with. */
  take(frame: Frame): number | undefined {
    const { bytes, members } = frame;
    this.options.log.payload?.('from client', [bytes]);
    const method = stringMember(bytes, members, 'method');
    const idMember = find(members, 'id');
    if (method !== undefined && idMember !== undefined) return this.takeRequest(method, idMember, frame);
    if (this.isOver) return undefined;
    if (method === 'notifications/initialized') this.tellVersion();
    this.link.send([bytes]);
    if (method === 'notifications/cancelled') this.drop(keyOf(frame, 'requestId'));
    return undefined;
  }

  /** Lets what is in flight end for up to `drainMs`, then ends the session. Resolves when nothing of it is left. */
  async close(drainMs: number, hurry?: AbortSignal): Promise<void> {
    if (this.byNumber.size > 0 && drainMs > 0 && hurry?.aborted !== true)
      await new Promise<void>((resolve) => {
        const stop = this.options.clock.after(drainMs, resolve);
        this.onIdle = () => {
          stop();
          resolve();
        };
        hurry?.addEventListener('abort', this.onIdle, { once: true });
      });
    this.finish(shuttingDown());
    await this.link.close();
  }

  /** From here on the transport does what it does once the handshake is over. */
  private tellVersion(): void {
    if (isLegacyVersion(this.negotiated)) this.link.negotiated?.(this.negotiated);
  }

  private takeRequest(method: string, idMember: Member, frame: Frame): number {
    const id = parseRequestId(frame.bytes, idMember);
    if (id === undefined || id.text.length > maxIdBytes) throw badId();
    if (this.byId.has(id.key)) throw duplicateId();
    if (this.isOver || this.isGone) throw sessionNotFound();
    if (this.byNumber.size >= this.options.maxCalls) throw tooManyCalls('of one caller');
    const number = this.nextNumber;
    this.nextNumber += 1;
    // The id is kept, and not the whole frame with it.
    const ownId = { key: id.key, text: Buffer.from(id.text) };
    const pending = { id: ownId, number, progressToken: progressTokenOf(frame) };
    this.byId.set(id.key, pending);
    this.byNumber.set(number, pending);
    if (pending.progressToken !== undefined) this.byToken.set(pending.progressToken, pending);
    if (method === 'initialize') this.startInTime(number);
    this.link.send([frame.bytes], number);
    return number;
  }

  private startInTime(number: number): void {
    this.initializing = number;
    this.stopStartTimer();
    this.stopStartTimer = this.options.clock.after(this.options.startTimeoutMs, () => {
      this.finish(exited('the server did not start in time'));
      void this.link.close();
    });
  }

  private onFrame(frame: Frame, origin: number | undefined): void {
    if (this.isOver) return;
    if (methodOf(frame) === undefined) {
      this.onAnswer(frame, origin);
      return;
    }
    const kind = find(frame.members, 'id') === undefined ? 'notification' : 'request';
    const key = kind === 'notification' ? keyOf(frame, 'progressToken') : undefined;
    const request = origin ?? (key === undefined ? undefined : this.byToken.get(key)?.number);
    this.pass(wholeOf(frame), { kind, request });
  }

  private onAnswer(frame: Frame, origin: number | undefined): void {
    const id = idOf(frame);
    const ownPending = id && this.byId.get(id.key);
    // Over HTTP a refusal may come without the id, or with null: it answers what it came back for.
    const byOrigin = id === undefined && origin !== undefined ? this.byNumber.get(origin) : undefined;
    const pending = ownPending ?? byOrigin;
    if (pending === undefined) {
      this.pass(wholeOf(frame), { kind: 'answer', request: undefined });
      return;
    }
    if (pending.number === this.initializing) this.onInitialized(frame);
    if (pending.number !== origin) this.link.abandon?.(pending.number);
    this.forget(pending);
    const answer = ownPending === undefined ? withId(frame, pending.id) : wholeOf(frame);
    this.pass(answer, { kind: 'answer', request: pending.number });
    this.settleIdle();
  }

  private onInitialized({ bytes, members }: Frame): void {
    this.stopStartTimer();
    this.initializing = undefined;
    this.negotiated = stringMember(bytes, find(members, 'result')?.members, 'protocolVersion');
    if (this.negotiated !== undefined) this.options.onInitialized?.(bytes);
  }

  private onOversize(start: Buffer, origin: number | undefined): void {
    this.options.log.warn({}, 'server sent a message over the size limit; thrown away');
    const idText = answerId.exec(start.toString('utf8'))?.[1]?.replace(/"$/, '');
    const pending = idText === undefined ? undefined : this.byId.get(idText);
    const message = 'The answer of the server is over the size limit';
    this.fail(
      pending ?? (origin === undefined ? undefined : this.byNumber.get(origin)),
      new BridgeError(internalError, 'message_too_large', message),
    );
  }

  /** The server does not know the session any more: its client is to begin another one. */
  private onGone(refused: number | undefined): void {
    this.isGone = true;
    const pending = refused === undefined ? undefined : this.byNumber.get(refused);
    this.fail(pending, sessionNotFound());
    this.settleIdle();
  }

  private fail(pending: Pending | undefined, error: BridgeError): void {
    if (pending === undefined || this.isOver) return;
    this.answerFor(pending, error);
    this.settleIdle();
  }

  /** Answers a request in the server's stead. */
  private answerFor(pending: Pending, error: BridgeError): void {
    this.forget(pending);
    const { code, message, data, status } = error;
    const frame = [
      text('{"jsonrpc":"2.0","id":'),
      pending.id.text,
      text(',"error":'),
      toBytes({ code, message, data }),
      text('}'),
    ];
    this.pass(frame, { kind: 'answer', request: pending.number, status });
  }

  private drop(key: string | undefined): void {
    const pending = key === undefined ? undefined : this.byId.get(key);
    if (pending === undefined || pending.number === this.initializing) return;
    this.forget(pending);
    this.link.abandon?.(pending.number);
    this.handlers.onDropped(pending.number);
    this.settleIdle();
  }

  private forget({ id, number, progressToken }: Pending): void {
    this.byId.delete(id.key);
    this.byNumber.delete(number);
    if (progressToken !== undefined) this.byToken.delete(progressToken);
  }

  private pass(frame: Chunks, way: Way): void {
    this.options.log.payload?.('to client', frame);
    this.handlers.onFrame(frame, way);
  }

  private settleIdle(): void {
    if (this.byNumber.size > 0) return;
    this.onIdle();
    if (!this.isGone || this.isOver) return;
    this.finish(sessionNotFound());
    void this.link.close();
  }

  private finish(error: BridgeError): void {
    if (this.isOver) return;
    this.isOver = true;
    this.stopStartTimer();
    for (const pending of this.byNumber.all()) this.answerFor(pending, error);
    this.onIdle();
    this.handlers.onOver(error.message);
  }
}

function keyOf({ bytes, members }: Frame, name: string): string | undefined {
  const member = find(find(members, 'params')?.members, name);
  return member && parseRequestId(bytes, member)?.key;
}

function progressTokenOf({ bytes, members }: Frame): string | undefined {
  const meta = find(find(members, 'params')?.members, '_meta');
  const token = find(meta?.members, 'progressToken');
  const key = token && parseRequestId(bytes, token)?.key;
  return key !== undefined && key.length <= maxIdBytes ? key : undefined;
}

function withId(frame: Frame, id: RequestId): Chunks {
  return editObject(sourceOf(frame), frame.members, [entry('id', [id.text])], ({ key }) =>
    key === 'id' ? 'drop' : 'keep',
  );
}

function badId(): BridgeError {
  return new BridgeError(
    invalidRequest,
    'invalid_request',
    '"id" must be a string or an integer, of 1 KiB at most',
    {
      status: 400,
    },
  );
}
