// Who may have asked a question, of the calls that a session carries.
import type { Asking, AskingTable } from './asking.ts';
import { likeliest, suspectsOf, type Candidate, type Suspects } from './attribution.ts';
import type { Question } from './open-questions.ts';

export class SuspectsFinder {
  private readonly calls: AskingTable;
  private readonly askers: ReadonlySet<string>;

  /** `askers`: the names of what was seen asking. */
  constructor(calls: AskingTable, askers: ReadonlySet<string>) {
    this.calls = calls;
    this.askers = askers;
  }

  all(question: Question): Suspects {
    const { calls } = this;
    return {
      size: calls.size,
      isOneDomain: calls.isOneParty,
      has: (id) => calls.get(id) !== undefined,
      ids: () => calls.all().map(({ id }) => id),
      likeliest: () => this.likeliestRunning(question) ?? this.likeliestOf(calls.all(), question)?.id,
    };
  }

  /** Those that do not wait. */
  active(question: Question): Suspects {
    const { calls } = this;
    return {
      size: calls.activeSize,
      isOneDomain: calls.isOneActiveParty,
      has: (id) => calls.get(id)?.isWaiting === false,
      ids: () => calls.allActive().map(({ id }) => id),
      likeliest: () => this.likeliestRunning(question) ?? this.likeliestOf(calls.allActive(), question)?.id,
    };
  }

  among(calls: readonly Asking[], question: Question): Suspects {
    return suspectsOf(this.candidatesOf(calls, question));
  }

  /** The parties of the known askers that do not wait. */
  activeAskers(): readonly string[] {
    return this.calls
      .allActive()
      .flatMap(({ askerName, domain }) => (this.askers.has(askerName) ? [domain] : []));
  }

  /** Whoever runs is likelier than whoever is parked, unless nobody may be shown what it asks. */
  private likeliestRunning(question: Question): number | undefined {
    const best = this.likeliestOf(this.calls.allRunning(), question);
    return best?.isQuarantined === false ? best.id : undefined;
  }

  private likeliestOf(calls: readonly Asking[], question: Question): Candidate | undefined {
    return likeliest(this.candidatesOf(calls, question));
  }

  private candidatesOf(calls: readonly Asking[], question: Question): readonly Candidate[] {
    return calls.map(({ id, domain, askerName, isParked, isQuarantined, carrier }) => ({
      id,
      domain,
      isParked,
      isQuarantined,
      isKnownAsker: this.askers.has(askerName),
      canBeAsked: () => carrier.canBeAsked(question),
    }));
  }
}
