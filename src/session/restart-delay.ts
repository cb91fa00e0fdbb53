// How long to wait before a server is started again: longer each time it fails, forgotten after a while of health.
import type { Clock } from '../clock.ts';

const firstMs = 250;
const longestMs = 30_000;
const healthyMs = 60_000;

export class RestartDelay {
  private readonly clock: Clock;
  private nextMs = firstMs;
  private startedAt: number | undefined;
  private notBefore = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Milliseconds until the next start is allowed; 0 when it is allowed now. */
  get remainingMs(): number {
    return Math.max(0, this.notBefore - this.clock.now());
  }

  started(): void {
    this.startedAt = this.clock.now();
  }

  /** The server has ended or could not be started. */
  ended(): void {
    const now = this.clock.now();
    if (this.startedAt !== undefined && now - this.startedAt >= healthyMs) this.nextMs = firstMs;
    this.notBefore = now + this.nextMs;
    this.nextMs = Math.min(this.nextMs * 2, longestMs);
  }
}
