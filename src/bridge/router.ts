// Finds who serves a request: the method's own file on a legacy session, or a modern server, to which it is passed on.
import { BridgeError } from '../errors.ts';
import { faultOf, type Logger } from '../log.ts';
import { isDeclared, tasksNeeds } from '../protocol/client-capabilities.ts';
import { findMethod, type Method } from '../protocol/methods.ts';
import { capabilitiesOf, checkParams, paramBytes, type ModernRequest } from '../protocol/modern-request.ts';
import {
  missingCapability,
  shuttingDown,
  unknownMethod,
  upstreamBusy,
  wrongVersion,
} from '../protocol/refusals.ts';
import type { ServerProfile } from '../protocol/server-profile.ts';
import { servedVersions } from '../protocol/versions.ts';
import type { Session } from '../session/session.ts';
import { toDiscoverResult } from '../translate/discover.ts';
import { AskingCall } from './asking-call.ts';
import { callMode } from './call-mode.ts';
import type { BridgeContext } from './context.ts';
import { rememberedProfile, type DiscoverStore } from './discovered.ts';
import { outcomeOf, type Caller, type ListenResponder } from './outcome.ts';
import { passOn } from './pass-on.ts';
import { servePlainCall } from './plain-call.ts';
import { isOwnState, retryCall } from './retry-call.ts';
import type { Subscriptions } from './subscriptions.ts';
import { uncached } from './upstream-answer.ts';

type Cancel = () => void;

const nothingToCancel: Cancel = () => undefined;

export interface RouterOptions {
  readonly context: BridgeContext;
  readonly subscriptions: Subscriptions;
  readonly discovered: DiscoverStore | undefined;
  /** Patterns of methods that are no part of the modern revision and are let through. */
  readonly forwardedMethods: readonly string[];
}

export class Router {
  /** No more work is taken. */
  isClosing = false;
  private readonly options: RouterOptions;
  private readonly context: BridgeContext;
  /** The last session that opened was a legacy one. */
  private isKnownLegacy = false;

  constructor(options: RouterOptions) {
    this.options = options;
    this.context = options.context;
  }

  /** The server has been started: what it is now is known. */
  onOpened(session: Session): void {
    this.isKnownLegacy = !session.isModern;
    this.options.discovered?.write(session.isModern ? undefined : session.profile.bytes);
  }

  /** Throws what the request is to be refused with. */
  route(request: ModernRequest, caller: Caller, responder: ListenResponder): Cancel {
    if (this.isClosing) throw shuttingDown();
    const { current } = this.context.pool;
    if (current === undefined && !this.isKnownLegacy) return this.routeFirst(request, caller, responder);
    return this.routeOn(current, request, caller, responder);
  }

  /** What the server speaks is not known yet; a request that is good for no era does not start it. */
  private routeFirst(request: ModernRequest, caller: Caller, responder: ListenResponder): Cancel {
    if (!servedVersions.includes(request.version)) throw wrongVersion(request.version);
    const method = findMethod(request.method, this.options.forwardedMethods);
    if (method !== undefined) checkParams(request, method);
    const { requestState: state } = request;
    if (state !== undefined && isOwnState(this.context, state))
      return this.routeOn(undefined, request, caller, responder);
    const remembered = method?.kind === 'discover' ? this.remembered() : undefined;
    if (remembered !== undefined) {
      responder.answer({ kind: 'result', body: toDiscoverResult(remembered, uncached) });
      return nothingToCancel;
    }
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

  /** Good until the server has been started once: what fails to start can do nothing, whatever it could before. */
  private remembered(): ServerProfile | undefined {
    return this.context.pool.isBroken ? undefined : rememberedProfile(this.options.discovered);
  }

  private routeOn(
    session: Session | undefined,
    request: ModernRequest,
    caller: Caller,
    responder: ListenResponder,
  ): Cancel {
    if (session?.isModern === true) return this.passOn(session, request, responder);
    const method = this.admit(session, request);
    switch (method.kind) {
      case 'task':
        this.context.tasks.serve(request, caller, responder);
        return nothingToCancel;
      case 'ask':
        return request.requestState === undefined
          ? this.startCall(method, request, caller, responder)
          : retryCall(this.context, request, request.requestState, caller, responder);
      case 'complete':
      case 'discover':
      case 'forward':
      case 'list':
      case 'listen':
        return this.onSession(method, request, responder);
    }
  }

  private passOn(session: Session, request: ModernRequest, responder: ListenResponder): Cancel {
    if (session.isBacklogged) throw upstreamBusy();
    return passOn(this.context, request, session, responder);
  }

  /** The method of a request to a legacy server. Throws what the request is to be refused with. */
  private admit(session: Session | undefined, request: ModernRequest): Method {
    if (!servedVersions.includes(request.version)) throw wrongVersion(request.version);
    const method = findMethod(request.method, this.options.forwardedMethods);
    if (method === undefined) throw unknownMethod();
    if (session !== undefined && method.kind === 'task') checkCapability(session, method);
    checkParams(request, method);
    if (session?.isBacklogged === true && method.kind !== 'discover') throw upstreamBusy();
    return method;
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
    if (session.isModern) return this.passOn(session, request, responder);
    checkCapability(session, method);
    const { cacheTtlMs: ttlMs, cacheScope } = this.context.limits;
    switch (method.kind) {
      case 'discover':
        responder.answer({ kind: 'result', body: toDiscoverResult(session.profile, { ttlMs, cacheScope }) });
        return nothingToCancel;
      case 'listen':
        if (session.profile.tasks.call) checkTaskSubscription(request);
        return this.options.subscriptions.listen(request, session, responder);
      case 'list':
      case 'complete':
      case 'forward':
      case 'task':
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
    const call = new AskingCall(this.context, method, request, caller, responder, this.findSession);
    this.findSession(call);
    return () => {
      call.cancelFirst();
    };
  }

  private readonly findSession = (call: AskingCall): void => {
    const start = (session: Session): void => {
      // A server that was replaced by a modern one meanwhile.
      if (session.isModern) {
        call.passOn(session);
        return;
      }
      checkCapability(session, call.method);
      const mode = callMode(this.context, call.first, session);
      if (!(mode instanceof Promise)) call.start(session, mode);
      else
        mode.then((known) => {
          call.start(session, known);
        }, failed);
    };
    const failed = (error: unknown): void => {
      this.reportFault(error);
      call.fail(error);
    };
    const session = this.context.pool.forCall(call.domain, call.askerName);
    if (!(session instanceof Promise)) start(session);
    else session.then(start).catch(failed);
  };

  private reportFault(error: unknown): void {
    reportFault(this.context.log, error);
  }
}

/** What is not one of its own errors is a fault of the bridge. */
export function reportFault(log: Logger, error: unknown): void {
  if (error instanceof BridgeError) return;
  log.error(faultOf(error), 'a request met a fault of the bridge');
}

/** spec SEP-2663 #task-status-notifications: they are for whoever knows tasks. The bridge offers none. */
function checkTaskSubscription(request: ModernRequest): void {
  const wanted = paramBytes(request, 'notifications');
  const ids = wanted && (JSON.parse(wanted.toString('utf8')) as { readonly taskIds?: unknown }).taskIds;
  if (Array.isArray(ids) && ids.length > 0 && !isDeclared(capabilitiesOf(request), tasksNeeds))
    throw missingCapability(tasksNeeds);
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
