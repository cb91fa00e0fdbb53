// Whose question is it? A pure decision over the calls that a legacy session carries. docs/attribution.md argues why
// it is safe; A1–A3 there are what is assumed of servers.

/** A call that may be asking: written upstream, its answer not yet read. */
export interface Candidate {
  readonly id: number;
  /** Calls of one domain are known to be of the same party. */
  readonly domain: string;
  /** `parked`: its questions are with its client, so it waits before it asks again (A3). */
  readonly state: 'running' | 'parked';
  /** Cancelled or timed out: nobody may be shown what it asks. */
  readonly isQuarantined: boolean;
  readonly isKnownAsker: boolean;
  /** Whether its client can be asked this. */
  readonly canBeAsked: boolean;
}

export type Attribution =
  | { readonly kind: 'to'; readonly id: number }
  | { readonly kind: 'hold'; readonly suspects: readonly number[] }
  | { readonly kind: 'refuse'; readonly reason: 'no call' | 'ambiguous' };

/** The first rung of the ladder that applies. `exact` is the call on whose own stream the question came. */
export function attribute(candidates: readonly Candidate[], exact: number | undefined): Attribution {
  if (exact !== undefined) {
    const isCandidate = candidates.some((candidate) => candidate.id === exact);
    return isCandidate ? { kind: 'to', id: exact } : { kind: 'refuse', reason: 'no call' };
  }
  const [first] = candidates;
  if (first === undefined) return { kind: 'refuse', reason: 'no call' };
  if (isOneDomain(candidates)) return { kind: 'to', id: likeliest(candidates).id };
  const running = candidates.filter((candidate) => candidate.state === 'running');
  if (running.length === 0) return { kind: 'refuse', reason: 'ambiguous' };
  if (isOneDomain(running)) return { kind: 'to', id: likeliest(running).id };
  return { kind: 'hold', suspects: running.map((candidate) => candidate.id) };
}

/**
 * The same for a held question, when one of its suspects has ended. `left` are the suspects that have not: the asker
 * is among them, as it cannot end before it has its answer (A2).
 */
export function attributeHeld(left: readonly Candidate[], suspects: readonly number[]): Attribution {
  if (left.length === 0) return { kind: 'refuse', reason: 'no call' };
  if (left.length === suspects.length && isOneDomain(left)) return { kind: 'to', id: likeliest(left).id };
  return { kind: 'hold', suspects };
}

export function isOneDomain(calls: readonly { readonly domain: string }[]): boolean {
  return calls.every((call) => call.domain === calls[0]?.domain);
}

/** Among calls of one party any may carry the question; the one that is likeliest to have asked does. */
function likeliest(candidates: readonly Candidate[]): Candidate {
  return candidates.reduce((best, candidate) => (rank(candidate) >= rank(best) ? candidate : best));
}

function rank(candidate: Candidate): number {
  return (
    (candidate.isQuarantined ? 0 : 8) +
    (candidate.canBeAsked ? 4 : 0) +
    (candidate.state === 'running' ? 2 : 0) +
    (candidate.isKnownAsker ? 1 : 0)
  );
}
