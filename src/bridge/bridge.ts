// The bridge between one upstream and its faces: takes a checked modern request, finds the method's own file, and sees
// to it that every request ends in one answer.
import { randomUUID } from 'node:crypto';
import { systemClock, type Clock } from '../clock.ts';
import { createKeyRing, type KeyRing } from '../continuation/key-ring.ts';
import { BridgeError } from '../errors.ts';
import type { Frame } from '../jsonrpc/frame.ts';
import { faultOf, silentLogger, type Logger } from '../log.ts';
import { findMethod, type Method } from '../protocol/methods.ts';
import { checkParams, type ModernRequest } from '../protocol/modern-request.ts';
import type { ParamHeader } from '../protocol/param-headers.ts';
import { servedVersions } from '../protocol/versions.ts';
import { SessionPool } from '../session/pool.ts';
import type { Session } from '../session/session.ts';
import { toDiscoverResult } from '../translate/discover.ts';
import type { Upstream } from '../upstream/port.ts';
import { AskingCall } from './asking-call.ts';
import type { BridgeContext } from './context.ts';
import { ListCache } from './list-cache.ts';
import { Load, type Work } from './load.ts';
import { LogLevels } from './log-levels.ts';
import { bridgeDefaults, type BridgeOptions } from './options.ts';
import { outcomeOf, type Caller, type ListenResponder } from './outcome.ts';
import { ParkedCalls } from './parked-calls.ts';
import { passOn } from './pass-on.ts';
import { servePlainCall } from './plain-call.ts';
import { shuttingDown, unknownMethod, upstreamBusy, wrongVersion } from '../protocol/refusals.ts';
import { isOwnState, retryCall } from './retry-call.ts';
import { changeOf, Subscriptions } from './subscriptions.ts';
import { ToolHeaders } from './tool-headers.ts';

