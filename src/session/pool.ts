// The legacy sessions of one upstream: started when first needed, one start shared by all who wait, replaced after a
// crash with growing delays, closed together.
import { BridgeError } from '../errors.ts';
import { internalError } from '../protocol/error-codes.ts';
import type { Frame } from '../jsonrpc/frame.ts';
import { openSession, type OpenOptions, type Opening } from './open-session.ts';
import { RestartDelay } from './restart-delay.ts';
import type { Session } from './session.ts';

export interface PoolOptions extends OpenOptions {
  /** How many sessions may be open at once; more than one spreads askers of different callers. */
  readonly maxSessions: number;
}

export interface PoolHandlers {
  readonly onNotification: (method: string, frame: Frame) => void;
  /** `isReplacement`: an earlier session of this upstream was lost, and changes may have been missed. */
  readonly onOpened: (session: Session, isReplacement: boolean) => void;
  readonly onLost: (session: Session) => void;
}

/** A wait up to this is worth it; beyond it a caller is told at once. */
const patienceMs = 1000;

export class SessionPool {
  private readonly options: PoolOptions;
  private readonly handlers: PoolHandlers;
  private readonly sessions: Session[] = [];
  private readonly links = new Set<Opening>();
  private readonly delay: RestartDelay;
  private starting: Promise<Session> | undefined;
  private hasLost = false;
  private isClosed = false;
  private hasFailed = false;
  private isPaused = false;

  constructor(options: PoolOptions, handlers: PoolHandlers) {
    this.options = options;
    this.handlers = handlers;
    this.delay = new RestartDelay(options.clock);
  }

  /** The session for everything that cannot ask. Rejects with a `BridgeError` when there is none to be had. */
  primary(): Promise<Session> {
    const [first] = this.sessions;
    return first === undefined ? this.start() : Promise.resolve(first);
  }

  /** The open session for everything that cannot ask, if there is one now. */
  get current(): Session | undefined {
    return this.sessions[0];
  }

  /** Whether the last start failed. */
  get isBroken(): boolean {
    return this.hasFailed;
  }

  /** A session on which a call of this domain has to wait as little as may be. */
  forCall(domain: string, askerName: string): Session | Promise<Session> {
    const [first] = this.sessions;
    if (first === undefined) return this.start();
    if (this.options.maxSessions === 1) return first;
    const free = this.sessions.find((session) => session.asking.isFreeFor(domain, askerName));
    if (free !== undefined) return free;
    if (this.sessions.length < this.options.maxSessions) return this.start();
    return this.sessions.reduce((best, session) => (session.load < best.load ? session : best));
  }

  /** How many requests are in flight or waiting on all sessions. */
  get load(): number {
    return this.sessions.reduce((sum, session) => sum + session.load, 0);
  }

  /** Nobody takes what the servers say: as little as may be is read of them until `resume`. */
  pause(): void {
    this.isPaused = true;
    for (const session of this.sessions) session.pause();
  }

  resume(): void {
    this.isPaused = false;
    for (const session of this.sessions) session.resume();
  }

  /** Ends all sessions and starts none any more. Resolves when nothing of them is left. */
  async close(reason: string): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.links].map((opening) => opening.close(reason)));
  }

  private start(): Promise<Session> {
    this.starting ??= this.startInTime().finally(() => {
      this.starting = undefined;
    });
    return this.starting;
  }

  private async startInTime(): Promise<Session> {
    const { remainingMs } = this.delay;
    if (this.isClosed) throw unavailable('the bridge is shutting down');
    if (remainingMs > patienceMs) throw unavailable('it has failed and will be started again soon');
    if (remainingMs > 0)
      await new Promise<void>((resolve) => void this.options.clock.after(remainingMs, resolve));
    return this.open();
  }

  private async open(): Promise<Session> {
    if (this.isClosed) throw unavailable('the bridge is shutting down');
    this.delay.started();
    const opening = openSession(this.options, {
      onNotification: this.handlers.onNotification,
      onRetired: (session) => {
        this.onRetired(session);
      },
      onOver: (session, reason) => {
        this.onOver(session, opening, reason);
      },
    });
    this.links.add(opening);
    try {
      const session = await opening.session;
      this.sessions.push(session);
      if (this.isPaused) session.pause();
      this.hasFailed = false;
      const { label } = this.options.upstream;
      const { version } = session.profile;
      if (session.isModern)
        this.options.log.info(
          { upstream: label, version },
          'the server is modern: requests pass as they are',
        );
      else this.options.log.info({ upstream: label, version }, 'legacy session is open');
      this.handlers.onOpened(session, this.hasLost);
      return session;
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown reason';
      this.release(opening, reason);
      this.reportFailedStart(reason);
      throw unavailable(reason, error);
    }
  }

  private reportFailedStart(reason: string): void {
    if (this.isClosed) return;
    const { log, upstream } = this.options;
    this.delay.ended();
    this.hasFailed = true;
    log.error({ upstream: upstream.label, reason }, 'legacy server could not be started');
  }

  /** The server wants a new session, which is no failure of it: the next may start at once. */
  private onRetired(session: Session): void {
    if (!this.remove(session)) return;
    this.options.log.info({ upstream: this.options.upstream.label }, 'legacy server has ended the session');
    this.handlers.onLost(session);
  }

  private onOver(session: Session, opening: Opening, reason: string): void {
    this.release(opening, reason);
    if (!this.remove(session)) return;
    if (!this.isClosed) {
      this.delay.ended();
      this.options.log.warn({ upstream: this.options.upstream.label, reason }, 'legacy session is over');
    }
    this.handlers.onLost(session);
  }

  private remove(session: Session): boolean {
    const index = this.sessions.indexOf(session);
    if (index === -1) return false;
    this.sessions.splice(index, 1);
    this.hasLost = true;
    return true;
  }

  /** The link may outlive its session by the time that its processes take to end. */
  private release(opening: Opening, reason: string): void {
    void opening.close(reason).finally(() => {
      this.links.delete(opening);
    });
  }
}

function unavailable(reason: string, cause?: unknown): BridgeError {
  const message = `The legacy server is not available: ${reason}`;
  return new BridgeError(internalError, 'upstream_unavailable', message, { cause });
}
