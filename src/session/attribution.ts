// Whose question is it? A pure decision over the calls that a legacy session carries. docs/attribution.md argues why
// it is safe; A1–A3 there are what is assumed of servers.

/** A call that may be asking: written upstream, its answer not yet read. */
export interface Candidate {
  readonly id: number;
  /** Calls of one domain are known to be of the same party. */
  readonly domain: string;
  /** Its client was answered with questions and has not come back. */
  readonly isParked: boolean;
  /** Cancelled or timed out: nobody may be shown what it asks. */
  readonly isQuarantined: boolean;
  readonly isKnownAsker: boolean;
  /** Whether its client can be asked this. */
  readonly canBeAsked: () => boolean;
}

/** Calls of which one may be asking. */
export interface Suspects {
  readonly size: number;
  /** All are of the same party; so are none. */
  readonly isOneDomain: boolean;
  readonly has: (id: number) => boolean;
  readonly ids: () => readonly number[];
  /** The one that is likeliest to have asked. */
  readonly likeliest: () => number | undefined;
}

export type Attribution =
  /** `isCertain`: no other can have asked. Otherwise any of its party may carry the question. */
  | {
      readonly kind: 'to';
      readonly id: number;
      readonly isCertain: boolean;
      /** The question came on the call's own stream. */
      readonly isExact?: boolean;
    }
  | { readonly kind: 'hold'; readonly suspects: readonly number[] }
  | { readonly kind: 'refuse'; readonly reason: 'no call' | 'ambiguous' };

/**
 * The first rung of the ladder that applies. `active` are those of `all` that do not wait: who waits is parked over a
 * question that is its own for certain, still open, and past the time in which others could come with it, and asks
 * nothing before the answer (A3). `exact` is the call on whose own stream the question came.
 */
export function attribute(all: Suspects, active: Suspects, exact: number | undefined): Attribution {
  if (exact !== undefined)
    return all.has(exact)
      ? { kind: 'to', id: exact, isCertain: true, isExact: true }
      : { kind: 'refuse', reason: 'no call' };
  if (all.isOneDomain) return toOneOf(all);
  if (active.size === 0) return { kind: 'refuse', reason: 'ambiguous' };
  return active.isOneDomain ? toOneOf(active) : { kind: 'hold', suspects: active.ids() };
}

/**
 * The same for a held question, when one of its suspects has ended: the asker is among the others, as it cannot end
 * before it has its answer (A2). `left` are those of the suspects that are still candidates.
 */
export function attributeHeld(left: Suspects, suspects: readonly number[]): Attribution {
  if (left.size === 0) return { kind: 'refuse', reason: 'no call' };
  // A suspect that is no candidate any more without having ended may still be the one.
  const isComplete = left.size === suspects.length;
  return isComplete && left.isOneDomain ? toOneOf(left) : { kind: 'hold', suspects };
}

/** Among calls of one party any may carry the question; the one that is likeliest to have asked does. */
export function toOneOf(suspects: Suspects): Attribution {
  const id = suspects.likeliest();
  if (id === undefined) return { kind: 'refuse', reason: 'no call' };
  return { kind: 'to', id, isCertain: suspects.size === 1 };
}

/** These and no others. */
export function suspectsOf(candidates: readonly Candidate[]): Suspects {
  return {
    size: candidates.length,
    isOneDomain: candidates.every(({ domain }) => domain === candidates[0]?.domain),
    has: (id) => candidates.some((candidate) => candidate.id === id),
    ids: () => candidates.map(({ id }) => id),
    likeliest: () => likeliest(candidates)?.id,
  };
}

/** How likely it is that a call has asked, as far as that is known without asking what its client can do. */
function rank(candidate: Candidate): number {
  return (candidate.isQuarantined ? 0 : 8) + (candidate.isParked ? 0 : 4) + (candidate.isKnownAsker ? 1 : 0);
}

const canBeAskedRank = 2;

/** Of those that are alike the last. */
export function likeliest(candidates: readonly Candidate[]): Candidate | undefined {
  let best: Candidate | undefined;
  let bestRank = -1;
  for (let index = candidates.length - 1; index >= 0; index -= 1) {
    const candidate = candidates[index] as Candidate;
    const known = rank(candidate);
    if (known + canBeAskedRank <= bestRank) continue;
    const whole = candidate.canBeAsked() ? known + canBeAskedRank : known;
    if (whole <= bestRank) continue;
    best = candidate;
    bestRank = whole;
  }
  return best;
}
