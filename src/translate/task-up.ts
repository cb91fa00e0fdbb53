// A task of 2025-11-25 as one of the extension that modern clients have. spec: SEP-2663
import {
  find,
  slice,
  stringMember,
  text,
  toBytes,
  valueOf,
  type Chunks,
  type Frame,
} from '../jsonrpc/frame.ts';
import { entry } from '../jsonrpc/object-edit.ts';
import { membersOf, startsWith, type Member } from '../jsonrpc/scan.ts';

export interface LegacyTask {
  readonly taskId: string;
  readonly status: string;
  /** JSON texts of what passes as it is. */
  readonly statusMessage: Buffer | undefined;
  readonly createdAt: Buffer;
  readonly lastUpdatedAt: Buffer;
  /** Milliseconds; null is for ever. */
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number | undefined;
}

/** The task that a call has become; undefined when the answer is none such. */
export function createdTask({ bytes, members }: Frame): LegacyTask | undefined {
  const task = find(find(members, 'result')?.members, 'task');
  return task !== undefined && startsWith(bytes, task, '{')
    ? readTask(bytes, membersOf(bytes, task))
    : undefined;
}

/** What the server says of a task, in its answer to `tasks/get`. */
export function taskOf({ bytes, members }: Frame): LegacyTask | undefined {
  const result = find(members, 'result')?.members;
  return result && readTask(bytes, result);
}

function readTask(bytes: Buffer, task: readonly Member[]): LegacyTask | undefined {
  const taskId = stringMember(bytes, task, 'taskId');
  const status = stringMember(bytes, task, 'status');
  if (taskId === undefined || status === undefined) return undefined;
  const now = toBytes(new Date(0).toISOString());
  const textOf = (name: string): Buffer | undefined => {
    const member = find(task, name);
    return member !== undefined && startsWith(bytes, member, '"') ? slice(bytes, member) : undefined;
  };
  const numberOf = (name: string): number | undefined => {
    const member = find(task, name);
    const value = member && valueOf(bytes, member);
    return typeof value === 'number' && value >= 0 ? Math.round(value) : undefined;
  };
  const createdAt = textOf('createdAt') ?? now;
  return {
    taskId,
    status,
    statusMessage: textOf('statusMessage'),
    createdAt,
    lastUpdatedAt: textOf('lastUpdatedAt') ?? createdAt,
    ttlMs: numberOf('ttl') ?? null,
    pollIntervalMs: numberOf('pollInterval'),
  };
}

/** The members of the modern task. */
export function taskEntries(task: LegacyTask, taskId: string, status: string): Chunks[] {
  const { statusMessage, pollIntervalMs } = task;
  const entries = [
    entry('taskId', [toBytes(taskId)]),
    entry('status', [toBytes(status)]),
    entry('createdAt', [task.createdAt]),
    entry('lastUpdatedAt', [task.lastUpdatedAt]),
    entry('ttlMs', [toBytes(task.ttlMs)]),
  ];
  if (statusMessage !== undefined) entries.push(entry('statusMessage', [statusMessage]));
  if (pollIntervalMs !== undefined) entries.push(entry('pollIntervalMs', [toBytes(pollIntervalMs)]));
  return entries;
}

/** The request about a task, by the legacy method. */
export function taskRequest(id: number, method: string, taskId: string): Chunks {
  const params = JSON.stringify({ taskId });
  return [text(`{"jsonrpc":"2.0","id":${String(id)},"method":"${method}","params":${params}}`)];
}
