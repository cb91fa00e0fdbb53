// What the legacy server is asked about a task that a call has become.
import type { Clock } from '../clock.ts';
import type { TaskRequest } from '../session/requests.ts';
import type { Session } from '../session/session.ts';
import { taskOf, taskRequest, type LegacyTask } from '../translate/task-up.ts';
import { ask } from './own-request.ts';

/** How long the server may take to say how a task is; and to give its result once it says that there is one. */
export const statusPatienceMs = 10_000;

/** The request for what comes of a task. `original`: under which id the call was written. */
export function taskResult({ taskId }: LegacyTask, original: number): TaskRequest {
  return { taskId, original, build: (id) => taskRequest(id, 'tasks/result', taskId) };
}

/** How the task is now; undefined when the server does not say. */
export async function askStatus(
  session: Session,
  { taskId }: LegacyTask,
  clock: Clock,
): Promise<LegacyTask | undefined> {
  const patience = { clock, patienceMs: statusPatienceMs };
  const frame = await ask(session, (id) => taskRequest(id, 'tasks/get', taskId), patience);
  return typeof frame === 'string' ? undefined : taskOf(frame);
}

/** Nobody wants the task any more. spec 2025-11-25 basic/utilities/tasks#cancelling-tasks */
export function cancelTask(session: Session, { taskId }: LegacyTask, clock: Clock): void {
  if (!session.profile.tasks.cancel) return;
  const patience = { clock, patienceMs: statusPatienceMs };
  void ask(session, (id) => taskRequest(id, 'tasks/cancel', taskId), patience);
}