export interface BridgeParts {
  readonly upstream: Upstream;
  readonly options?: Partial<BridgeOptions>;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** Seals request states; by default a random key for the life of the process. */
  readonly keyRing?: KeyRing;
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
  /** The last session that opened was a legacy one. */
  private isKnownLegacy = false;
  private isClosing = false;

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
          this.isKnownLegacy = !session.isModern;
          if (isReplacement) this.subscriptions.onReplaced(session);
        },
        onLost: () => {
          this.context.lists.invalidateAll();
          this.context.toolHeaders.forget();
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
      toolHeaders: new ToolHeaders(clock),
    };
    this.subscriptions = new Subscriptions(clock, pool);
  }

  /**
   * Serves one request; the responder gets exactly one answer, unless the returned function is called before: then
   * the client has given the request up and gets nothing any more.
   */
  serve(request: ModernRequest, caller: Caller, responder: ListenResponder): Cancel {
    let isOver = false;
    let leave = nothingToCancel;
    const finish = (): void => {
      isOver = true;
      leave();
    };
    const { payload } = this.context.log;
    payload?.('from client', [request.frame.bytes]);
    const once: ListenResponder = {
      ...responder,
      notify: (method, params) => {
        if (isOver) return;
        payload?.('to client', params);
        responder.notify(method, params);
      },
      answer: (outcome) => {
        if (isOver) return;
        payload?.('to client', outcome.body);
        finish();
        responder.answer(outcome);
      },
    };
    let cancel = nothingToCancel;
    try {
      leave = this.enter(request, caller);
      cancel = this.route(request, caller, once);
    } catch (error) {
      this.reportFault(error);
      once.answer(outcomeOf(error));
    }
    return () => {
      if (isOver) return;
      finish();
      cancel();
    };
  }

  /** The arguments that an HTTP client must repeat in headers when it calls this tool. */
  paramHeaders(tool: string): readonly ParamHeader[] | Promise<readonly ParamHeader[]> {
    const { pool, toolHeaders } = this.context;
    const on = (session: Session): readonly ParamHeader[] | Promise<readonly ParamHeader[]> =>
      session.profile.methods.has('tools') ? toolHeaders.of(tool, session, () => pool.primary()) : [];
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
    this.isClosing = true;
    this.subscriptions.endAll();
    if (this.load.callCount > 0 && hurry?.aborted !== true) await this.drained(drainMs, hurry);
    this.context.parked.endAll(shuttingDown());
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
    if (change.kind === 'tools') this.context.toolHeaders.forget();
    this.subscriptions.tell(change, frame);
  }

  /** Takes the request on, if that is not too much. Returns what is to be done when it is over. */
  private enter(request: ModernRequest, { principal }: Caller): () => void {
    const { pool, parked } = this.context;
    const work: Work = request.method === 'subscriptions/listen' ? 'listens' : 'calls';
    const bytes = request.frame.bytes.length;
    this.load.enter(work, principal, bytes, pool.load - parked.count);
    return () => {
      this.load.leave(work, principal, bytes);
      if (this.load.callCount === 0) this.onIdle?.();
    };
  }

  private route(request: ModernRequest, caller: Caller, responder: ListenResponder): Cancel {
    const { current } = this.context.pool;
    if (current === undefined && !this.isKnownLegacy) return this.routeFirst(request, caller, responder);
    return this.routeOn(current, request, caller, responder);
  }

  /** What the server speaks is not known yet; a request that is good for no era does not start it. */
  private routeFirst(request: ModernRequest, caller: Caller, responder: ListenResponder): Cancel {
    if (!servedVersions.includes(request.version)) throw wrongVersion(request.version);
    const method = findMethod(request.method, this.options.forwardedMethods);
    if (method !== undefined) checkParams(request, method);
    if (this.isClosing) throw shuttingDown();
    const { requestState: state } = request;
    if (state !== undefined && isOwnState(this.context, state))
      return this.routeOn(undefined, request, caller, responder);
    let cancel: Cancel | undefined;
    let isCancelled = false;
    this.context.pool
      .primary()
      .then((session) => {
        if (!isCancelled) cancel = this.routeOn(session, request, caller, responder);
      })
      .catch((error: unknown) => {
        this.reportFault(error);
        responder.answer(outcomeOf(method?.kind === 'discover' ? asOutage(error) : error));
      });
    return () => {
      isCancelled = true;
      cancel?.();
    };
  }

  private routeOn(
    session: Session | undefined,
    request: ModernRequest,
    caller: Caller,
    responder: ListenResponder,
  ): Cancel {
    if (session?.isModern === true) {
      if (this.isClosing) throw shuttingDown();
      return passOn(this.context, request, session, responder);
    }
    if (!servedVersions.includes(request.version)) throw wrongVersion(request.version);
    const method = findMethod(request.method, this.options.forwardedMethods);
    if (method === undefined) throw unknownMethod();
    checkParams(request, method);
    if (this.isClosing) throw shuttingDown();
    if (this.isBacklogged && method.kind !== 'discover') throw upstreamBusy();
    if (method.kind !== 'ask') return this.onSession(method, request, responder);
    return request.requestState === undefined
      ? this.startCall(method, request, caller, responder)
      : retryCall(this.context, request, request.requestState, caller, responder);
  }

  /** Serves what cannot ask on the first session, which is started if there is none. */
  private onSession(method: Method, request: ModernRequest, responder: ListenResponder): Cancel {
    const { pool } = this.context;
    let cancel: Cancel | undefined;
    let isCancelled = false;
    const serve = (session: Session, onRefused?: () => void): void => {
      if (isCancelled) return;
      cancel = this.serveOn(session, method, request, responder, onRefused);
    };
    // A request that a session refused unrun moves to the next one, once.
    const serveNext = (onRefused?: () => void): void => {
      pool
        .primary()
        .then((session) => {
          serve(session, onRefused);
        })
        .catch((error: unknown) => {
          this.reportFault(error);
          responder.answer(outcomeOf(method.kind === 'discover' ? asOutage(error) : error));
        });
    };
    if (pool.current !== undefined) serve(pool.current, serveNext);
    else serveNext(serveNext);
    return () => {
      isCancelled = true;
      cancel?.();
    };
  }

  private serveOn(
    session: Session,
    method: Method,
    request: ModernRequest,
    responder: ListenResponder,
    onRefused: (() => void) | undefined,
  ): Cancel {
    if (session.isModern) return passOn(this.context, request, session, responder);
    checkCapability(session, method);
    const { cacheTtlMs: ttlMs, cacheScope } = this.options;
    switch (method.kind) {
      case 'discover':
        responder.answer({ kind: 'result', body: toDiscoverResult(session.profile, { ttlMs, cacheScope }) });
        return nothingToCancel;
      case 'listen':
        return this.subscriptions.listen(request, session, responder);
      case 'list':
      case 'complete':
      case 'forward':
      case 'ask':
        return servePlainCall(this.context, method, request, session, responder, onRefused);
    }
  }

  private startCall(
    method: Method,
    request: ModernRequest,
    caller: Caller,
    responder: ListenResponder,
  ): Cancel {
    let cancelPassedOn: Cancel | undefined;
    // A server that was replaced by a modern one meanwhile.
    const onModern = (session: Session): void => {
      cancelPassedOn = passOn(this.context, request, session, responder);
    };
    const find = (): void => {
      this.findSession(call, method, caller, onModern);
    };
    const call: AskingCall = new AskingCall(this.context, method, request, caller, responder, find);
    find();
    return () => {
      if (cancelPassedOn === undefined) call.cancelFirst();
      else cancelPassedOn();
    };
  }

  private findSession(
    call: AskingCall,
    method: Method,
    caller: Caller,
    onModern: (session: Session) => void,
  ): void {
    const start = (session: Session): void => {
      if (session.isModern) {
        onModern(session);
        return;
      }
      checkCapability(session, method);
      call.start(session);
    };
    const session = this.context.pool.forCall(caller.domain, call.askerName);
    if (!(session instanceof Promise)) start(session);
    else
      session.then(start).catch((error: unknown) => {
        this.reportFault(error);
        call.fail(error);
      });
  }

  private reportFault(error: unknown): void {
    if (error instanceof BridgeError) return;
    this.context.log.error(faultOf(error), 'a request met a fault of the bridge');
  }
}

function checkCapability(session: Session, method: Method): void {
  const { capability } = method;
  if (capability !== undefined && !session.profile.methods.has(capability)) throw unknownMethod();
}

/** A client that asks what the server can do must not mistake an outage for an old server. */
function asOutage(error: unknown): unknown {
  if (!(error instanceof BridgeError)) return error;
  return new BridgeError(error.code, error.reason, error.message, { status: 503, cause: error });
}
