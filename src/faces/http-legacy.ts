// Legacy clients over HTTP: each has a session of its own from its `initialize` on, under an id that the bridge gives it.
// spec 2025-11-25 basic/transports#session-management
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { systemClock, type Clock } from '../clock.ts';
import { BridgeError } from '../errors.ts';
import { text, type Frame } from '../jsonrpc/frame.ts';
import type { Logger } from '../log.ts';
import { invalidRequest } from '../protocol/error-codes.ts';
import { sessionNotFound, tooManySessions, upstreamBusy } from '../protocol/refusals.ts';
import { isLegacyVersion } from '../protocol/versions.ts';
import type { OpenRelay } from '../relay/relayed-session.ts';
import type { HttpAnswer } from './http-answer.ts';
import { HttpLegacySession } from './http-legacy-session.ts';

export interface HttpLegacyOptions {
  readonly openRelay: OpenRelay;
  /** How many sessions may be open. At the limit the one that has been idle the longest makes room. */
  readonly maxSessions: number;
  /** How long a session may have no open response. */
  readonly idleMs: number;
  /** Whether the transport of 2024-11-05 is served too, at `/sse` and `/messages`. */
  readonly hasSse?: boolean;
  readonly clock?: Clock;
}

interface Entry {
  readonly id: string;
  readonly principal: string;
  readonly session: HttpLegacySession;
  /** Of the transport of 2024-11-05. */
  readonly isSse: boolean;
  stopIdleTimer: () => void;
}

export class HttpLegacy {
  private readonly options: HttpLegacyOptions;
  private readonly clock: Clock;
  private readonly log: Logger;
  private readonly onWritten: (response: ServerResponse) => void;
  /** In the order in which they were last busy. */
  private readonly entries = new Map<string, Entry>();
  private readonly closing = new Set<Promise<void>>();

  /** `onWritten`: something was written that its client may be slow to read. */
  constructor(options: HttpLegacyOptions, log: Logger, onWritten: (response: ServerResponse) => void) {
    this.options = options;
    this.onWritten = onWritten;
    this.clock = options.clock ?? systemClock;
    this.log = log;
  }

  get sessionCount(): number {
    return this.entries.size;
  }

  /** Takes an `initialize`, which opens a session. Throws what it is to be refused with. */
  open(frame: Frame, answer: HttpAnswer, principal: string): void {
    const { id, session } = this.begin(principal, false);
    answer.response.setHeader('Mcp-Session-Id', id);
    answer.response.on('close', () => {
      // A refused `initialize` opens nothing.
      if (session.relay.version === undefined) this.end(id);
    });
    session.post(frame, answer);
  }

  /** GET of the old transport: a stream that opens a session, and names the place for its messages. */
  openSse(answer: HttpAnswer, principal: string, place: string): void {
    const { id, session } = this.begin(principal, true);
    session.listen(answer);
    answer.event([text(`${place}?sessionId=${id}`)], 'endpoint');
    answer.response.on('close', () => {
      this.end(id);
    });
  }

  /** POST of the old transport: a message whose answer comes on the stream. */
  postSse(session: string | undefined, message: Frame | Buffer, answer: HttpAnswer, principal: string): void {
    const entry = this.entries.get(session ?? '');
    if (entry?.isSse !== true || entry.principal !== principal) throw sessionNotFound();
    if (entry.session.relay.isBacklogged) throw upstreamBusy();
    entry.session.postToStream(message, answer);
  }

  /** Takes a message of a session, or a batch. */
  post(request: IncomingMessage, message: Frame | Buffer, answer: HttpAnswer, principal: string): void {
    const { session } = this.find(request, principal);
    if (session.relay.isBacklogged) throw upstreamBusy();
    if (Buffer.isBuffer(message)) session.postBatch(message, answer);
    else session.post(message, answer);
  }

  /** GET: the stream on which the server speaks of its own accord. */
  listen(request: IncomingMessage, answer: HttpAnswer, principal: string): void {
    this.find(request, principal).session.listen(answer);
  }

  /** DELETE: the client is done. */
  delete(request: IncomingMessage, answer: HttpAnswer, principal: string): void {
    this.end(this.find(request, principal).id);
    answer.response.writeHead(204).end();
  }

  /** Lets what is in flight end for up to `drainMs`. Resolves when nothing of any session is left. */
  async close(drainMs: number): Promise<void> {
    for (const id of [...this.entries.keys()]) this.end(id, drainMs);
    await Promise.all(this.closing);
  }

  /** Whoever does not own a session does not learn that it is there. */
  private find(request: IncomingMessage, principal: string): Entry {
    const version = request.headers['mcp-protocol-version'];
    if (version !== undefined && !isLegacyVersion(version)) throw wrongVersion();
    const entry = this.entries.get(String(request.headers['mcp-session-id']));
    if (entry === undefined || entry.isSse || entry.principal !== principal) throw sessionNotFound();
    return entry;
  }

  private begin(principal: string, isSse: boolean): Entry {
    this.makeRoom();
    const id = randomUUID();
    const session = new HttpLegacySession(this.options.openRelay, {
      log: this.log,
      onChange: () => {
        this.watch(id);
      },
      onOver: () => {
        this.end(id);
      },
      onWritten: this.onWritten,
      hasStreamOnly: isSse,
    });
    const entry = { id, principal, session, isSse, stopIdleTimer: () => undefined };
    this.entries.set(id, entry);
    return entry;
  }

  private watch(id: string): void {
    const entry = this.entries.get(id);
    if (entry === undefined) return;
    this.entries.delete(id);
    this.entries.set(id, entry);
    entry.stopIdleTimer();
    if (!entry.session.isIdle) return;
    entry.stopIdleTimer = this.clock.after(this.options.idleMs, () => {
      this.log.info({}, 'a legacy session was idle for too long; ended');
      this.end(id);
    });
  }

  private makeRoom(): void {
    const { maxSessions } = this.options;
    // What is being ended still has its server, and new ones must not come faster than the old ones go.
    if (this.entries.size + this.closing.size >= 2 * maxSessions) throw tooManySessions();
    if (this.entries.size < maxSessions) return;
    const idle = [...this.entries.values()].find(({ session }) => session.isIdle);
    if (idle === undefined) throw tooManySessions();
    this.end(idle.id);
  }

  private end(id: string, drainMs = 0): void {
    const entry = this.entries.get(id);
    if (entry === undefined) return;
    this.entries.delete(id);
    entry.stopIdleTimer();
    const closing: Promise<void> = entry.session.relay.close(drainMs).finally(() => {
      this.closing.delete(closing);
    });
    this.closing.add(closing);
  }
}

/** spec 2025-11-25 basic/transports#protocol-version-header */
function wrongVersion(): BridgeError {
  const message = 'MCP-Protocol-Version is not a version of sessions';
  return new BridgeError(invalidRequest, 'unsupported_version', message, { status: 400 });
}
