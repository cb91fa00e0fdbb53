// Ends a child process and all that it started, in bounded time: stdin is closed, then SIGTERM, then SIGKILL, each
// to the whole process group, so that nothing survives behind a shell wrapper.
import type { ChildProcess } from 'node:child_process';

export interface GraceTimes {
  /** How long the child may take to leave after its stdin was closed. */
  readonly stdinMs: number;
  /** How long the group may take to leave after SIGTERM. */
  readonly termMs: number;
}

export const defaultGrace: GraceTimes = { stdinMs: 1000, termMs: 1000 };

const pollMs = 20;
const living = new Set<number>();

/** Ends at once every group that is still there: for a process that is about to exit. */
export function killAllGroups(): void {
  for (const pid of living) signal(pid, 'SIGKILL');
}

export function adopt(pid: number): void {
  living.add(pid);
}

/** Sends a signal to the group of that leader. False when nobody of it is left. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function hasLeft(child: ChildProcess, pid: number): boolean {
  return (child.exitCode !== null || child.signalCode !== null) && !signal(pid, 0);
}

async function waitUntilLeft(child: ChildProcess, pid: number, ms: number): Promise<boolean> {
  const end = Date.now() + ms;
  while (!hasLeft(child, pid)) {
    if (Date.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return true;
}

/** Resolves when the group is gone; takes `stdinMs + termMs` and a little at the most. */
export async function endProcessGroup(child: ChildProcess, grace: GraceTimes): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  child.stdin?.end();
  const isGone =
    (await waitUntilLeft(child, pid, grace.stdinMs)) ||
    (signal(pid, 'SIGTERM'), await waitUntilLeft(child, pid, grace.termMs));
  if (!isGone) {
    signal(pid, 'SIGKILL');
    await waitUntilLeft(child, pid, grace.termMs);
  }
  living.delete(pid);
}
