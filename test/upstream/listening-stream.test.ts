// The stream of the server's own. spec 2025-11-25 basic/transports#listening-for-messages-from-the-server
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../support/fake-http-server.ts';
import { setupHttp, textOf } from '../support/upstream-harness.ts';

describe("the stream of the server's own", () => {
  const refusals: [string, (exchange: Exchange) => void][] = [
    ['405', ({ response }) => response.writeHead(405).end()],
    ['404', ({ response }) => response.writeHead(404).end()],
    [
      '400',
      ({ json }) => {
        json({ error: { code: -32000, message: 'no' } }, 400);
      },
    ],
    [
      '200 with JSON',
      ({ json }) => {
        json({ result: {} });
      },
    ],
    ['silence', () => undefined],
  ];
  it.each(refusals)('%s: there is none, and nothing waits for it', async (answer, refuse) => {
    const { client, server, clock } = await setupHttp({
      on: (exchange) => {
        if (exchange.method !== 'GET') return false;
        refuse(exchange);
        return true;
      },
    });
    const call = client.call('one');
    if (answer === 'silence') {
      await server.until(() => server.count('GET') === 1);
      clock.advance(250);
    }
    expect(textOf(await call)).toBe('one has run');
    clock.advance(600_000);
    expect(textOf(await client.call('two'))).toBe('two has run');
    expect(server.count('GET')).toBe(1);
    expect(server.count('initialize')).toBe(1);
  });

  it('is opened again ever more slowly while it brings nothing, and at once again when it has', async () => {
    const { client, server, clock } = await setupHttp();
    await client.call('one');
    for (const delayMs of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
      const count = server.count('GET');
      await server.until(() => server.listeners.size === 1);
      for (const listener of server.listeners) listener.end();
      await clock.timerOf(delayMs);
      clock.advance(delayMs);
      await server.until(() => server.count('GET') === count + 1);
    }
    await server.until(() => server.listeners.size === 1);
    server.say({ method: 'notifications/message', params: { level: 'info', data: 'hello' } });
    for (const listener of server.listeners) listener.end();
    await clock.timerOf(1000);
  });

  it('waits as long as the server wants, and says where it was', async () => {
    const { client, server, clock } = await setupHttp();
    await client.call('one');
    await server.until(() => server.listeners.size === 1);
    const [listener] = server.listeners;
    listener!.event(
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
      { id: 'é-7', retry: 2500 },
    );
    listener!.end();
    await clock.timerOf(2500);
    clock.advance(2500);
    await server.until(() => server.count('GET') === 2);
    const again = server.requests.filter(({ method }) => method === 'GET')[1]!;
    expect(Buffer.from(again.headers['last-event-id'] as string, 'latin1').toString('utf8')).toBe('é-7');
  });

  it('409 and 5xx: later', async () => {
    const statuses = [409, 503, 200];
    const { client, server, clock } = await setupHttp({
      on: (exchange) => {
        if (exchange.method !== 'GET') return false;
        const status = statuses.shift();
        if (status === 200) return false;
        exchange.response.writeHead(status!).end();
        return true;
      },
    });
    await client.call('one');
    await clock.timerOf(1000);
    clock.advance(1000);
    await clock.timerOf(2000);
    clock.advance(2000);
    await server.until(() => server.listeners.size === 1);
  });

  it('pings on it are answered at once', async () => {
    const { client, server } = await setupHttp();
    await client.call('one');
    await server.until(() => server.listeners.size === 1);
    server.say({ id: 'p', method: 'ping' });
    await server.until(() => server.requests.some(({ message }) => message.id === 'p'));
    expect(server.requests.find(({ message }) => message.id === 'p')!.message.result).toEqual({});
  });
});
