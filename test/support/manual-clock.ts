// A clock that stands still until a test moves it.
import type { Clock } from '../../src/clock.ts';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

export class ManualClock implements Clock {
  private time = 1_000_000;
  private readonly timers = new Set<Timer>();
  private watchers: (() => void)[] = [];

  now(): number {
    return this.time;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.time + ms, run };
    this.timers.add(timer);
    for (const resolve of this.watchers.splice(0)) resolve();
    return () => {
      this.timers.delete(timer);
    };
  }

  afterInput(ms: number, run: () => void): () => void {
    return this.after(ms, run);
  }

  /** Resolves when something waits for just that long from now. */
  async timerOf(ms: number): Promise<void> {
    while (![...this.timers].some(({ at }) => at === this.time + ms))
      await new Promise<void>((resolve) => this.watchers.push(resolve));
  }

  get timerCount(): number {
    return this.timers.size;
  }

  /** Moves on, running what falls due in its order. */
  advance(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const due = [...this.timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.timers.delete(due);
      this.time = Math.max(this.time, due.at);
      due.run();
    }
    this.time = end;
  }
}
