// Nothing of what passes through the bridge, or of what it was given, is in its log or in an error, at any level, but
// where the user asks for payloads. Every such thing here has a canary in it.
import { afterEach, describe, expect, it } from 'vitest';
import { BridgeProcess, cli, fixture } from '../support/child.ts';
import { metadata } from '../support/harness.ts';
import { headersFor } from '../support/http-harness.ts';
import { spawnSync } from 'node:child_process';

const canary = (name: string): string => `CANARY-${name}`;
const key = Buffer.from(canary('key').padEnd(32, 'k')).toString('base64');
const keys = `k:${key}`;
const given = [
  '--env',
  `GIVEN=${canary('given')}`,
  '--',
  process.execPath,
  fixture('telling.js'),
  canary('argv'),
];
const own = { MCP_BRIDGE_STATE_KEYS: keys, INHERITED: canary('inherited') };
/** What no client may ever see of the bridge. */
const bridgeOnly = [canary('given'), canary('inherited'), canary('argv'), key, keys];

let bridge: BridgeProcess | undefined;

afterEach(async () => {
  bridge?.child.kill('SIGKILL');
  await bridge?.exit;
});

async function ended({ child, exit }: BridgeProcess): Promise<void> {
  child.kill('SIGTERM');
  await exit;
}

/** What a client says, good and bad, with canaries in all of it. */
function requests(state: string): readonly { method: string; params: any }[] {
  const _meta = { ...metadata(), progressToken: canary('token'), 'vendor/x': canary('meta') };
  const call = (name: string, more: object = {}) => ({
    method: 'tools/call',
    params: { name, arguments: { a: canary('argument-value') }, _meta, ...more },
  });
  return [
    call('echo'),
    call('fail'),
    call('log', { _meta: { ..._meta, 'io.modelcontextprotocol/logLevel': 'debug' } }),
    call('garbage'),
    call(canary('tool')),
    call('ask', { _meta: { ..._meta, 'io.modelcontextprotocol/clientCapabilities': {} } }),
    call('echo', { requestState: canary('state'), inputResponses: { x: { action: canary('answer') } } }),
    call('ask', { requestState: state, inputResponses: { [canary('input')]: canary('answer') } }),
    { method: 'resources/read', params: { uri: `a://${canary('uri')}`, _meta } },
    { method: 'completion/complete', params: { ref: canary('ref'), _meta } },
    { method: canary('method'), params: { _meta } },
    { method: 'tools/list', params: { cursor: canary('cursor'), _meta: { x: canary('no-version') } } },
    {
      method: 'tools/list',
      params: { _meta: { ..._meta, 'io.modelcontextprotocol/protocolVersion': canary('version') } },
    },
    call('die'),
    call('echo'),
  ];
}

async function talkOnStdio(): Promise<string> {
  const asked = await bridge!.request('tools/call', { name: 'ask', arguments: {} });
  const state = asked.result.requestState as string;
  for (const { method, params } of requests(state)) await bridge!.ask(method, params);
  bridge!.child.stdin.write(`{"jsonrpc":"2.0","id":"${canary('unparsable')}"\n`);
  bridge!.child.stdin.write(`{"jsonrpc":"2.0","id":"x","result":"${canary('response')}"}\n`);
  await bridge!.request('server/discover');
  return state;
}

