// The server does not know the session any more. spec 2025-11-25 basic/transports#session-management
import { describe, expect, it } from 'vitest';
import type { Exchange, FakeScript } from '../support/fake-http-server.ts';
import { isCall, setupHttp, textOf } from '../support/upstream-harness.ts';

describe('a session that is gone', () => {
  const disguises: [string, (exchange: Exchange) => void][] = [
    [
      '404 as the specification has it',
      ({ json }) => {
        json({ error: { code: -32001, message: 'Session not found' } }, 404);
      },
    ],
    [
      '404 with HTML',
      ({ response }) => response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>'),
    ],
    [
      '404 with a body that is no answer',
      ({ json, message }) => {
        json({ id: message.id ?? 1 }, 404);
      },
    ],
    [
      '400 -32000',
      ({ json }) => {
        json(
          { id: null, error: { code: -32000, message: 'Bad Request: No valid session ID provided' } },
          400,
        );
      },
    ],
    [
      '400 of a server that was started anew',
      ({ json }) => {
        json({ id: null, error: { code: -32000, message: 'Bad Request: Server not initialized' } }, 400);
      },
    ],
    ['400 without a word', ({ response }) => response.writeHead(400).end()],
    [
      '200 with an error',
      ({ json, message }) => {
        json({ id: message.id ?? null, error: { code: -32001, message: 'Session not found' } });
      },
    ],
  ];
  const expiring = (refuse: (exchange: Exchange) => void): FakeScript => ({
    on: (exchange) => {
      const id = exchange.headers['mcp-session-id'] as string | undefined;
      if (id === undefined || exchange.server.sessions.has(id)) return false;
      refuse(exchange);
      return true;
    },
  });

  it.each(disguises)('%s: one new handshake, and the client sees only success', async (_, refuse) => {
    const { client, server } = await setupHttp(expiring(refuse));
    await client.call('one');
    server.sessions.clear();
    expect(textOf(await client.call('two'))).toBe('two has run');
    expect(server.count('initialize')).toBe(2);
    expect(server.runs.get('two')).toBe(1);
    const second = server.requests.filter(({ message }) => message.method === 'initialize')[1]!;
    expect(second.headers['mcp-session-id']).toBeUndefined();
    expect(second.headers['mcp-protocol-version']).toBeUndefined();
  });

  it('lists move to the new session as well', async () => {
    const { client, server } = await setupHttp();
    await client.call('one');
    server.sessions.clear();
    expect((await client.request({ method: 'tools/list' })).result.tools).toEqual([]);
    expect(server.count('initialize')).toBe(2);
  });

  it('an ordinary 400, and an ordinary error about some session, are no reason for a new one', async () => {
    const { client, server } = await setupHttp({
      on: (exchange) => {
        if (!isCall(exchange)) return false;
        const { params, id } = exchange.message;
        if (params.name === 'refused') exchange.response.writeHead(400).end();
        else if (params.name === 'bad')
          exchange.json({ id, error: { code: -32602, message: 'Bad argument' } }, 400);
        else exchange.json({ id, error: { code: -32001, message: 'No browser session' } });
        return true;
      },
    });
    expect((await client.call('refused')).error.message).toContain('HTTP 400');
    expect((await client.call('bad')).error.message).toBe('Bad argument');
    expect((await client.call('browser')).error).toMatchObject({
      code: -32001,
      message: 'No browser session',
    });
    expect(server.count('initialize')).toBe(1);
    expect(server.count('tools/call')).toBe(3);
  });

  it("a call's own error is passed on, though the session goes in the same moment, and not run again", async () => {
    const { client, server } = await setupHttp({
      on: (exchange) => {
        if (!isCall(exchange) || exchange.message.params.name !== 'count') return false;
        exchange.server.runs.set('count', (exchange.server.runs.get('count') ?? 0) + 1);
        exchange.json({ id: exchange.message.id, error: { code: -32603, message: 'Failed' } }, 400);
        exchange.server.sessions.clear();
        return true;
      },
    });
    expect((await client.call('count')).error.message).toBe('Failed');
    expect(server.runs.get('count')).toBe(1);
    expect(textOf(await client.call('next'))).toBe('next has run');
  });

  it('a 404 without a session is an error of that request', async () => {
    const { client, server } = await setupHttp({
      hasSessions: false,
      on: (exchange) => {
        if (!isCall(exchange)) return false;
        exchange.response.writeHead(404).end();
        return true;
      },
    });
    expect((await client.call('one')).error.data.reason).toBe('upstream_no_answer');
    expect(server.count('initialize')).toBe(1);
  });

  it('ten calls in flight: one new handshake and ten right answers, each run once', async () => {
    const { client, server } = await setupHttp();
    await client.call('first');
    server.sessions.clear();
    const names = Array.from({ length: 10 }, (_, index) => `tool-${String(index)}`);
    const answers = await Promise.all(names.map((name) => client.call(name)));
    expect(answers.map(textOf)).toEqual(names.map((name) => `${name} has run`));
    expect(server.count('initialize')).toBe(2);
    expect(names.map((name) => server.runs.get(name))).toEqual(names.map(() => 1));
  });

  it('gone a second time in a row: the client is told, and nothing loops', async () => {
    const { client, server } = await setupHttp({
      on: (exchange) => {
        if (!isCall(exchange)) return false;
        exchange.json({ error: { code: -32001, message: 'Session not found' } }, 404);
        return true;
      },
    });
    const { error } = await client.call('one');
    expect(error.data.reason).toBe('upstream_exited');
    expect(server.count('initialize')).toBe(2);
    expect(server.count('tools/call')).toBe(2);
  });

  it('while other calls still run on the old one: they end there', async () => {
    let finish = (): void => undefined;
    const { client, server } = await setupHttp({
      on: (exchange) => {
        if (!isCall(exchange) || exchange.message.params.name !== 'slow') return false;
        const stream = exchange.stream();
        finish = () => {
          const result = { content: [{ type: 'text', text: 'slow has ended' }] };
          stream.event({ jsonrpc: '2.0', id: exchange.message.id, result });
          stream.end();
        };
        return true;
      },
    });
    const slow = client.call('slow');
    await server.until(() => server.count('tools/call') === 1);
    server.sessions.clear();
    expect(textOf(await client.call('quick'))).toBe('quick has run');
    finish();
    expect(textOf(await slow)).toBe('slow has ended');
  });

  it("noticed by the stream of the server's own: subscriptions are restored and told", async () => {
    const { client, server, clock } = await setupHttp();
    const listening = client.send({
      method: 'subscriptions/listen',
      params: { notifications: { resourceSubscriptions: ['file:///a'] } },
    });
    await client.notification('notifications/subscriptions/acknowledged');
    await server.until(() => server.listeners.size === 1);
    server.sessions.clear();
    for (const listener of server.listeners) listener.end();
    await clock.timerOf(1000);
    clock.advance(1000);
    const updated = await client.notification('notifications/resources/updated');
    expect(updated.params.uri).toBe('file:///a');
    await server.until(() => server.count('resources/subscribe') === 2 && server.listeners.size === 1);
    server.say({ method: 'notifications/resources/updated', params: { uri: 'file:///a' } });
    await client.notification('notifications/resources/updated');
    client.cancel(listening.id);
  });

  it('the log level of a call moves with it', async () => {
    const { client, server } = await setupHttp();
    await client.call('one');
    server.sessions.clear();
    await client.call('two', {}, { meta: { 'io.modelcontextprotocol/logLevel': 'debug' } });
    const levels = server.requests
      .filter(({ message }) => message.method === 'logging/setLevel')
      .map(({ message, headers }) => [headers['mcp-session-id'], message.params.level]);
    expect(levels).toContainEqual(['session-2', 'debug']);
  });
});
