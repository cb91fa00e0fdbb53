// The calls that a request state can lead to: those with questions at their clients, and, for a while, those that
// have ended, so that a retry presented again gets the same outcome.
import type { Clock } from '../clock.ts';
import type { BridgeError } from '../errors.ts';
import type { AskingCall } from './asking-call.ts';

/** Outcomes are kept for the few clients that have missed theirs: little is lost with the oldest. */
const maxEnded = 10_000;
const maxEndedBytes = 32 * 1024 * 1024;

export interface ParkedLimits {
  readonly maxParked: number;
  readonly maxParkedPerPrincipal: number;
  /** How many bytes their requests may have together. One alone may always have more. */
  readonly maxHeldBytes: number;
}

export class ParkedCalls {
  private readonly clock: Clock;
  private readonly calls = new Map<string, AskingCall>();
  /** In the order in which they ended. */
  private readonly ended = new Map<string, { readonly bytes: number; readonly stopTimer: () => void }>();
  private endedBytes = 0;
  private waitingBytes = 0;
  private readonly countByPrincipal = new Map<string, number>();
  private readonly waitingForInput = new Set<AskingCall>();
  private readonly limits: ParkedLimits;

  constructor(clock: Clock, limits: ParkedLimits) {
    this.clock = clock;
    this.limits = limits;
  }

  /** How many calls have questions at their clients. */
  get count(): number {
    return this.waitingForInput.size;
  }

  /** Whether that one more would be too much. */
  isTooMuch({ principal, bytes }: AskingCall): boolean {
    const { maxParked, maxParkedPerPrincipal, maxHeldBytes } = this.limits;
    const isTooLarge = this.waitingBytes > 0 && this.waitingBytes + bytes > maxHeldBytes;
    if (this.count >= maxParked || isTooLarge) return true;
    // With one limit for all, nobody's own can be the first to be reached.
    if (maxParkedPerPrincipal >= maxParked) return false;
    return (this.countByPrincipal.get(principal) ?? 0) >= maxParkedPerPrincipal;
  }

  find(key: string): AskingCall | undefined {
    return this.calls.get(key);
  }

  park(key: string, call: AskingCall): void {
    this.calls.set(key, call);
    if (this.waitingForInput.has(call)) return;
    this.waitingForInput.add(call);
    this.note(call, 1);
  }

  /** The call goes on, or has ended; it can still be found. */
  unpark(call: AskingCall): void {
    if (this.waitingForInput.delete(call)) this.note(call, -1);
  }

  private note({ principal, bytes }: AskingCall, change: 1 | -1): void {
    this.waitingBytes += bytes * change;
    // Principals are few, and come again.
    this.countByPrincipal.set(principal, (this.countByPrincipal.get(principal) ?? 0) + change);
  }

  /** The call has ended, and holds so many bytes. It can be found for `ms` more, or until others need the room. */
  keep(key: string, ms: number, bytes: number): void {
    const stopTimer = this.clock.after(ms, () => {
      this.forget(key);
    });
    this.ended.set(key, { bytes, stopTimer });
    this.endedBytes += bytes;
    for (const oldest of this.ended.keys()) {
      const isTooMuch = this.endedBytes > maxEndedBytes || this.ended.size > maxEnded;
      if (!isTooMuch || oldest === key) return;
      this.forget(oldest);
    }
  }

  forget(key: string): void {
    this.calls.delete(key);
    const ended = this.ended.get(key);
    if (ended === undefined) return;
    ended.stopTimer();
    this.ended.delete(key);
    this.endedBytes -= ended.bytes;
  }

  /** Ends every parked call: its questions are answered as cancelled. */
  endAll(error: BridgeError): void {
    for (const call of [...this.waitingForInput]) call.end(error);
  }
}
