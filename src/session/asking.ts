// The calls of a session that may ask, kept so that a question of one takes no longer the more of them are parked.
import { IdTable } from '../jsonrpc/id-table.ts';
import type { Carrier } from './asking-calls.ts';
import { Parties } from './parties.ts';

export interface Asking {
  readonly id: number;
  readonly domain: string;
  readonly askerName: string;
  /** The task that it is for, where its messages name one. */
  readonly taskId: string | undefined;
  carrier: Carrier;
  isParked: boolean;
  /** How many parking windows are open in which more questions may come together with its latest. */
  openWindows: number;
  /** How many open questions are its own for certain. */
  certainCount: number;
  /**
   * Parked over a question that is its own for certain, and past the time in which more could come with it: it asks
   * nothing before the answer (A3).
   */
  isWaiting: boolean;
  isQuarantined: boolean;
  stopQuarantine: (() => void) | undefined;
}

/** A call that was just written upstream. */
export function newAsking(
  id: number,
  call: Pick<Asking, 'domain' | 'askerName'> & Carrier,
  taskId: string | undefined,
): Asking {
  const { domain, askerName } = call;
  return {
    id,
    domain,
    askerName,
    taskId,
    carrier: call,
    isParked: false,
    openWindows: 0,
    certainCount: 0,
    isWaiting: false,
    isQuarantined: false,
    stopQuarantine: undefined,
  };
}

export class AskingTable {
  private readonly running = new IdTable<Asking>();
  private readonly parked = new IdTable<Asking>();
  private waitingCount = 0;
  /** Of all, and of those that do not wait. Counted once somebody asks, as most servers ask nothing, until all are gone. */
  private counted: { readonly all: Parties; readonly active: Parties } | undefined;

  get size(): number {
    return this.running.size + this.parked.size;
  }

  /** How many do not wait. */
  get activeSize(): number {
    return this.size - this.waitingCount;
  }

  get isOneParty(): boolean {
    return this.parties.all.isOne;
  }

  get isOneActiveParty(): boolean {
    return this.parties.active.isOne;
  }

  isOnlyParty(domain: string): boolean {
    return this.parties.all.isOnly(domain);
  }

  get(id: number): Asking | undefined {
    return this.running.get(id) ?? this.parked.get(id);
  }

  /** Those that are not parked; the older come first. */
  allRunning(): readonly Asking[] {
    return this.running.all();
  }

  /** Those that do not wait. */
  allActive(): readonly Asking[] {
    return this.waitingCount === this.parked.size
      ? this.running.all()
      : this.all().filter((call) => !call.isWaiting);
  }

  /** All; the older come first. */
  all(): readonly Asking[] {
    if (this.parked.size === 0) return this.running.all();
    return [...this.parked.all(), ...this.running.all()].sort((a, b) => a.id - b.id);
  }

  add(call: Asking): void {
    this.running.set(call.id, call);
    this.counted?.all.add(call.domain);
    this.counted?.active.add(call.domain);
  }

  delete(call: Asking): void {
    this.running.delete(call.id);
    this.parked.delete(call.id);
    if (call.isWaiting) this.waitingCount -= 1;
    if (this.size === 0) this.counted = undefined;
    this.counted?.all.delete(call.domain);
    if (!call.isWaiting) this.counted?.active.delete(call.domain);
  }

  /** Something has happened to the call that may have it park, wait or go on. */
  update(call: Asking): void {
    // It may have ended while it waited for its turn.
    if (this.get(call.id) !== call) return;
    if (call.isParked !== this.parked.has(call.id)) {
      (call.isParked ? this.running : this.parked).delete(call.id);
      (call.isParked ? this.parked : this.running).set(call.id, call);
    }
    const isWaiting = call.isParked && call.openWindows === 0 && call.certainCount > 0;
    if (isWaiting === call.isWaiting) return;
    call.isWaiting = isWaiting;
    this.waitingCount += isWaiting ? 1 : -1;
    if (isWaiting) this.counted?.active.delete(call.domain);
    else this.counted?.active.add(call.domain);
  }

  clear(): void {
    this.running.clear();
    this.parked.clear();
    this.waitingCount = 0;
    this.counted = undefined;
  }

  private get parties(): { readonly all: Parties; readonly active: Parties } {
    this.counted ??= { all: partiesOf(this.all()), active: partiesOf(this.allActive()) };
    return this.counted;
  }
}

function partiesOf(calls: readonly Asking[]): Parties {
  const parties = new Parties();
  for (const { domain } of calls) parties.add(domain);
  return parties;
}
