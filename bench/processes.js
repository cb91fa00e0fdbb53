// Processes to be measured: started, looked at, ended. What they cost is read where Linux tells it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

/** CPU time of all threads of a process, in µs. */
export function cpuOf(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanos = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'));
  return nanos.reduce((sum, line) => sum + Number(line.split(' ')[0]), 0) / 1000;
}

/** Resident memory of a process in KiB: now, or at its peak. */
export function memoryOf(pid, field = 'VmRSS') {
  const [, kib] = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(kib);
}

export function start(command, options = {}) {
  return spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'inherit'], ...options });
}

/** The last word of the first line that has a URL in it. */
export async function urlOf(child) {
  let text = '';
  while (!/https?:\/\/\S+\s/.test(text)) text += String((await once(child.stdout, 'data'))[0]);
  child.stdout.resume();
  return new URL(/https?:\/\/\S+/.exec(text)[0]);
}

export async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.stdin.end();
  child.kill('SIGTERM');
  await once(child, 'exit');
}

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
