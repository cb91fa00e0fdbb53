// The legs of a call towards its client: the first request, then a retry for each round. Several requests may wait for
// one leg, when a client presents the same retry again; all get the same outcome, which is kept for a while.
import type { Clock } from '../clock.ts';
import { sizeOf } from '../jsonrpc/frame.ts';
import type { Outcome } from './outcome.ts';
import { refusedState } from '../protocol/refusals.ts';
import type { Waiter } from './waiter.ts';

interface Delivery {
  readonly round: number;
  /** Digest of the answers that this leg brought; another set of answers is another retry. */
  readonly answersDigest: string;
  waiters: readonly Waiter[];
  outcome: Outcome | undefined;
  settledAt: number;
}

const nothingKept: Outcome = { kind: 'result', body: [] };

export class Deliveries {
  private readonly clock: Clock;
  private readonly outcomeTtlMs: number;
  /** A call that shows no questions has one leg alone. */
  private legs: readonly Delivery[] = [];
  private current: Delivery;

  constructor(clock: Clock, outcomeTtlMs: number, first: Waiter) {
    this.clock = clock;
    this.outcomeTtlMs = outcomeTtlMs;
    this.current = this.begin(0, '', first);
  }

  /** Who waits for what happens next. */
  get waiters(): readonly Waiter[] {
    return this.current.waiters;
  }

  /** Who waits for the outcome of a round. */
  waitersOf(round: number): readonly Waiter[] {
    return this.legOf(round)?.waiters ?? [];
  }

  /** How many bytes the outcomes have that are kept. */
  get keptBytes(): number {
    let bytes = 0;
    for (const { outcome } of this.legs) if (outcome !== undefined) bytes += sizeOf(outcome.body);
    return bytes;
  }

  /** A new leg: the answers to a round have come. */
  begin(round: number, answersDigest: string, waiter: Waiter): Delivery {
    const delivery = { round, answersDigest, waiters: [waiter], outcome: undefined, settledAt: 0 };
    this.legs = [...this.legs.filter((leg) => leg.round !== round && !this.isOld(leg)), delivery];
    this.current = delivery;
    return delivery;
  }

  /** The leg changed nothing; its round may be answered anew. */
  undo(round: number): void {
    this.legs = this.legs.filter((leg) => leg.round !== round);
  }

  /**
   * A retry of a round that was answered before waits with the first, or gets the outcome that is kept. False when
   * the round has not been answered. Throws what the retry is to be refused with.
   */
  replay(round: number, answersDigest: string, waiter: Waiter): boolean {
    const known = this.legOf(round);
    if (known === undefined) return false;
    if (known.answersDigest !== answersDigest) throw refusedState('request_state_mismatch');
    if (this.isOld(known)) throw refusedState('request_state_expired');
    if (known.outcome === undefined) known.waiters = [...known.waiters, waiter];
    else waiter.answer(known.outcome);
    return true;
  }

  /** A client gives up. True when it was the last that waited for the round. */
  leave(round: number, waiter: Waiter): boolean {
    const delivery = this.legOf(round);
    if (delivery?.waiters.includes(waiter) !== true) return false;
    delivery.waiters = delivery.waiters.filter((each) => each !== waiter);
    waiter.releaseLevel();
    return delivery.waiters.length === 0;
  }

  /** Brings the outcome to all who wait, unless they have had one. */
  settle(outcome: Outcome): void {
    const { current } = this;
    if (current.outcome !== undefined) return;
    // What the first request was answered with is never asked for again.
    current.outcome = current.round === 0 ? nothingKept : outcome;
    current.settledAt = this.clock.now();
    const { waiters } = current;
    current.waiters = [];
    for (const waiter of waiters) waiter.answer(outcome);
  }

  private legOf(round: number): Delivery | undefined {
    return this.legs.find((leg) => leg.round === round);
  }

  private isOld(delivery: Delivery): boolean {
    return delivery.outcome !== undefined && this.clock.now() - delivery.settledAt > this.outcomeTtlMs;
  }
}
