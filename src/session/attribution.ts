// Whose question is it? A pure decision over the calls that a legacy session carries. docs/attribution.md argues why
// it is safe; A1–A3 there are what is assumed of servers.

/** A call that may be asking: written upstream, its answer not yet read. */
export interface Candidate {
  readonly id: number;
  /** Calls of one domain are known to be of the same party. */
  readonly domain: string;
  /** Its client was answered with questions and has not come back. */
  readonly isParked: boolean;
  /**
   * Parked over a question that is its own for certain, still open, and past the time in which others could come with
   * it: it asks nothing before the answer (A3).
   */
  readonly isWaiting: boolean;
  /** Cancelled or timed out: nobody may be shown what it asks. */
  readonly isQuarantined: boolean;
  readonly isKnownAsker: boolean;
  /** Whether its client can be asked this. */
  readonly canBeAsked: boolean;
}

export type Attribution =
  /** `considered` are those that may have asked: all of one party, so any of them may carry the question. */
  | {
      readonly kind: 'to';
      readonly id: number;
      readonly considered: readonly number[];
      /** The question came on the call's own stream. */
      readonly isExact?: boolean;
    }
  | { readonly kind: 'hold'; readonly suspects: readonly number[] }
  | { readonly kind: 'refuse'; readonly reason: 'no call' | 'ambiguous' };

/** The first rung of the ladder that applies. `exact` is the call on whose own stream the question came. */
export function attribute(candidates: readonly Candidate[], exact: number | undefined): Attribution {
  if (exact !== undefined)
    return candidates.some(({ id }) => id === exact)
      ? { kind: 'to', id: exact, considered: [exact], isExact: true }
      : { kind: 'refuse', reason: 'no call' };
  if (isOneDomain(candidates)) return toOneOf(candidates);
  const running = candidates.filter((candidate) => !candidate.isWaiting);
  if (running.length === 0) return { kind: 'refuse', reason: 'ambiguous' };
  if (isOneDomain(running)) return toOneOf(running);
  return { kind: 'hold', suspects: idsOf(running) };
}

/**
 * The same for a held question, when one of its suspects has ended: the asker is among the others, as it cannot end
 * before it has its answer (A2). `left` are those of the suspects that are still candidates.
 */
export function attributeHeld(left: readonly Candidate[], suspects: readonly number[]): Attribution {
  if (left.length === 0) return { kind: 'refuse', reason: 'no call' };
  // A suspect that is no candidate any more without having ended may still be the one.
  const isComplete = left.length === suspects.length;
  return isComplete && isOneDomain(left) ? toOneOf(left) : { kind: 'hold', suspects };
}

export function isOneDomain(calls: readonly { readonly domain: string }[]): boolean {
  return calls.every((call) => call.domain === calls[0]?.domain);
}

function idsOf(candidates: readonly Candidate[]): readonly number[] {
  return candidates.map((candidate) => candidate.id);
}

/** Among calls of one party any may carry the question; the one that is likeliest to have asked does. */
export function toOneOf(candidates: readonly Candidate[]): Attribution {
  const [first, ...others] = candidates;
  if (first === undefined) return { kind: 'refuse', reason: 'no call' };
  const likeliest = others.reduce(
    (best, candidate) => (rank(candidate) >= rank(best) ? candidate : best),
    first,
  );
  return { kind: 'to', id: likeliest.id, considered: idsOf(candidates) };
}

function rank(candidate: Candidate): number {
  return (
    (candidate.isQuarantined ? 0 : 8) +
    (candidate.isParked ? 0 : 4) +
    (candidate.canBeAsked ? 2 : 0) +
    (candidate.isKnownAsker ? 1 : 0)
  );
}
