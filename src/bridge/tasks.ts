// The tasks that modern clients follow, by the ids that the bridge gave them, and the methods about them.
// spec: SEP-2663, extension io.modelcontextprotocol/tasks
import type { Clock } from '../clock.ts';
import { isDeclared, tasksNeeds } from '../protocol/client-capabilities.ts';
import { capabilitiesOf, paramString, type ModernRequest } from '../protocol/modern-request.ts';
import { missingCapability, taskExpired, tooManyParked, unknownTask } from '../protocol/refusals.ts';
import type { LegacyTask } from '../translate/task-up.ts';
import { ClientTask, type TaskOrigin } from './client-task.ts';
import type { BridgeContext } from './context.ts';
import { outcomeOf, type Caller, type Outcome, type Responder } from './outcome.ts';

/** What a server that sets no limit has kept for its clients. */
const defaultTtlMs = 3_600_000;
/** Timers take no more. */
const longestTtlMs = 2_000_000_000;

export interface TaskLimits {
  /** How many tasks may be open, for all and for each principal. */
  readonly maxParked: number;
  readonly maxParkedPerPrincipal: number;
  readonly maxHeldBytes: number;
}

export class Tasks {
  private readonly clock: Clock;
  private readonly limits: TaskLimits;
  /** In the order in which they were made. */
  private readonly tasks = new Map<string, { readonly task: ClientTask; readonly stopTimer: () => void }>();

  constructor(clock: Clock, limits: TaskLimits) {
    this.clock = clock;
    this.limits = limits;
  }

  /** How many are not over. */
  get openCount(): number {
    return this.count(({ isOver }) => !isOver);
  }

  /** Takes on what a call has become. Returns what the call is answered with. */
  create(context: BridgeContext, legacy: LegacyTask, origin: TaskOrigin): Outcome {
    const task = new ClientTask(context, legacy, origin);
    if (!this.makeRoom(task)) {
      task.abandon(tooManyParked());
      return outcomeOf(tooManyParked());
    }
    const stopTimer = this.clock.after(Math.min(task.ttlMs ?? defaultTtlMs, longestTtlMs), () => {
      task.abandon(taskExpired());
      this.tasks.delete(task.id);
    });
    this.tasks.set(task.id, { task, stopTimer });
    return task.created();
  }

  /** Answers a request about a task. Throws what it is to be refused with. */
  serve(request: ModernRequest, caller: Caller, responder: Responder): void {
    if (!isDeclared(capabilitiesOf(request), tasksNeeds)) throw missingCapability(tasksNeeds);
    const task = this.tasks.get(paramString(request, 'taskId') ?? '')?.task;
    // Whoever does not own a task does not learn that it is there.
    if (task?.principal !== caller.principal) throw unknownTask();
    if (request.method === 'tasks/update') responder.answer(task.update(request));
    else if (request.method === 'tasks/cancel') responder.answer(task.cancel());
    else
      task.state().then(
        (outcome) => {
          responder.answer(outcome);
        },
        (error: unknown) => {
          responder.answer(outcomeOf(error));
        },
      );
  }

  /** Ends every task. */
  endAll(): void {
    for (const { task, stopTimer } of this.tasks.values()) {
      stopTimer();
      task.abandon(taskExpired());
    }
    this.tasks.clear();
  }

  private count(matches: (task: ClientTask) => boolean): number {
    let count = 0;
    for (const { task } of this.tasks.values()) if (matches(task)) count += 1;
    return count;
  }

  /** Of those that are over the oldest make room; those that are not count towards the limits. */
  private makeRoom(task: ClientTask): boolean {
    const { maxParked, maxParkedPerPrincipal, maxHeldBytes } = this.limits;
    let bytes = task.bytes;
    for (const each of this.tasks.values()) bytes += each.task.bytes;
    for (const [id, { task: old, stopTimer }] of this.tasks) {
      if (this.tasks.size < maxParked && bytes <= maxHeldBytes) break;
      if (!old.isOver) continue;
      stopTimer();
      bytes -= old.bytes;
      this.tasks.delete(id);
    }
    const own = this.count(({ isOver, principal }) => !isOver && principal === task.principal);
    return (
      this.tasks.size < maxParked &&
      own < maxParkedPerPrincipal &&
      (this.tasks.size === 0 || bytes <= maxHeldBytes)
    );
  }
}
