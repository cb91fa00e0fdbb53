import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it, vi } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { BridgeProcess, cli, fixture, isAlive } from '../support/child.ts';
import { metadata } from '../support/harness.ts';
import { headersFor } from '../support/http-harness.ts';

const started: BridgeProcess[] = [];

function start(args: readonly string[], env?: Record<string, string>): BridgeProcess {
  const bridge = new BridgeProcess(['--log-level', 'error', ...args], env);
  started.push(bridge);
  return bridge;
}

const plain = ['--', process.execPath, fixture('plain.js')];
/** A server that ignores every wish to end, behind a shell, with a child that does so too. */
const stubbornBehindShell = ['--', 'sh', '-c', `${process.execPath} ${fixture('stubborn.js')}; true`];

afterEach(async () => {
  for (const bridge of started.splice(0)) {
    bridge.child.kill('SIGKILL');
    await bridge.exit;
  }
});

const callOf = (name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args, _meta: metadata() },
});

/** A call over HTTP; resolves to its text. */
async function postCall(url: string, name: string, args: object = {}, more: object = {}): Promise<string> {
  const body = callOf(name, args);
  const headers = { 'content-type': 'application/json', ...headersFor(body), ...more };
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return ((await reply.json()) as any).result.content[0].text;
}

async function gone(...pids: readonly number[]): Promise<void> {
  await vi.waitFor(
    () => {
      expect(pids.filter(isAlive)).toEqual([]);
    },
    { timeout: 5000 },
  );
}

describe('the version', () => {
  it.each([[['--version']], [['--log-level', 'info', '--version']]])(
    'is told by %j, the quick way and the long',
    (args) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8' });
      expect([status, stdout, stderr]).toEqual([0, `${packageFile.version}\n`, '']);
    },
  );
});

