// What becomes of everything that is going on when the bridge is told to stop.
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { BridgeProcess, fixture, isAlive } from '../support/child.ts';
import { metadata } from '../support/harness.ts';
import { headersFor } from '../support/http-harness.ts';

let bridge: BridgeProcess;
let url = '';

async function start(...options: string[]): Promise<void> {
  bridge = new BridgeProcess([
    '--port',
    '0',
    '--log-level',
    'info',
    ...options,
    '--',
    process.execPath,
    fixture('draining.js'),
  ]);
  url = (await bridge.nextLine()).split(' ').pop()!;
}

afterEach(async () => {
  bridge.child.kill('SIGKILL');
  await bridge.exit;
});

function post(method: string, params: object): Promise<Response> {
  const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: metadata() } };
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...headersFor(body),
  };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

const call = async (name: string): Promise<any> => (await post('tools/call', { name })).json();
/** Resolves when the server has got that far. */
const isSaid = async (word: string): Promise<void> => {
  while (!bridge.stderr.includes(word))
    await new Promise((resolve) => bridge.child.stderr.once('data', resolve));
};

describe('SIGTERM', () => {
  it('lets a call end, ends listen streams with their result, answers questions as cancelled, and takes nothing new', async () => {
    await start();
    const pid = Number((await call('pid')).result.content[0].text);
    const stream = await post('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const events = createInterface({ input: Readable.fromWeb(stream.body as never) });
    const lines: string[] = [];
    events.on('line', (line) => lines.push(line));
    const streamEnd = new Promise((resolve) => events.once('close', resolve));
    expect((await call('ask')).result.resultType).toBe('input_required');
    const slow = call('until told');
    await isSaid('until told has begun');
    bridge.child.kill('SIGTERM');
    await streamEnd;
    const last = JSON.parse(lines.findLast((line) => line.startsWith('data: '))!.slice(6));
    expect(last.result).toMatchObject({ resultType: 'complete' });
    await expect(call('pid')).rejects.toThrow();
    // The server hears of the end of its question before anything of it is closed.
    process.kill(pid, 'SIGUSR2');
    expect((await slow).result.content[0].text).toBe('told');
    expect(await bridge.exit).toBe(0);
    expect(bridge.stderr).toContain('answered: cancel');
    expect(isAlive(pid)).toBe(false);
  });

  it('waits for --drain-timeout at most; what is not done by then gets an error', async () => {
    await start('--drain-timeout', '200ms');
    const hanging = call('until told');
    await isSaid('until told has begun');
    const from = Date.now();
    bridge.child.kill('SIGTERM');
    expect((await hanging).error.message).toBe('The legacy session is over: the bridge is shutting down');
    expect(await bridge.exit).toBe(0);
    expect(Date.now() - from).toBeLessThan(3500);
  });

  it('a second time ends everything at once', async () => {
    await start('--drain-timeout', '1h');
    const pid = Number((await call('pid')).result.content[0].text);
    void call('until told').catch(() => undefined);
    await isSaid('until told has begun');
    bridge.child.kill('SIGTERM');
    await isSaid('shutting down');
    bridge.child.kill('SIGTERM');
    expect(await bridge.exit).toBe(1);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

describe('the end of a stdio client', () => {
  it('that reads nothing any more holds up no shutdown', async () => {
    bridge = new BridgeProcess(['--log-level', 'error', '--', process.execPath, fixture('odd-process.js')]);
    const pid = Number(await bridge.call('pid'));
    bridge.child.stdout.pause();
    for (let count = 0; count < 40; count += 1) void bridge.call('big', { size: 1024 * 1024 });
    await bridge.waitForRest(pid);
    const from = Date.now();
    bridge.child.kill('SIGTERM');
    const exited = new Promise((resolve) => bridge.child.once('exit', resolve));
    expect(await exited).toBe(0);
    expect(Date.now() - from).toBeLessThan(4000);
    // What it has written of a line is not worth reading.
    bridge.child.stdout.destroy();
    expect(isAlive(pid)).toBe(false);
  });
});
