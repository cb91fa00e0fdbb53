// Serves the methods that cannot ask: lists (from memory where the server promises to say when they change),
// completion, and what the user lets through.
import { join, slice, find, type Frame } from '../jsonrpc/frame.ts';
import type { Method } from '../protocol/methods.ts';
import type { ModernRequest } from '../protocol/modern-request.ts';
import type { Session } from '../session/session.ts';
import { toLegacyRequest } from '../translate/request-down.ts';
import type { CacheHints } from '../translate/result-up.ts';
import { CallClock } from './call-clock.ts';
import type { BridgeContext } from './context.ts';
import { familyOf } from './list-cache.ts';
import { lost, outcomeOf, type Outcome, type Responder } from './outcome.ts';
import { timedOut } from '../protocol/refusals.ts';
import { answerOf, uncached } from './upstream-answer.ts';
import { Waiter } from './waiter.ts';

/**
 * Serves the request on an open session. Returns how its client gives it up. `onRefused`, where there is one, is called
 * instead of an answer when the server does not know that session any more and the request has not run.
 */
export function servePlainCall(
  context: BridgeContext,
  method: Method,
  request: ModernRequest,
  session: Session,
  responder: Responder,
  onRefused?: () => void,
): () => void {
  const on = { request, session, responder, onRefused };
  if (method.kind !== 'list')
    return forward(context, on, (frame) => answerOf(frame, request, method, session.profile, undefined));
  const family = familyOf(method.name);
  const hints = listHints(context, session, method.name);
  const key = session.profile.listChanged[family] ? pageKey(request) : undefined;
  const known = key === undefined ? undefined : context.lists.find(key);
  if (known !== undefined) {
    responder.answer({ kind: 'result', body: [known] });
    return () => undefined;
  }
  const generation = context.lists.generation(family);
  return forward(context, on, (frame) => {
    const outcome = answerOf(frame, request, method, session.profile, hints);
    if (outcome.kind === 'result' && method.name === 'tools/list') context.knownTools.learn(frame, request);
    if (key === undefined || outcome.kind !== 'result') return outcome;
    const body = join(outcome.body);
    context.lists.keep(key, family, generation, body);
    return { kind: 'result', body: [body] };
  });
}

function listHints(context: BridgeContext, session: Session, method: string): CacheHints {
  const { cacheTtlMs, cacheScope } = context.limits;
  return session.profile.listChanged[familyOf(method)]
    ? { ttlMs: cacheTtlMs, cacheScope }
    : { ...uncached, cacheScope };
}

/** Names a page; undefined when the request has params that the cache does not know. */
function pageKey(request: ModernRequest): string | undefined {
  if (request.params.members.some((member) => member.key !== '_meta' && member.key !== 'cursor'))
    return undefined;
  const cursor = find(request.params.members, 'cursor');
  return `${request.method} ${cursor ? slice(request.frame.bytes, cursor).toString('utf8') : ''}`;
}

interface Forwarded {
  readonly request: ModernRequest;
  readonly session: Session;
  readonly responder: Responder;
  readonly onRefused: (() => void) | undefined;
}

function forward(
  context: BridgeContext,
  { request, session, responder, onRefused }: Forwarded,
  toOutcome: (frame: Frame) => Outcome,
): () => void {
  const waiter = new Waiter(request, responder);
  let isOver = false as boolean;
  const finish = (outcome: Outcome | undefined): void => {
    if (isOver) return;
    isOver = true;
    clock.pause();
    if (outcome === undefined) waiter.releaseLevel();
    else waiter.answer(outcome);
  };
  const clock = new CallClock(context.clock, context.limits, () => {
    finish(outcomeOf(timedOut()));
    session.cancel(id, 'The request took too long');
  });
  waiter.useLevel(context.levels, session);
  const id = session.request((newId) => toLegacyRequest(request, newId, request.progressToken && newId), {
    onAnswer: (frame) => {
      finish(toOutcome(frame));
    },
    onLost: (loss) => {
      const mayMove = loss.kind === 'refused' && onRefused !== undefined && !isOver;
      finish(mayMove ? undefined : lost(loss));
      if (mayMove) onRefused();
    },
    onProgress: (frame) => {
      clock.touch();
      waiter.onProgress(frame);
    },
    onLogMessage: (frame) => {
      waiter.onLogMessage(frame);
    },
  });
  if (!isOver) clock.run();
  return () => {
    if (isOver) return;
    finish(undefined);
    session.cancel(id, 'The client cancelled the request');
  };
}