describe('the command line on stdio', () => {
  // Field bug 43, as far as there is a shell to keep away from.
  it('passes argv on exactly, after -- and from a string', async () => {
    const odd = ['a b', '"q"', "it's", '$HOME', '&', '%PATH%', '^', '\\', '', '*', '--port', '5'];
    expect(JSON.parse(await start([...plain, ...odd]).call('argv'))).toEqual(odd);
    const command = `${process.execPath} ${fixture('plain.js')} 'a b' "c \\"d\\"" e\\ f ''`;
    expect(JSON.parse(await start(['--upstream', command]).call('argv'))).toEqual([
      'a b',
      'c "d"',
      'e f',
      '',
    ]);
  });

  // Field bug 44.
  it('gives the child a short environment, what is passed on, and none of its own settings', async () => {
    const own = {
      MCP_BRIDGE_STATE_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
      SECRET_TOKEN: 's',
      PASSED: 'p',
    };
    const args = [
      '--env',
      'PASSED',
      '--env',
      'SET=a=b',
      '--env',
      'MCP_BRIDGE_STATE_KEYS',
      '--cwd',
      '/',
      ...plain,
    ];
    const bridge = start(args, own);
    const env = JSON.parse(await bridge.call('env'));
    expect(env).toMatchObject({ PATH: process.env['PATH'], PASSED: 'p', SET: 'a=b' });
    expect(
      Object.keys(env).filter((name) => name.startsWith('MCP_BRIDGE') || name === 'SECRET_TOKEN'),
    ).toEqual([]);
    expect(await bridge.call('cwd')).toBe('/');
    const all = JSON.parse(await start(['--inherit-env', ...plain], own).call('env'));
    expect(all).toHaveProperty('SECRET_TOKEN', 's');
    expect(all).not.toHaveProperty('MCP_BRIDGE_STATE_KEYS');
  });

  it('takes options from the environment', async () => {
    const command = `${process.execPath} ${fixture('plain.js')}`;
    expect(await start([], { MCP_BRIDGE_UPSTREAM: command, MCP_BRIDGE_CWD: '/' }).call('cwd')).toBe('/');
  });

  // Field bugs 18, 20, 21 and 22.
  it('finds the messages in whatever a server writes, and writes nothing but frames', async () => {
    const bridge = start(['--', process.execPath, fixture('noisy.js')]);
    expect(await bridge.call('a')).toBe('é中🧪 a\u2028b\u0085');
    for (const line of bridge.lines) expect(line).toMatch(/^\{"jsonrpc":"2.0",/);
  });

  // Field bugs 11 and 23.
  it('works with servers that handle one line a read, and with those that exit after their last words', async () => {
    expect(await start(['--', process.execPath, fixture('one-line-a-read.js')]).call('a')).toBe('ok');
    expect(await start(['--', process.execPath, fixture('last-words.js')]).call('a')).toBe('last');
  });

  // Field bugs 24 and 25.
  it('carries answers around the size of a pipe, large ones, and floods of stderr', async () => {
    const bridge = start(plain);
    for (const size of [65_535, 65_536, 65_537, 1_048_576, 16_777_216])
      expect(await bridge.call('big', { size })).toHaveLength(size);
    expect(await bridge.call('stderr', { size: 1_048_576 })).toBe('written');
    // What does not come in one piece is read in pieces, and these cut characters and escapes.
    const word = 'é中🧪"\n\\/ : null "a":null,';
    const text = await bridge.call('big', { size: word.length * 100_000, word });
    expect(text === word.repeat(100_000)).toBe(true);
  });

  // Field bug 34.
  it('fails the call of a server that dies, by name, and starts another for the next', async () => {
    const bridge = start(plain);
    const before = await bridge.call('pid');
    expect(await bridge.call('die')).toBe('error -32603: The legacy session is over: server exited (code 3)');
    const after = await bridge.call('pid');
    expect(after).toMatch(/^\d+$/);
    expect(after).not.toBe(before);
  });

  // Field bugs 31 and 32.
  it.each([
    ['that does not exist', ['--', '/no/such/program']],
    ['that cannot be run', ['--', fixture('plain.js')]],
    ['in a folder that does not exist', ['--cwd', '/no/such/folder', ...plain]],
    ['that exits at once', ['--', process.execPath, '-e', 'console.error("secret"); process.exit(1)']],
  ])('tells of a server %s, without its words, and ends with code 1', async (_, args) => {
    const bridge = start(args);
    const { error } = await bridge.request('server/discover');
    expect(error.data.reason).toBe('upstream_unavailable');
    expect(error.message).not.toMatch(/\/no\/such|secret/);
    bridge.child.stdin.end();
    expect(await bridge.exit).toBe(1);
  });
});

describe('the end', () => {
  it('comes with the end of stdin, after what is in flight, with code 0', async () => {
    const bridge = start(plain);
    const pid = Number(await bridge.call('pid'));
    const slow = bridge.call('slow', { ms: 200 });
    bridge.child.stdin.end();
    expect(await slow).toBe('slept');
    expect(await bridge.exit).toBe(0);
    await gone(pid);
  });

  it('of one-shot use answers what was piped in', async () => {
    const bridge = start(plain);
    const answers = [bridge.request('server/discover'), bridge.request('tools/call', { name: 'count' })];
    bridge.child.stdin.end();
    const [discover, call] = await Promise.all(answers);
    expect([discover!.result.resultType, call!.result.content[0].text]).toEqual(['complete', '1']);
    expect(await bridge.exit).toBe(0);
  });

  // Field bug 39.
  it.each(['SIGTERM', 'SIGINT', 'the end of stdin'] as const)(
    'by %s leaves nothing behind, whatever the server ignores, within 5 s',
    async (how) => {
      const bridge = start(stubbornBehindShell);
      const pids = JSON.parse(await bridge.call('a')) as number[];
      const from = Date.now();
      if (how === 'the end of stdin') bridge.child.stdin.end();
      else bridge.child.kill(how);
      expect(await bridge.exit).toBe(0);
      await gone(...pids);
      expect(Date.now() - from).toBeLessThan(5000);
    },
  );

  it('by SIGTERM on stdio takes less than the second after which official clients kill', async () => {
    const bridge = start(['--', process.execPath, fixture('stubborn.js')]);
    const pids = JSON.parse(await bridge.call('a')) as number[];
    const from = Date.now();
    bridge.child.kill('SIGTERM');
    await bridge.exit;
    expect(Date.now() - from).toBeLessThan(1000);
    await gone(...pids);
  });

  // Field bug 37.
  it.each(['pipe', 'inherit'])(
    'comes with the death of the parent, whose stdin was given as %s, within 5 s',
    async (stdin) => {
      const command = [process.execPath, cli, '--log-level', 'error', ...stubbornBehindShell];
      const launcher = spawn(process.execPath, [fixture('launcher.js'), stdin, ...command]);
      const lines = createInterface({ input: launcher.stdout })[Symbol.asyncIterator]();
      const bridgePid = Number((await lines.next()).value);
      launcher.stdin.write(`${JSON.stringify(callOf('a'))}\n`);
      const answer = JSON.parse((await lines.next()).value);
      const pids = [bridgePid, ...(JSON.parse(answer.result.content[0].text) as number[])];
      expect(pids.every(isAlive)).toBe(true);
      launcher.kill('SIGKILL');
      await gone(...pids);
    },
  );

  // Field bug 40.
  it('comes when nobody reads its output any more', async () => {
    const bridge = start(plain);
    const pid = Number(await bridge.call('pid'));
    bridge.child.stdout.destroy();
    void bridge.request('tools/call', { name: 'count' });
    expect(await bridge.exit).toBe(0);
    await gone(pid);
  });

  it('is put off by nothing when asked for twice', async () => {
    const bridge = start(['--log-level', 'info', '--', process.execPath, fixture('stubborn.js')]);
    const pids = JSON.parse(await bridge.call('a')) as number[];
    bridge.child.kill('SIGTERM');
    await vi.waitFor(() => {
      expect(bridge.stderr).toContain('shutting down');
    });
    bridge.child.kill('SIGTERM');
    expect(await bridge.exit).toBe(1);
    await gone(pids[0]!);
  });
});

describe('the HTTP face', () => {
  it('says where it listens as the first line on stdout, and ends by SIGTERM', async () => {
    const bridge = start(['--port', '0', '--path', '/x', ...plain]);
    const line = await bridge.nextLine();
    expect(line).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+\/x$/);
    const url = line.slice('listening on '.length);
    const pid = Number(await postCall(url, 'pid'));
    bridge.child.kill('SIGTERM');
    expect(await bridge.exit).toBe(0);
    await gone(pid);
  });

  // Field bug 129.
  it.each([
    [[], ['1', '1', '2']],
    [
      ['--session', 'shared'],
      ['1', '2', '3'],
    ],
  ])('gives each principal a session of its own, unless told otherwise: %j', async (more, counts) => {
    const tokens = join(mkdtempSync(join(tmpdir(), 'mcp-bridge-')), 'tokens');
    writeFileSync(tokens, '# people\nalice:a-1\nbob:b-1\n');
    const bridge = start(['--port', '0', '--auth-token-file', tokens, ...more, ...plain]);
    const url = (await bridge.nextLine()).split(' ').pop()!;
    const count = (token: string): Promise<string> =>
      postCall(url, 'count', {}, { authorization: `Bearer ${token}` });
    expect([await count('a-1'), await count('b-1'), await count('a-1')]).toEqual(counts);
    const env = await postCall(url, 'env', {}, { authorization: 'Bearer b-1' });
    expect(env).not.toContain('b-1');
    rmSync(dirname(tokens), { recursive: true });
  });

  // Field bug 32, at the process limit: spawning fails without streams.
  it('outlives having no file left to open, and serves again when there is', async () => {
    const bridge = new BridgeProcess(['--log-level', 'error', '--port', '0', ...plain], {}, 80);
    started.push(bridge);
    const url = (await bridge.nextLine()).split(' ').pop()!;
    await postCall(url, 'count');
    const sockets = Array.from({ length: 100 }, () =>
      connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined),
    );
    await vi.waitFor(() => {
      expect(sockets.filter(({ connecting }) => !connecting).length).toBeGreaterThan(40);
    });
    await expect(postCall(url, 'die')).rejects.toThrow();
    await expect(postCall(url, 'count')).rejects.toThrow();
    expect(bridge.stderr).toContain('EMFILE');
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(
      async () => {
        expect(await postCall(url, 'count')).toBe('1');
      },
      { timeout: 10_000, interval: 200 },
    );
  });

  it('that cannot listen ends with code 1', async () => {
    const first = start(['--port', '0', ...plain]);
    const port = /:(\d+)\//.exec(await first.nextLine())![1]!;
    const second = start(['--port', port, ...plain]);
    expect(await second.exit).toBe(1);
    expect(second.stderr).toContain('EADDRINUSE');
  });
});

describe('64 calls of 50 ms at once', () => {
  const calls = Array.from({ length: 64 }, (_, id) => id);
  /** One after the other would take 64 times as long as one, on whatever machine. */
  async function checkParallel(call: () => Promise<string>): Promise<void> {
    const from = performance.now();
    await call();
    const oneMs = performance.now() - from;
    const allFrom = performance.now();
    await Promise.all(calls.map(call));
    expect(performance.now() - allFrom).toBeLessThan(Math.max(300, 6 * oneMs));
  }

  it('run in parallel on stdio', async () => {
    const bridge = start(plain);
    await bridge.call('count');
    await checkParallel(() => bridge.call('slow', { ms: 50 }));
  });

  it('run in parallel over HTTP', async () => {
    const bridge = start(['--port', '0', ...plain]);
    const url = (await bridge.nextLine()).split(' ').pop()!;
    await postCall(url, 'count');
    await checkParallel(() => postCall(url, 'slow', { ms: 50 }));
  });
});
