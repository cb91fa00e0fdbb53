// Ends a child process and all that it started, in bounded time: stdin is closed, then SIGTERM, then SIGKILL, each
// to the whole process group, so that nothing survives behind a shell wrapper. Windows has neither groups nor signals:
// there the tree of the child is ended by force.
import type { ChildProcess } from 'node:child_process';
import treeKill from 'tree-kill';

interface GraceTimes {
  /** How long the child may take to leave after its stdin was closed. */
  readonly stdinMs: number;
  /** How long the group may take to leave after SIGTERM. */
  readonly termMs: number;
}

const patient: GraceTimes = { stdinMs: 1000, termMs: 1000 };
/** Official clients kill a process one second after its SIGTERM: by then all must be gone. */
const hurried: GraceTimes = { stdinMs: 250, termMs: 350 };

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
  const isWindows = process.platform === 'win32';
  if (isWindows && name !== 0) {
    treeKill(pid);
    return true;
  }
  try {
    process.kill(isWindows ? pid : -pid, name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function waitFor(isDone: () => boolean, ms: () => number): Promise<boolean> {
  const start = Date.now();
  while (!isDone()) {
    if (Date.now() - start >= ms()) return false;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return true;
}

/** Resolves when the group is gone: in some two seconds at the most, in less than one once `hurry` is aborted. */
export async function endProcessGroup(child: ChildProcess, hurry: AbortSignal): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const grace = (): GraceTimes => (hurry.aborted ? hurried : patient);
  const hasLeft = (): boolean => hasExited(child) && !signal(pid, 0);
  child.stdin?.end();
  let isGone = await waitFor(hasLeft, () => grace().stdinMs);
  if (!isGone) {
    signal(pid, 'SIGTERM');
    isGone = await waitFor(hasLeft, () => grace().termMs);
  }
  if (!isGone) {
    signal(pid, 'SIGKILL');
    // Nobody survives this; members of the group may be zombies for a while if nobody reaps them.
    await waitFor(
      () => hasExited(child),
      () => grace().termMs,
    );
  }
  living.delete(pid);
}
