// What child processes do to whoever started them. Each call that waits fails once, by name, and the next is served.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Logger } from '../../src/log.ts';
import { createStdioUpstream } from '../../src/upstream/stdio.ts';
import { fixture, isAlive } from '../support/child.ts';
import type { StdioClient } from '../support/harness.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { harnessOf, textOf } from '../support/upstream-harness.ts';

interface LogLine {
  readonly level: string;
  readonly fields: Readonly<Record<string, any>>;
  readonly message: string;
}

function recorder(): { log: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: string) => (fields: LogLine['fields'], message: string) =>
    void lines.push({ level, fields, message });
  return { log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }, lines };
}

function setup(args: readonly string[] = [fixture('odd-process.js')]): {
  client: StdioClient;
  lines: LogLine[];
} {
  const { log, lines } = recorder();
  const upstream = createStdioUpstream({
    command: process.execPath,
    args,
    env: {},
    cwd: undefined,
    maxMessageBytes: 1024 * 1024,
    log,
    hurry: new AbortController().signal,
  });
  const harness = harnessOf(upstream, new ManualClock());
  onTestFinished(harness.close);
  return { client: harness.client, lines };
}

const errorOf = ({ error }: any): string => `${String(error.data.reason)}: ${String(error.message)}`;

describe('a server on stdio', () => {
  it('that closes its input and lives on is ended, and the next is started', async () => {
    const { client } = setup();
    const before = Number(textOf(await client.call('pid')));
    const closed = client.call('close stdin');
    let isLost = false;
    void closed.then(() => (isLost = true));
    // Whether a write fails at once or the one after it is up to the system.
    await vi.waitFor(
      () => {
        void client.call('pid');
        expect(isLost).toBe(true);
      },
      { timeout: 8000, interval: 100 },
    );
    expect(errorOf(await closed)).toBe(
      'upstream_exited: The legacy session is over: server closed its input',
    );
    expect(isAlive(before)).toBe(false);
    expect(Number(textOf(await client.call('pid')))).not.toBe(before);
  });

  it('whose child has left the group and holds the streams open is over all the same', async () => {
    const { client, lines } = setup();
    const answer = errorOf(await client.call('leave an orphan'));
    expect(answer).toBe('upstream_exited: The legacy session is over: server exited (code 4)');
    const orphan = Number(/orphan (\d+)/.exec(JSON.stringify(lines))![1]);
    process.kill(orphan, 'SIGKILL');
    expect(textOf(await client.call('pid'))).toMatch(/^\d+$/);
  });

  it('that asks without end and reads no answer is ended', async () => {
    const { client } = setup();
    expect(errorOf(await client.call('ask without end'))).toBe(
      'upstream_exited: The legacy session is over: server does not read its input',
    );
    expect(textOf(await client.call('pid'))).toMatch(/^\d+$/);
  });

  it('that dies with megabytes still to be written to it fails each call once', async () => {
    const { client } = setup();
    const died = client.call('stop reading, then die');
    const calls = Array.from({ length: 20 }, () => client.call('pid', { more: 'x'.repeat(500_000) }));
    for (const answer of await Promise.all([died, ...calls]))
      expect(errorOf(answer)).toBe('upstream_exited: The legacy session is over: server exited (code 5)');
  });

  // Field bug 25.
  it('may write on stderr what it likes: nobody waits, and little is kept', async () => {
    const { client, lines } = setup();
    expect(textOf(await client.call('stderr without line breaks'))).toBe('written');
    const logged = lines.filter(({ fields }) => 'stderr' in fields);
    expect(JSON.stringify(logged).length).toBeLessThan(10_000);
  });

  // Field bugs 31 and 131.
  it('that fails has its last words in the log, and nowhere else', async () => {
    const script = 'for (let i = 0; i < 30; i += 1) console.error(`word ${i}`); process.exit(7)';
    const { client, lines } = setup(['-e', script]);
    const answer = await client.call('pid');
    expect(errorOf(answer)).toContain('server exited (code 7)');
    expect(JSON.stringify(answer)).not.toContain('word');
    const { level, fields } = lines.find(({ message }) => message.startsWith('last words'))!;
    expect([level, fields['stderr'].length, fields['stderr'].at(-1)]).toEqual(['warn', 20, 'word 29']);
  });

  // Field bug 32: some failures to start are exceptions, some events.
  it('that cannot be started for the length of its arguments says so', async () => {
    const { client } = setup(['-e', '0', 'x'.repeat(3_000_000)]);
    expect(errorOf(await client.call('pid'))).toContain('server could not be started (E2BIG)');
  });
});
