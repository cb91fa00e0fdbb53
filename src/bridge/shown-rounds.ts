// A call that has shown questions can be asked for again: by its request state for as long as they may be answered, and,
// once it has ended, for its outcome for a while.
import { randomUUID } from 'node:crypto';
import type { ModernRequest } from '../protocol/modern-request.ts';
import type { AskingCall } from './asking-call.ts';
import type { BridgeContext } from './context.ts';
import { digestOfRequest } from './request-digest.ts';
import { sealState } from './retry-call.ts';

export class ShownRounds {
  private readonly context: BridgeContext;
  private readonly call: AskingCall;
  private readonly first: ModernRequest;
  /** What request states name the call by, and the digest of its request. */
  private known: { readonly key: string; readonly digest: string } | undefined;
  private stopTimer: (() => void) | undefined;

  constructor(context: BridgeContext, call: AskingCall, first: ModernRequest) {
    this.context = context;
    this.call = call;
    this.first = first;
  }

  /** Parks the call with a round's questions. Returns their request state; undefined if one more would be too much. */
  park(round: number, onExpired: () => void): string | undefined {
    const { context, call } = this;
    this.stopTimer?.();
    if (round === 1 && context.parked.isTooMuch(call)) return undefined;
    this.known ??= { key: randomUUID(), digest: digestOfRequest(this.first) };
    const { key, digest } = this.known;
    context.parked.park(key, call);
    this.stopTimer = context.clock.after(context.limits.inputTtlMs, onExpired);
    return sealState(context, { call: key, round, principal: call.principal, digest });
  }

  /** The questions are answered, or nobody's any more. */
  unpark(): void {
    this.stopTimer?.();
    this.context.parked.unpark(this.call);
  }

  /** The call has ended; its outcomes hold so many bytes. */
  end(keptBytes: number): void {
    this.unpark();
    const { parked, limits } = this.context;
    if (this.known !== undefined)
      parked.keep(this.known.key, limits.outcomeTtlMs, this.call.bytes + keptBytes);
  }

  /** Nothing can be had of the call any more. */
  forget(): void {
    if (this.known !== undefined) this.context.parked.forget(this.known.key);
  }
}
