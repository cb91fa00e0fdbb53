// What the bridge holds of what it cannot pass on: little, whoever of the two does not read, or does not stop.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { BridgeProcess, fixture } from '../support/child.ts';

const MiB = 1024 * 1024;
const odd = ['--', process.execPath, fixture('odd-process.js')];
let bridge: BridgeProcess;

function start(...args: string[]): BridgeProcess {
  bridge = new BridgeProcess(['--log-level', 'error', ...args, ...odd]);
  return bridge;
}

afterEach(async () => {
  bridge.child.kill('SIGTERM');
  await bridge.exit;
});

/** The most memory that the bridge has had, in MiB: much of it is what no collection has taken yet. */
function peak(): number {
  const [, kiB] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${String(bridge.child.pid)}/status`, 'utf8'))!;
  return Number(kiB) / 1024;
}

async function write(stream: NodeJS.WritableStream, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain');
}

// Field bug 28: 200 MB with a limit of 1 MiB.
describe('a line without an end', () => {
  it('from a client on stdio is read past', async () => {
    start('--max-message-bytes', '1MiB');
    await bridge.call('pid');
    const before = peak();
    for (let count = 0; count < 200; count += 1) await write(bridge.child.stdin, 'A'.repeat(MiB));
    await write(bridge.child.stdin, '\n');
    expect(await bridge.call('pid')).toMatch(/^\d+$/);
    expect(bridge.lines.some((line) => line.includes('message_too_large'))).toBe(true);
    expect(peak() - before).toBeLessThan(60);
  });

  it('from a client over HTTP is cut off', async () => {
    start('--max-message-bytes', '1MiB', '--port', '0');
    const port = Number(/:(\d+)\//.exec(await bridge.nextLine())![1]);
    const before = peak();
    const socket = connect(port, '127.0.0.1');
    const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.write(
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    for (let count = 0; count < 200 && !socket.destroyed; count += 1) {
      await write(socket, `100000\r\n${'A'.repeat(MiB)}\r\n`).catch(() => undefined);
      // Writes that never have to wait would keep this client from ever looking at what it is sent.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await closed;
    expect(answer).toContain('message_too_large');
    expect(peak() - before).toBeLessThan(60);
  });

  it('from the server is read past', async () => {
    start('--max-message-bytes', '1MiB');
    await bridge.call('pid');
    const before = peak();
    expect(await bridge.call('a line without end')).toBe('written');
    expect(await bridge.call('big', { size: 500_000 })).toHaveLength(500_000);
    expect(peak() - before).toBeLessThan(60);
  });
});

describe('one who does not read', () => {
  // Field bug 27.
  it('holds up its own bridge as a client on stdio, and gets everything in the end', async () => {
    start();
    const server = Number(await bridge.call('pid'));
    const before = peak();
    bridge.child.stdout.pause();
    const answers = Array.from({ length: 200 }, () => bridge.call('big', { size: MiB }));
    // The bridge stops reading what it is sent as well; when it does, it has taken what it will.
    const filler = 'x'.repeat(MiB);
    const more = Array.from({ length: 50 }, () => bridge.call('big', { size: 1, filler }));
    await bridge.waitForRest(server);
    expect(peak() - before).toBeLessThan(80);
    bridge.child.stdout.resume();
    const texts = await Promise.all([...answers, ...more]);
    expect(texts.map((text) => text.length)).toEqual([...answers.map(() => MiB), ...more.map(() => 1)]);
  });

  it('gets everything in the end as a server, and little waits for it meanwhile', async () => {
    start();
    await bridge.call('pid');
    const before = peak();
    const filler = 'x'.repeat(MiB);
    const stopped = bridge.call('stop reading for a second');
    const answers = Array.from({ length: 150 }, () => bridge.call('pid', { filler }));
    expect(await stopped).toBe('reading');
    for (const text of await Promise.all(answers)) expect(text).toMatch(/^\d+$/);
    expect(peak() - before).toBeLessThan(110);
  });
});
