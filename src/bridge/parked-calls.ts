// The calls that a request state can lead to: those with questions at their clients, and, for a while, those that
// have ended, so that a retry presented again gets the same outcome.
import type { Clock } from '../clock.ts';
import type { BridgeError } from '../errors.ts';
import type { AskingCall } from './asking-call.ts';

export class ParkedCalls {
  private readonly clock: Clock;
  private readonly calls = new Map<string, AskingCall>();
  private readonly waitingForInput = new Set<AskingCall>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** How many calls have questions at their clients. */
  get count(): number {
    return this.waitingForInput.size;
  }

  find(key: string): AskingCall | undefined {
    return this.calls.get(key);
  }

  park(key: string, call: AskingCall): void {
    this.calls.set(key, call);
    this.waitingForInput.add(call);
  }

  /** The call goes on, or has ended; it can still be found. */
  unpark(call: AskingCall): void {
    this.waitingForInput.delete(call);
  }

  /** The call cannot be found any more after `ms`. */
  forgetAfter(key: string, ms: number): void {
    this.clock.after(ms, () => this.calls.delete(key));
  }

  forget(key: string): void {
    this.calls.delete(key);
  }

  /** Ends every parked call: its questions are answered as cancelled. */
  endAll(error: BridgeError): void {
    for (const call of [...this.waitingForInput]) call.end(error);
  }
}
