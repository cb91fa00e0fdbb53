// How much work the bridge has taken on for its clients, all together and for each principal, and the refusal of what
// would be too much.
import { tooManyBytes, tooManyCalls, tooManyListens } from '../protocol/refusals.ts';

export interface LoadLimits {
  /** How many requests may be in flight at once. Parked calls are none. */
  readonly maxCalls: number;
  readonly maxCallsPerPrincipal: number;
  /** How many listen streams may be open at once. */
  readonly maxListens: number;
  readonly maxListensPerPrincipal: number;
  /** How many bytes the requests in flight may have together. One alone may always have more. */
  readonly maxHeldBytes: number;
}

export type Work = 'calls' | 'listens';

class Count {
  private readonly byPrincipal = new Map<string, number>();
  total = 0;

  of(principal: string): number {
    return this.byPrincipal.get(principal) ?? 0;
  }

  add(principal: string, change: 1 | -1): void {
    this.total += change;
    // Principals are few, and come again: an entry that is taken out each time would cost more than it holds.
    this.byPrincipal.set(principal, this.of(principal) + change);
  }
}

export class Load {
  private readonly limits: LoadLimits;
  private readonly calls = new Count();
  private readonly listens = new Count();
  private heldBytes = 0;

  constructor(limits: LoadLimits) {
    this.limits = limits;
  }

  /** How many requests are in flight, listen streams not counted. */
  get callCount(): number {
    return this.calls.total;
  }

  get listenCount(): number {
    return this.listens.total;
  }

  /**
   * Takes a request on. `leave` must follow, once. Throws what it is to be refused with. `running`: how many calls the
   * server has, as cancelled ones run on there until they end.
   */
  enter(work: Work, principal: string, bytes: number, running: number): void {
    const { limits, calls, listens } = this;
    if (work === 'calls') {
      if (Math.max(calls.total, running) >= limits.maxCalls) throw tooManyCalls('of all callers');
      if (calls.of(principal) >= limits.maxCallsPerPrincipal) throw tooManyCalls('of one caller');
    } else {
      if (listens.total >= limits.maxListens) throw tooManyListens('of all callers');
      if (listens.of(principal) >= limits.maxListensPerPrincipal) throw tooManyListens('of one caller');
    }
    if (this.heldBytes > 0 && this.heldBytes + bytes > limits.maxHeldBytes) throw tooManyBytes();
    this.change(work, principal, bytes, 1);
  }

  leave(work: Work, principal: string, bytes: number): void {
    this.change(work, principal, bytes, -1);
  }

  private change(work: Work, principal: string, bytes: number, change: 1 | -1): void {
    (work === 'calls' ? this.calls : this.listens).add(principal, change);
    this.heldBytes += bytes * change;
  }
}
