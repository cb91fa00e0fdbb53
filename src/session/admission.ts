// Turns for those who ask: where the asker of a question cannot be told exactly, at most one party has a known asker
// running on a session. Calls that are not known to ask never wait for a turn, and one party alone never waits.
import type { Clock } from '../clock.ts';
import { Parties } from './parties.ts';

export interface Ticket {
  readonly domain: string;
  /** Whether the call is known to ask; may become true while it waits. */
  readonly isAsker: () => boolean;
  /** It brings answers to a call that is parked. */
  readonly isContinuation: boolean;
  /** Its turn has come: the call is to be written (or continued) now. */
  readonly start: () => void;
  /** It waited too long. */
  readonly giveUp: () => void;
}

export interface AdmissionView {
  /** Whether no call that may ask is of another party. */
  readonly isOnlyParty: (domain: string) => boolean;
  /** The parties of the known askers that do not wait for an answer. */
  readonly activeAskers: () => readonly string[];
  /** A question is held: no new call may make it harder to tell who asks. */
  readonly isHolding: () => boolean;
}

export interface AdmissionOptions {
  readonly queueTimeoutMs: number;
  readonly clock: Clock;
}

export class Admission {
  private readonly view: AdmissionView;
  private readonly options: AdmissionOptions;
  private readonly queuedParties = new Parties();
  private readonly queue: { readonly ticket: Ticket; readonly stopTimer: () => void }[] = [];

  constructor(view: AdmissionView, options: AdmissionOptions) {
    this.view = view;
    this.options = options;
  }

  /** Starts the call now or in its turn. The returned function takes it out of the queue. */
  enter(ticket: Ticket): () => void {
    if (this.queue.length === 0 && this.mayStart(ticket, false, this.view.activeAskers)) {
      ticket.start();
      return () => undefined;
    }
    const stopTimer = this.options.clock.after(this.options.queueTimeoutMs, () => {
      if (this.remove(ticket)) ticket.giveUp();
    });
    this.queue.push({ ticket, stopTimer });
    this.queuedParties.add(ticket.domain);
    this.pump();
    return () => {
      this.remove(ticket);
      this.pump();
    };
  }

  /** Nobody waits, and no question is held. */
  get isIdle(): boolean {
    return this.queue.length === 0 && !this.view.isHolding();
  }

  /** How many calls of this kind wait. */
  get waitingCount(): number {
    return this.queue.length;
  }

  /** Whether a call could start at once, and, if it is known to ask, would have no call of another party beside it. */
  isFreeFor(domain: string, isAsker: boolean): boolean {
    return isAsker ? this.isOnlyParty(domain) : !this.view.isHolding();
  }

  /** To be called whenever a candidate has started, parked, gone on or ended, and when a hold is over. */
  pump(): void {
    for (;;) {
      const next = this.firstThatMayStart();
      if (next === undefined) return;
      this.remove(next);
      next.start();
    }
  }

  /** The session is over: everyone in the queue is told by the caller. */
  clear(): void {
    for (const { stopTimer } of this.queue.splice(0)) stopTimer();
    this.queuedParties.clear();
  }

  private firstThatMayStart(): Ticket | undefined {
    let hasAskerBefore = false;
    let askers: readonly string[] | undefined;
    const activeAskers = (): readonly string[] => (askers ??= this.view.activeAskers());
    for (const { ticket } of this.queue) {
      if (this.mayStart(ticket, hasAskerBefore, activeAskers)) return ticket;
      hasAskerBefore ||= ticket.isAsker();
    }
    return undefined;
  }

  private isOnlyParty(domain: string): boolean {
    return this.view.isOnlyParty(domain) && this.queuedParties.isOnly(domain);
  }

  private mayStart(ticket: Ticket, hasAskerBefore: boolean, activeAskers: () => readonly string[]): boolean {
    const isHolding = this.view.isHolding();
    if (!isHolding && !ticket.isAsker()) return true;
    if (this.isOnlyParty(ticket.domain)) return true;
    if (isHolding) return false;
    const running = activeAskers();
    if (running.some((domain) => domain !== ticket.domain)) return false;
    // Whoever is first in the queue waits for this party's running calls, and they may wait for these very answers.
    return !hasAskerBefore || (ticket.isContinuation && running.length > 0);
  }

  private remove(ticket: Ticket): boolean {
    const index = this.queue.findIndex((each) => each.ticket === ticket);
    if (index === -1) return false;
    this.queue.splice(index, 1)[0]?.stopTimer();
    this.queuedParties.delete(ticket.domain);
    return true;
  }
}
