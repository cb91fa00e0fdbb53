// The bridge between one upstream and its faces: takes checked modern requests on, sees to it that each ends in one
// answer, and ends everything that came of them.
import { randomUUID } from 'node:crypto';
import { systemClock, type Clock } from '../clock.ts';
import { createKeyRing, type KeyRing } from '../continuation/key-ring.ts';
import type { Frame } from '../jsonrpc/frame.ts';
import { silentLogger, type Logger } from '../log.ts';
import type { ModernRequest } from '../protocol/modern-request.ts';
import type { ParamHeader } from '../protocol/param-headers.ts';
import { SessionPool } from '../session/pool.ts';
import type { Session } from '../session/session.ts';
import type { Upstream } from '../upstream/port.ts';
import type { BridgeContext } from './context.ts';
import type { DiscoverStore } from './discovered.ts';
import { ListCache } from './list-cache.ts';
import { Load, type Work } from './load.ts';
import { LogLevels } from './log-levels.ts';
import { bridgeDefaults, type BridgeOptions } from './options.ts';
import { outcomeOf, type Caller, type ListenResponder } from './outcome.ts';
import { ParkedCalls } from './parked-calls.ts';
import { shuttingDown } from '../protocol/refusals.ts';
import { reportFault, Router } from './router.ts';
import { ServedRequest } from './served-request.ts';
import { changeOf, Subscriptions } from './subscriptions.ts';
import { KnownTools } from './known-tools.ts';
import { Tasks } from './tasks.ts';

export interface BridgeParts {
  readonly upstream: Upstream;
  readonly options?: Partial<BridgeOptions>;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** Seals request states; by default a random key for the life of the process. */
  readonly keyRing?: KeyRing;
  /** What the server said of itself at its last start. */
  readonly discovered?: DiscoverStore | undefined;
}

export interface BridgeCounts {
  /** Requests that wait for their answers, listen streams not among them. */
  readonly calls: number;
  readonly listens: number;
  /** Calls whose questions wait for their answers. */
  readonly parked: number;
  /** Requests that the server has, or that wait for their turn; parked and cancelled ones among them. */
  readonly upstream: number;
}

type Cancel = () => void;

const nothingToCancel: Cancel = () => undefined;

export class Bridge {
  private readonly options: BridgeOptions;
  private readonly context: BridgeContext;
  private readonly subscriptions: Subscriptions;
  private readonly load: Load;
  private onIdle: (() => void) | undefined;
  private readonly router: Router;

  constructor(parts: BridgeParts) {
    const { upstream, clock = systemClock, log = silentLogger } = parts;
    this.options = { ...bridgeDefaults, ...parts.options };
    this.load = new Load(this.options);
    const pool = new SessionPool(
      { ...this.options, upstream, clock, log, askers: new Set() },
      {
        onNotification: (method, frame) => {
          this.onNotification(method, frame);
        },
        onOpened: (session, isReplacement) => {
          this.router.onOpened(session);
          if (isReplacement) this.subscriptions.onReplaced(session);
        },
        onLost: () => {
          this.context.lists.invalidateAll();
          this.context.knownTools.forget();
          if (pool.current === undefined) this.subscriptions.onLost();
          else this.subscriptions.onReplaced(pool.current);
        },
      },
    );
    this.context = {
      clock,
      log,
      pool,
      limits: this.options,
      keyRing: parts.keyRing ?? createKeyRing(),
      upstream: upstream.label,
      instance: randomUUID(),
      parked: new ParkedCalls(clock, this.options),
      levels: new LogLevels(),
      lists: new ListCache(),
      knownTools: new KnownTools(clock),
      tasks: new Tasks(clock, this.options),
    };
    this.subscriptions = new Subscriptions(clock, pool);
    const { context, subscriptions, options } = this;
    const { forwardedMethods } = options;
    this.router = new Router({ context, subscriptions, discovered: parts.discovered, forwardedMethods });
  }

