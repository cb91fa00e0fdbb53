// The retry of a call whose questions are with its client: finds the call that its request state leads to.
import { open, seal, type Continuation } from '../continuation/request-state.ts';
import type { ModernRequest } from '../protocol/modern-request.ts';
import { callLost, refusedState } from '../protocol/refusals.ts';
import type { BridgeContext } from './context.ts';
import type { Caller, Responder } from './outcome.ts';
import { digestOfRequest } from './request-digest.ts';

/** The request state of a round of a call. */
export function sealState(
  { keyRing, clock, limits, upstream, instance }: BridgeContext,
  call: Pick<Continuation, 'call' | 'round' | 'principal' | 'digest'>,
): string {
  return seal(keyRing, { ...call, upstream, instance, expiresAt: clock.now() + limits.inputTtlMs });
}

/** Whether the state was sealed with a key of this bridge, by this process or another. */
export function isOwnState({ keyRing, clock }: BridgeContext, state: string): boolean {
  const opened = open(keyRing, state, clock.now());
  return opened.ok || opened.reason === 'request_state_expired';
}

/** spec 2026-07-28 basic/patterns/mrtr#server-requirements (4), (5) */
export function retryCall(
  context: BridgeContext,
  request: ModernRequest,
  state: string,
  caller: Caller,
  responder: Responder,
): () => void {
  const { keyRing, clock, upstream, instance, parked } = context;
  const opened = open(keyRing, state, clock.now());
  if (!opened.ok) throw refusedState(opened.reason);
  const { continuation } = opened;
  const digest = digestOfRequest(request);
  const isSame =
    continuation.upstream === upstream &&
    continuation.principal === caller.principal &&
    continuation.digest === digest;
  if (!isSame) throw refusedState('request_state_mismatch');
  const call = continuation.instance === instance ? parked.find(continuation.call) : undefined;
  if (call === undefined) throw callLost();
  return call.retry(continuation.round, request, responder);
}
