// The real command line under mixed work for `SOAK_SECONDS`: what it holds must be at the end what it was after it had
// warmed up. Memory is looked at with the work going on, everything that is counted when it has stopped.
import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, isAlive } from '../support/child.ts';
import { callParams, questionIn, requestBytes, retryParams, send, type LabCall } from './calls.ts';
import { Random } from './random.ts';
import { RawConnection } from './raw-http.ts';

const soakSeconds = Number(process.env['SOAK_SECONDS'] ?? 60);
const warmUpSeconds = Math.max(15, soakSeconds / 10);
const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

interface Sample {
  readonly rssMiB: number;
  readonly heapMiB: number;
  readonly fds: number;
  readonly children: number;
  readonly handles: Readonly<Record<string, number>>;
  readonly warnings: readonly string[];
}

let bridge: ChildProcess;
let stderr = '';
let port = 0;
let isWorking = false;
let callCount = 0;
const random = new Random();

beforeAll(async () => {
  const options = ['--port', '0', '--log-level', 'warn', '--input-ttl', '2s', '--quarantine', '200ms'];
  const args = ['--import', file('probe.js'), cli, ...options, '--', process.execPath, file('server.js')];
  bridge = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  bridge.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString().slice(0, 10_000)));
  for await (const line of createInterface({ input: bridge.stdout! })) {
    port = Number(/:(\d+)\//.exec(line)![1]);
    break;
  }
});

afterAll(() => void bridge.kill('SIGKILL'));

/** What the bridge holds now; idle connections are given their time to be closed. */
async function sample(): Promise<Sample> {
  const answer = new Promise<any>((resolve) => bridge.once('message', resolve));
  bridge.send('sample');
  const { heapBytes, handles, warnings } = await answer;
  const { pid } = bridge;
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  return {
    rssMiB: Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024,
    heapMiB: heapBytes / 1024 / 1024,
    fds: readdirSync(`/proc/${String(pid)}/fd`).length,
    children: readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8')
      .trim()
      .split(' ').length,
    handles,
    warnings,
  };
}

const plans = ['slow', 'progress', 'garbage', 'twice', 'changed', 'big'];

/** Those who ask take turns, so that few of them are as much as many others. */
function pickPlan(): string {
  if (random.chance(3)) return random.pick(['ask', 'ask twice']);
  return random.chance(60) ? 'echo' : random.pick(plans);
}
async function call(connection: RawConnection): Promise<void> {
  callCount += 1;
  const lab: LabCall = { token: `t${String(callCount)}`, plan: pickPlan(), ms: random.below(30) };
  const answer = send(connection, requestBytes('tools/call', callParams(lab)));
  if (random.chance(10)) {
    await Promise.race([answer, sleep(random.below(10))]);
    connection.close();
  }
  let message = await answer;
  for (;;) {
    const question = message && questionIn(message);
    // One in five questions is never answered.
    if (question === undefined || random.chance(20)) return;
    message = await send(connection, requestBytes('tools/call', retryParams(lab, question, 'x')));
  }
}

async function caller(): Promise<void> {
  let connection = new RawConnection(port);
  while (isWorking) {
    await call(connection);
    if (random.chance(1)) {
      connection.close();
      connection = new RawConnection(port);
    }
  }
  connection.close();
}

async function listener(): Promise<void> {
  const filter = { notifications: { toolsListChanged: true, resourceSubscriptions: ['lab://a', 'lab://b'] } };
  while (isWorking) {
    const connection = new RawConnection(port);
    const params = { ...callParams({ token: '', plan: '' }), ...filter };
    const ended = connection.request(requestBytes('subscriptions/listen', params));
    await Promise.race([ended, sleep(random.below(1000))]);
    connection.close();
    await ended;
  }
}

async function other(): Promise<void> {
  const connection = new RawConnection(port);
  while (isWorking) {
    for (const method of ['tools/list', 'server/discover', 'resources/read', 'nonsense'])
      await send(
        connection,
        requestBytes(method, { ...callParams({ token: '', plan: '' }), uri: 'lab://a' }),
      );
    await sleep(20);
  }
  connection.close();
}

async function work(seconds: number): Promise<void> {
  isWorking = true;
  const workers = [...Array.from({ length: 8 }, caller), listener(), listener(), other()];
  for (let left = seconds; left > 0; left -= 60) {
    await sleep(Math.min(left, 60) * 1000);
    const { rssMiB, heapMiB, fds } = await sample();
    const figures = `${rssMiB.toFixed(1)} MiB, heap ${heapMiB.toFixed(2)} MiB, ${String(fds)} descriptors`;
    process.stdout.write(`${String(callCount)} calls: ${figures}\n`);
  }
  isWorking = false;
  await Promise.all(workers);
}

/** The work has stopped; outcomes are kept for a minute for those who may have missed them. */
async function rest(): Promise<Sample> {
  await sleep(62_000);
  return sample();
}

describe('soak', { timeout: 7_200_000 }, () => {
  it(`holds after ${String(soakSeconds)} s what it held after ${String(warmUpSeconds)} s`, async () => {
    await work(warmUpSeconds);
    const warm = await rest();
    const from = callCount;
    await work(soakSeconds - warmUpSeconds);
    const end = await rest();
    process.stdout.write(
      `${String(callCount - from)} calls, seed ${String(random.seed)}, ${JSON.stringify({ warm, end })}\n`,
    );
    expect(end.warnings).toEqual([]);
    // What the collector has let go the system gets back later: a short run says little of it.
    expect(end.rssMiB).toBeLessThan(warm.rssMiB * (soakSeconds < 600 ? 1.5 : 1.1));
    expect(end.heapMiB).toBeLessThan(warm.heapMiB * 1.1 + 1);
    expect({ fds: end.fds, children: end.children }).toEqual({ fds: warm.fds, children: warm.children });
    expect(end.handles).toEqual(warm.handles);
  });

  it('leaves nothing behind', async () => {
    const { pid } = bridge;
    const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8')
      .trim()
      .split(' ');
    const exit = new Promise((resolve) => bridge.once('exit', resolve));
    bridge.kill('SIGTERM');
    expect(await exit).toBe(0);
    expect(children.map(Number).filter(isAlive)).toEqual([]);
    expect(stderr).not.toMatch(/"level":50|MaxListeners|fault/);
  });
});
