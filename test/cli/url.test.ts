// The built command line in front of servers at a URL.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { BridgeProcess, fixture } from '../support/child.ts';
import { FakeAuthServer } from '../support/fake-auth-server.ts';
import { FakeHttpServer, type FakeScript } from '../support/fake-http-server.ts';

const started: (ChildProcess | BridgeProcess)[] = [];

afterEach(async () => {
  for (const each of started.splice(0)) {
    const child = each instanceof BridgeProcess ? each.child : each;
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

function start(args: readonly string[], env?: Record<string, string>): BridgeProcess {
  const bridge = new BridgeProcess(args, env);
  started.push(bridge);
  return bridge;
}

async function fake(script: FakeScript = {}): Promise<FakeHttpServer> {
  const server = await new FakeHttpServer(script).start();
  onTestFinished(() => server.stop());
  return server;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'mcp-bridge-cli-'));
  onTestFinished(() => {
    rmSync(made, { recursive: true });
  });
  return made;
}

describe('a server at a URL', () => {
  it.each([
    ['http', 'http://127.0.0.1'],
    ['http-get', 'http://127.0.0.1'],
    ['sse', 'http://127.0.0.1'],
    ['ws', 'ws://127.0.0.1'],
  ])('over %s, from the command line', async (transport) => {
    const server = spawn(process.execPath, [fixture('plain.js')], {
      env: { ...process.env, LEGACY_TRANSPORT: transport },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(server);
    const [line] = (await once(server.stdout, 'data')) as [Buffer];
    const bridge = start(['--log-level', 'error', '--upstream', String(line).trim()]);
    expect(await bridge.call('count')).toBe('1');
    bridge.child.stdin.end();
    expect(await bridge.exit).toBe(0);
  });

  it('gets the headers of the command line and of the file, and keeps them out of every log', async () => {
    const server = await fake();
    const file = join(folder(), 'headers');
    writeFileSync(file, '# a comment\nX-From-File: canary-file\n');
    const bridge = start([
      ...[
        '--log-level',
        'debug',
        '--log-format',
        'json',
        '--upstream',
        `${server.url.href}?key=canary-query`,
      ],
      ...['--header', 'Authorization: Bearer canary-line', '--header-file', file],
    ]);
    expect(await bridge.call('one')).toBe('one has run');
    await server.stop();
    const answer = await bridge.call('two');
    expect(answer).toContain('error');
    bridge.child.stdin.end();
    await bridge.exit;
    const { headers } = server.requests[0]!;
    expect([headers.authorization, headers['x-from-file']]).toEqual(['Bearer canary-line', 'canary-file']);
    expect(answer + bridge.stderr).not.toContain('canary');
    expect(bridge.stderr).toContain('legacy session is open');
  });

  it('asks for a token once; it is kept for the next process, in a file for its owner alone', async () => {
    const authorization = await new FakeAuthServer().start();
    onTestFinished(() => authorization.stop());
    const server = await fake({ on: (exchange) => authorization.guard(exchange) });
    const state = folder();
    const browser = join(state, 'browser.mjs');
    writeFileSync(browser, 'await (await fetch(process.argv[2])).text();');
    const env = { XDG_STATE_HOME: state, BROWSER: `${process.execPath} ${browser}` };
    const args = ['--log-level', 'debug', '--log-format', 'json', '--upstream', server.url.href];
    const first = start(args, env);
    expect(await first.call('one')).toBe('one has run');
    expect(first.stderr).toContain(`${authorization.issuer}/authorize?`);
    const second = start(args, env);
    expect(await second.call('two')).toBe('two has run');
    expect(second.stderr).not.toContain('/authorize?');
    expect(authorization.count('/authorize')).toBe(1);
    const kept = join(state, 'mcp-bridge', 'oauth');
    const text = readFileSync(join(kept, readdirSync(kept)[0]!), 'utf8');
    const { access_token, refresh_token } = JSON.parse(text).tokens;
    for (const secret of [access_token, refresh_token])
      expect(first.stderr + second.stderr).not.toContain(secret);
  });

  it('that does not say a word to DELETE holds up no shutdown', async () => {
    const server = await fake({ on: ({ method }) => method === 'DELETE' });
    for (const stop of ['signal', 'end'] as const) {
      const bridge = start(['--log-level', 'error', '--upstream', server.url.href]);
      await bridge.call('one');
      const from = Date.now();
      if (stop === 'signal') bridge.child.kill('SIGTERM');
      else bridge.child.stdin.end();
      expect(await bridge.exit).toBe(0);
      expect(Date.now() - from).toBeLessThan(stop === 'signal' ? 1500 : 5000);
    }
  });

  it('that is not there: the calls fail, and so does the process in the end', async () => {
    const server = await fake();
    await server.stop();
    const bridge = start(['--log-level', 'error', '--upstream', server.url.href]);
    expect(await bridge.call('one')).toContain('not available');
    bridge.child.stdin.end();
    expect(await bridge.exit).toBe(1);
  });
});
