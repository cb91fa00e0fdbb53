// The real command line as a child process, and how a test waits for it without sleeping.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { metadata } from './harness.ts';
import { checkModernFrame } from './modern-shapes.ts';
import type { Message } from './scripted-upstream.ts';

export const cli = fileURLToPath(new URL('../../bin/mcp-bridge.js', import.meta.url));
export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

export class BridgeProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exit: Promise<number | null>;
  readonly lines: string[] = [];
  stderr = '';
  /** Off for what a legacy client hears. */
  isChecking = true;
  private readonly waiting = new Map<string, { method: string; resolve: (message: Message) => void }>();
  private readonly onLine: ((line: string) => void)[] = [];
  private nextId = 0;

  /** `openFiles`: how many the process may have, where that is to be few. */
  constructor(args: readonly string[], env: Record<string, string> = {}, openFiles?: number) {
    const limit = openFiles === undefined ? '' : `ulimit -n ${String(openFiles)}; `;
    const command = ['-c', `${limit}exec "$0" "$@"`, process.execPath, cli, ...args];
    this.child = spawn('sh', command, { env: { ...process.env, ...env } });
    this.exit = new Promise((resolve) => this.child.once('close', resolve));
    this.child.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.child.stdin.on('error', () => undefined);
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      this.lines.push(line);
      for (const resolve of this.onLine.splice(0)) resolve(line);
      if (line.startsWith('{')) this.take(JSON.parse(line));
    });
  }

  nextLine(): Promise<string> {
    return new Promise((resolve) => this.onLine.push(resolve));
  }

  /** Resolves when neither the bridge nor those processes use any more time: all wait for somebody else. */
  async waitForRest(...pids: readonly number[]): Promise<void> {
    let last = -1;
    for (let quiet = 0; quiet < 8;) {
      await sleep(100);
      const now = [this.child.pid!, ...pids].reduce((sum, pid) => sum + cpuTicks(pid), 0);
      quiet = now === last ? quiet + 1 : 0;
      last = now;
    }
  }

  request(method: string, params: object = {}): Promise<Message> {
    return this.ask(method, { ...params, _meta: metadata() });
  }

  /** A request with just these params. */
  ask(method: string, params: object): Promise<Message> {
    const id = this.nextId++;
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return new Promise((resolve) => this.waiting.set(JSON.stringify(id), { method, resolve }));
  }

  async call(name: string, args: object = {}): Promise<string> {
    const { result, error } = await this.request('tools/call', { name, arguments: args });
    return error === undefined
      ? result.content[0].text
      : `error ${String(error.code)}: ${String(error.message)}`;
  }

  private take(message: Message): void {
    const key = JSON.stringify(message.id);
    const waiter = this.waiting.get(key);
    if (this.isChecking) checkModernFrame(message, message.method === undefined ? waiter?.method : undefined);
    if (message.method !== undefined) return;
    this.waiting.delete(key);
    waiter?.resolve(message);
  }
}

/** The processor time that a process has used, in the system's ticks. */
function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
    .split(') ')[1]!
    .split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Whether a process of that id is there and not a zombie. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${String(pid)}/status`, 'utf8'));
  } catch {
    try {
      process.kill(pid, 0);
      return process.platform !== 'linux';
    } catch {
      return false;
    }
  }
}