  /**
   * Serves one request; the responder gets exactly one answer, unless the returned function is called before: then
   * the client has given the request up and gets nothing any more.
   */
  serve(request: ModernRequest, caller: Caller, responder: ListenResponder): Cancel {
    const { log } = this.context;
    const served = new ServedRequest(request, caller, responder, log, this.leave);
    let cancel = nothingToCancel;
    try {
      this.enter(served);
      cancel = this.router.route(request, caller, served);
    } catch (error) {
      reportFault(log, error);
      served.answer(outcomeOf(error));
    }
    return () => {
      if (served.isOver) return;
      served.finish();
      cancel();
    };
  }

  /** The arguments that an HTTP client must repeat in headers when it calls this tool. */
  paramHeaders(tool: string): readonly ParamHeader[] | Promise<readonly ParamHeader[]> {
    const { pool, knownTools } = this.context;
    const on = (session: Session): readonly ParamHeader[] | Promise<readonly ParamHeader[]> => {
      if (!session.profile.methods.has('tools')) return [];
      return knownTools.headersOf(tool, session, () => pool.primary());
    };
    return pool.current === undefined ? pool.primary().then(on) : on(pool.current);
  }

  /** What the bridge has on its hands now. */
  get counts(): BridgeCounts {
    const { parked, pool } = this.context;
    const { callCount: calls, listenCount: listens } = this.load;
    return { calls, listens, parked: parked.count, upstream: pool.load };
  }

  /** The server is so far behind that requests are refused; whoever can hold them back should. */
  get isBacklogged(): boolean {
    return this.context.pool.current?.isBacklogged ?? false;
  }

  /** Calls once when the server has caught up, or its session is over. */
  onceTaken(run: () => void): void {
    this.context.pool.current?.onceTaken(run);
  }

  /** No client takes what the server says: as little as may be is read of it until `resumeUpstream`. */
  pauseUpstream(): void {
    this.context.pool.pause();
  }

  resumeUpstream(): void {
    this.context.pool.resume();
  }

  /** Whether the last start of the legacy server failed. */
  get isUpstreamBroken(): boolean {
    return this.context.pool.isBroken;
  }

  /** Starts the legacy server before anyone asks for it; a failure is told to whoever asks first. */
  warmUp(): void {
    this.context.pool.primary().catch(() => undefined);
  }

  /**
   * Takes no more work, lets what is in flight end for up to `drainMs` (or until `hurry` is aborted), answers open
   * questions as cancelled, ends listen streams and closes the sessions. Resolves when nothing of the upstream is left.
   */
  async close(drainMs: number, hurry?: AbortSignal): Promise<void> {
    this.router.isClosing = true;
    this.subscriptions.endAll();
    if (this.load.callCount > 0 && hurry?.aborted !== true) await this.drained(drainMs, hurry);
    this.context.parked.endAll(shuttingDown());
    this.context.tasks.endAll();
    await this.context.pool.close('the bridge is shutting down');
  }

  private drained(drainMs: number, hurry: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.context.clock.after(drainMs, resolve);
      this.onIdle = () => {
        stop();
        resolve();
      };
      hurry?.addEventListener('abort', this.onIdle, { once: true });
    });
  }

  private onNotification(method: string, frame: Frame): void {
    const change = changeOf(method, frame);
    if (change === undefined) return;
    if (change.kind !== 'resource') this.context.lists.invalidate(change.kind);
    if (change.kind === 'tools') this.context.knownTools.forget();
    this.subscriptions.tell(change, frame);
  }

  /** Takes the request on, if that is not too much. */
  private enter(served: ServedRequest): void {
    const { request, caller } = served;
    const { pool, parked } = this.context;
    this.load.enter(workOf(request), caller.principal, bytesOf(request), pool.load - parked.count);
    served.isTakenOn = true;
  }

  private readonly leave = ({ request, caller, isTakenOn }: ServedRequest): void => {
    if (!isTakenOn) return;
    this.load.leave(workOf(request), caller.principal, bytesOf(request));
    if (this.load.callCount === 0) this.onIdle?.();
  };
}

function workOf({ method }: ModernRequest): Work {
  return method === 'subscriptions/listen' ? 'listens' : 'calls';
}

function bytesOf({ frame }: ModernRequest): number {
  return frame.bytes.length;
}
