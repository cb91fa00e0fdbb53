// Sees to it that a task lives for whose result a call waits: a server that says nothing of it need not be gone.
import type { Clock } from '../clock.ts';
import type { AskingCall, TaskCall } from '../session/requests.ts';
import type { Session } from '../session/session.ts';
import { taskOf, taskRequest, type LegacyTask } from '../translate/task-up.ts';
import { ask } from './own-request.ts';

/** The request for what comes of a task. */
export function taskCall({ taskId }: LegacyTask, original: number, call: AskingCall): TaskCall {
  return { ...call, taskId, original };
}

export function taskBuild({ taskId }: LegacyTask): AskingCall['build'] {
  return (id) => taskRequest(id, 'tasks/result', taskId);
}

const defaultIntervalMs = 5000;
const shortestIntervalMs = 1000;
const longestIntervalMs = 30_000;
const patienceMs = 10_000;

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

  /** Nobody wants the task any more. spec 2025-11-25 basic/utilities/tasks#cancelling-tasks */
  cancel(): void {
    this.stop();
    if (this.session.profile.tasks.cancel) void this.request('tasks/cancel');
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
    const frame = await this.request('tasks/get');
    if (this.isStopped) return;
    if (typeof frame !== 'string' && taskOf(frame) !== undefined) this.onAlive();
    this.later();
  }

  private request(method: string): ReturnType<typeof ask> {
    const { clock, session, task } = this;
    return ask(session, (id) => taskRequest(id, method, task.taskId), { clock, patienceMs });
  }
}
