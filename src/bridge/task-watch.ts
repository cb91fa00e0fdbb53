// Sees to it that a task lives for whose result a call waits: a server that says nothing of it need not be gone.
import type { Clock } from '../clock.ts';
import type { Session } from '../session/session.ts';
import type { LegacyTask } from '../translate/task-up.ts';
import { askStatus, cancelTask } from './task-requests.ts';

const defaultIntervalMs = 5000;
const shortestIntervalMs = 1000;
const longestIntervalMs = 30_000;

export class TaskWatch {
  private readonly clock: Clock;
  private readonly session: Session;
  private readonly task: LegacyTask;
  private readonly onAlive: () => void;
  private isStopped = false;
  private stopTimer: () => void = () => undefined;

  constructor(clock: Clock, session: Session, task: LegacyTask, onAlive: () => void) {
    this.clock = clock;
    this.session = session;
    this.task = task;
    this.onAlive = onAlive;
    this.later();
  }

  stop(): void {
    this.isStopped = true;
    this.stopTimer();
  }

  /** Nobody wants the task any more. */
  cancel(): void {
    this.stop();
    cancelTask(this.session, this.task, this.clock);
  }

  private later(): void {
    if (this.isStopped) return;
    const wanted = this.task.pollIntervalMs ?? defaultIntervalMs;
    const intervalMs = Math.min(Math.max(wanted, shortestIntervalMs), longestIntervalMs);
    this.stopTimer = this.clock.after(intervalMs, () => {
      void this.look();
    });
  }

  private async look(): Promise<void> {
    const status = await askStatus(this.session, this.task, this.clock);
    if (this.isStopped) return;
    if (status !== undefined) this.onAlive();
    this.later();
  }
}
