// The real command line as a child process, and how a test waits for it without sleeping.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
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
  private readonly waiting = new Map<string, { method: string; resolve: (message: Message) => void }>();
  private readonly onLine: ((line: string) => void)[] = [];
  private nextId = 0;

  constructor(args: readonly string[], env: Record<string, string> = {}) {
    this.child = spawn(process.execPath, [cli, ...args], { env: { ...process.env, ...env } });
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

  request(method: string, params: object = {}): Promise<Message> {
    const id = this.nextId++;
    this.child.stdin.write(
      `${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: metadata() } })}\n`,
    );
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
    checkModernFrame(message, message.method === undefined ? waiter?.method : undefined);
    if (message.method !== undefined) return;
    this.waiting.delete(key);
    waiter?.resolve(message);
  }
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