describe('the log, at its most talkative', () => {
  it.each([
    ['a stdio client', []],
    ['a stdio client, in colours', ['--log-format', 'pretty']],
  ])('has no payload, environment or argument of %s', async (_, more) => {
    bridge = new BridgeProcess(['--log-level', 'trace', ...more, ...given], own);
    const state = await talkOnStdio();
    await ended(bridge);
    expect(bridge.stderr.length).toBeGreaterThan(500);
    expect(bridge.stderr).not.toContain('CANARY');
    expect(bridge.stderr).not.toContain(state);
    expect(bridge.stderr).not.toContain(key);
    const errors = bridge.lines.filter((line) => line.includes('"source":"mcp-bridge"')).join('\n');
    expect(errors).not.toBe('');
    for (const secret of bridgeOnly) expect(errors).not.toContain(secret);
  });

  it('has no header or payload of an HTTP client', async () => {
    bridge = new BridgeProcess(['--log-level', 'trace', '--port', '0', ...given], {
      ...own,
      MCP_BRIDGE_AUTH_TOKEN: canary('token-of-bridge'),
    });
    const url = (await bridge.nextLine()).split(' ').pop()!;
    const answers: string[] = [];
    for (const token of [canary('token-of-bridge'), canary('wrong-token')])
      for (const { method, params } of requests('x')) {
        const body = { jsonrpc: '2.0', id: canary('id'), method, params };
        const headers = {
          ...headersFor(body),
          'Content-Type': 'application/json',
          Authorization: `Bearer ${token}`,
          Cookie: canary('cookie'),
        };
        const reply = await fetch(`${url}?q=${canary('query')}`, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        });
        answers.push(await reply.text());
      }
    await ended(bridge);
    expect(bridge.stderr.length).toBeGreaterThan(200);
    expect(bridge.stderr).not.toContain('CANARY');
    for (const secret of [...bridgeOnly, canary('cookie'), canary('token-of-bridge'), canary('query')])
      expect(answers.join('\n')).not.toContain(secret);
  });

  it('has payloads where the user asks for them, and even then no environment and no arguments', async () => {
    bridge = new BridgeProcess(['--log-payloads', ...given], own);
    await talkOnStdio();
    await ended(bridge);
    for (const name of ['argument-value', 'result', 'question', 'tool', 'answer'])
      expect(bridge.stderr).toContain(canary(name));
    for (const way of ['from client', 'to client', 'from server', 'to server'])
      expect(bridge.stderr).toContain(`"msg":"${way}"`);
    for (const secret of bridgeOnly) expect(bridge.stderr).not.toContain(secret);
  });
});

// Field bug 131.
describe('what is said of a server at a URL', () => {
  it.each(['http', 'ws'])('has nothing of its path, query or headers: %s', async (scheme) => {
    const url = `${scheme}://127.0.0.1:9/${canary('path')}?token=${canary('query')}`;
    bridge = new BridgeProcess([
      '--log-level',
      'trace',
      '--upstream',
      url,
      '--header',
      `X-Key: ${canary('header')}`,
    ]);
    const { error } = await bridge.request('server/discover');
    expect(JSON.stringify(error)).not.toContain('CANARY');
    bridge.child.stdin.end();
    await bridge.exit;
    expect(bridge.stderr).toContain('could not be started');
    expect(bridge.stderr).not.toContain('CANARY');
  });
});

describe('wrong use', () => {
  const secret = canary('value');
  it.each([
    [['--max-parked', secret]],
    [['--port', secret]],
    [['--input-ttl', `${secret}'s`]],
    [['--log-level', secret]],
    [['--oauth', secret]],
    [['--max-held-bytes', secret]],
    [[`--tokn=${secret}`]],
    [['--upstream', 'https://old.example/', '--header', secret]],
    [['--upstream', 'https://old.example/', '--header', `Content-Type: ${secret}`]],
    [['--upstream', `https://user:${secret}@old.example/`]],
    [['--upstream', `TOKEN=${secret} node server.js`]],
    [['--upstream', 'x', '--state-key-file', secret]],
    [['--upstream', 'x', '--port', '0', '--auth-token-file', secret]],
  ])('is told of without the value: %j', (argv) => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [cli, ...argv], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: /);
    expect(stderr).not.toContain(secret);
  });

  it('of the environment is told of without the value', () => {
    const env = { ...process.env, MCP_BRIDGE_MAX_PARKED: secret };
    const { status, stderr } = spawnSync(process.execPath, [cli, '--upstream', 'x'], {
      encoding: 'utf8',
      env,
    });
    expect(status).toBe(2);
    expect(stderr).toContain('MCP_BRIDGE_MAX_PARKED');
    expect(stderr).not.toContain(secret);
  });
});
