// How long a call may take: a time without a sign of life, which progress extends, and a time in all. Neither runs
// while a human is asked.
import type { Clock } from '../clock.ts';

export interface CallTimes {
  /** Without progress. */
  readonly requestTimeoutMs: number;
  /** In all, questions to the client not counted. */
  readonly maxRequestMs: number;
}

export class CallClock {
  private readonly clock: Clock;
  private readonly times: CallTimes;
  private readonly onTimeout: () => void;
  private stopTimer: (() => void) | undefined;
  private resumedAt = 0;
  private aliveAt = 0;
  private usedMs = 0;

  constructor(clock: Clock, times: CallTimes, onTimeout: () => void) {
    this.clock = clock;
    this.times = times;
    this.onTimeout = onTimeout;
  }

  /** Starts the clock, or lets it go on after a pause. */
  run(): void {
    if (this.stopTimer !== undefined) return;
    this.resumedAt = this.clock.now();
    this.aliveAt = this.resumedAt;
    this.arm();
  }

  /** A sign of life. */
  touch(): void {
    this.aliveAt = this.clock.now();
  }

  pause(): void {
    if (this.stopTimer === undefined) return;
    this.stopTimer();
    this.stopTimer = undefined;
    this.usedMs += this.clock.now() - this.resumedAt;
  }

  private arm(): void {
    const end = Math.min(
      this.aliveAt + this.times.requestTimeoutMs,
      this.resumedAt + this.times.maxRequestMs - this.usedMs,
    );
    this.stopTimer = this.clock.after(Math.max(0, end - this.clock.now()), () => {
      this.expire();
    });
  }

  /** Signs of life only move a mark, so the timer may ring early; then it is set anew. */
  private expire(): void {
    const now = this.clock.now();
    const isSilent = now - this.aliveAt >= this.times.requestTimeoutMs;
    const isUsedUp = now - this.resumedAt + this.usedMs >= this.times.maxRequestMs;
    if (!isSilent && !isUsedUp) {
      this.arm();
      return;
    }
    this.pause();
    this.onTimeout();
  }
}
