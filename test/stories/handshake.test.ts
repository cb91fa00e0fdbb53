import { describe, expect, it } from 'vitest';
import { createHarness, settled } from '../support/harness.ts';

const discover = { method: 'server/discover' };

describe('the legacy handshake', () => {
  it('is waited for by what was taken on before it, and by nothing after that', async () => {
    const { upstream, clock, bridge, client } = createHarness({ ping: false });
    const call = client.call('a');
    await settled();
    const closed = bridge.close(5000);
    const late = await client.call('b');
    expect(late.error.data.reason).toBe('shutting_down');
    clock.advance(250);
    upstream.server.text(await upstream.server.next('tools/call'), 'done');
    expect((await call).result.content[0].text).toBe('done');
    await closed;
  });

  // Rule 9; field bug 11.
  it('sends initialize alone, then initialized and a ping, and calls only behind the fence', async () => {
    const { upstream, clock, client } = createHarness({ ping: false });
    const call = client.call('a');
    await settled();
    expect(upstream.server.rawReceived.map((line) => JSON.parse(line).method)).toEqual([
      'initialize',
      'notifications/initialized',
      'ping',
    ]);
    expect(JSON.parse(upstream.server.rawReceived[0]!).params).toMatchObject({
      protocolVersion: '2025-11-25',
      clientInfo: { name: 'mcp-bridge' },
      capabilities: {
        elicitation: { form: {}, url: {} },
        sampling: { tools: {} },
        roots: { listChanged: true },
      },
    });
    // Field bug 45: silence to a ping is no verdict; the call goes out a little later.
    clock.advance(250);
    upstream.server.text(await upstream.server.next('tools/call'), 'done');
    expect((await call).result.content[0].text).toBe('done');
  });

  it('passes the fence when the ping is refused', async () => {
    const { client } = createHarness({
      ping: false,
      on: (message, server) => {
        if (message.method === 'ping') server.fail(message, -32601, 'Method not found');
        return message.method === 'ping';
      },
    });
    expect((await client.request(discover)).result.supportedVersions).toEqual(['2026-07-28']);
  });

  // Field bug 13; the filesystem server's roots/list with id 0.
  it('answers what the server sends before calls by itself, and shows none of it to a client', async () => {
    const { upstream, client } = createHarness({
      on: (message, server) => {
        if (message.method === 'initialize') {
          server.say({ method: 'notifications/message', params: { level: 'info', data: 'starting' } });
          server.say({ id: 'early', method: 'ping' });
          server.say({ id: 1, method: 'roots/list' });
        }
        if (message.method === 'notifications/initialized') {
          server.say({ id: 0, method: 'roots/list' });
          server.say({ id: 'e', method: 'elicitation/create', params: { message: 'm' } });
        }
        return false;
      },
    });
    await client.request(discover);
    expect((await upstream.server.answerTo('early')).result).toEqual({});
    expect((await upstream.server.answerTo(1)).result).toEqual({ roots: [] });
    expect((await upstream.server.answerTo(0)).result).toEqual({ roots: [] });
    expect((await upstream.server.answerTo('e')).error.code).toBe(-32601);
    expect(client.lines).toHaveLength(1);
  });

  // Field bugs 6 and 8.
  it('offers an older version once when initialize is refused', async () => {
    const offered: string[] = [];
    const { client } = createHarness({
      version: '2025-03-26',
      on: (message, server) => {
        if (message.method !== 'initialize') return false;
        offered.push(message.params.protocolVersion);
        if (offered.length > 1) return false;
        server.fail(message, -32602, 'no', { supported: ['2024-11-05', '2025-03-26'] });
        return true;
      },
    });
    await client.request(discover);
    expect(offered).toEqual(['2025-11-25', '2025-03-26']);
  });

  it.each([
    [
      'refuses twice',
      {
        on: (message: any, server: any) =>
          message.method === 'initialize' && (server.fail(message, -32000, 'no'), true),
      },
    ],
    ['speaks a version nobody knows', { version: '2023-01-01' }],
    ['says it is modern', { version: '2026-07-28' }],
    [
      'answers with an empty result',
      {
        on: (message: any, server: any) =>
          message.method === 'initialize' && (server.answer(message, {}), true),
      },
    ],
    ['exits at once', { on: (_: any, server: any) => (server.exit(), true) }],
  ])('gives one readable error when the server %s', async (_, script) => {
    const { client, bridge } = createHarness(script);
    const { error } = await client.request(discover);
    expect(error).toMatchObject({
      code: -32603,
      data: { source: 'mcp-bridge', reason: 'upstream_unavailable' },
    });
    expect(error.message).toMatch(/^The legacy server is not available: .{10}/);
    expect(bridge.isUpstreamBroken).toBe(true);
  });

  it('is shared by all who wait, and not cut short by one who does not any more', async () => {
    const { upstream, client } = createHarness({ on: ({ method }) => method === 'initialize' });
    const { id, answer } = client.send({ method: 'tools/list' });
    const call = client.call('a');
    await settled();
    client.cancel(id);
    void answer;
    const { server } = upstream;
    server.answer(await server.next('initialize'), {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'slow', version: '1' },
    });
    server.text(await server.next('tools/call'), 'done');
    expect((await call).result.content[0].text).toBe('done');
    expect(upstream.servers).toHaveLength(1);
    expect(server.count('tools/list')).toBe(0);
  });

  it('gives up a server that does not start in time, for all who wait', async () => {
    const { client, clock, upstream } = createHarness({ on: () => true }, { startTimeoutMs: 60_000 });
    const waiting = [client.request(discover), client.call('a'), client.request({ method: 'tools/list' })];
    await settled();
    clock.advance(60_000);
    for (const { error } of await Promise.all(waiting))
      expect(error.data.reason).toBe('upstream_unavailable');
    expect(upstream.servers).toHaveLength(1);
    expect(upstream.server.isClosed).toBe(true);
  });

  // Field bug 16.
  it('answers discover as the first message, while the server starts, and again and again', async () => {
    const { client, upstream } = createHarness();
    const answers = await Promise.all([1, 2, 3].map(() => client.request(discover)));
    for (const { result } of answers) expect(result.capabilities.tools).toEqual({ listChanged: true });
    expect(upstream.server.count('initialize')).toBe(1);
  });
});
