// What happened in a run, in its order, and whether the invariants of ARCHITECTURE.md held in it.

export type TraceEvent =
  /** A client sends a call, the first time or again with answers (`round` > 0). */
  | { readonly kind: 'sent'; readonly token: string; readonly round: number }
  /** It was answered: finally, with a question, or with an error. */
  | { readonly kind: 'result'; readonly token: string; readonly round: number; readonly text: string }
  | {
      readonly kind: 'question';
      readonly token: string;
      readonly round: number;
      readonly about: readonly string[];
    }
  | { readonly kind: 'error'; readonly token: string; readonly round: number; readonly reason: string }
  /** Its client gave it up. */
  | { readonly kind: 'cancelled'; readonly token: string; readonly round: number };

/** Reasons that the bridge may have not to answer a good request of a client that did nothing wrong. */
const goodReasons = [
  'upstream_exited',
  'upstream_unavailable',
  'request_timeout',
  'call_lost',
  'queue_timeout',
  'input_expired',
  'missing_capability',
];

/** Whatever was breached, in words; at most 20. `runs`: the tokens of the calls that the server ran, one for each run. */
export function breachesOf(trace: readonly TraceEvent[], runs: Iterable<string>): string[] {
  const counts = new Map<string, number>();
  for (const token of runs) counts.set(token, (counts.get(token) ?? 0) + 1);
  return [
    ...breachesOfLegs(trace),
    ...breachesOfRuns(trace, counts),
    ...trace.flatMap((event) => wrongIn(event, legOf(event))),
  ].slice(0, 20);
}

const legOf = ({ token, round }: TraceEvent): string => `${token} round ${String(round)}`;

/** Each leg of a call is sent once, and ends once. */
function breachesOfLegs(trace: readonly TraceEvent[]): string[] {
  const breaches: string[] = [];
  const legs = new Map<string, string[]>();
  for (const event of trace) {
    const leg = legOf(event);
    const ends = legs.get(leg);
    if (event.kind === 'sent' && ends !== undefined) breaches.push(`${leg}: sent twice`);
    else if (event.kind === 'sent') legs.set(leg, []);
    else if (ends === undefined) breaches.push(`${leg}: answered without having been sent`);
    else ends.push(event.kind);
  }
  for (const [leg, ends] of legs)
    if (ends.length !== 1) breaches.push(`${leg}: ended ${String(ends.length)} times (${ends.join()})`);
  return breaches;
}

/** What was sent is run at most once, and what has a result was run. */
function breachesOfRuns(trace: readonly TraceEvent[], counts: ReadonlyMap<string, number>): string[] {
  const breaches: string[] = [];
  const sent = new Set(trace.map(({ token }) => token));
  for (const [token, count] of counts) {
    if (count > 1) breaches.push(`${token}: run ${String(count)} times`);
    if (!sent.has(token)) breaches.push(`${token}: run, and nobody sent it`);
  }
  for (const { kind, token } of trace)
    if (kind === 'result' && !counts.has(token)) breaches.push(`${token}: answered, and never run`);
  return breaches;
}

function wrongIn(event: TraceEvent, leg: string): string[] {
  if (event.kind === 'result' && event.text.split(/[ .]/, 1)[0] !== event.token)
    return [`${leg}: the answer of another: ${event.text.slice(0, 80)}`];
  if (event.kind === 'question' && event.about.some((token) => token !== event.token))
    return [`${leg}: the question of another: ${event.about.join()}`];
  if (event.kind === 'error' && !goodReasons.includes(event.reason)) return [`${leg}: ${event.reason}`];
  return [];
}
