// The connections under a server at a URL: trust, time, sharing, and what is left of them.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { settled } from '../support/harness.ts';
import { httpHarness, isCall, setupHttp, textOf } from '../support/upstream-harness.ts';

const pem = (name: string): string =>
  readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url), 'utf8');
/** The clock of the HTTP library, moved by hand as its own tests do. */
const timers = createRequire(import.meta.url)('undici/lib/util/timers.js') as { tick: (ms: number) => void };

describe('connections', () => {
  it('to a server whose certificate is not known are not made, unless its authority is given', async () => {
    const server = createServer({ key: pem('key'), cert: pem('cert') }, (request, response) => {
      request.resume();
      response.writeHead(503).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = new URL(`https://127.0.0.1:${String((server.address() as AddressInfo).port)}/mcp`);
    const messages = [];
    for (const ca of [undefined, [pem('cert')]]) {
      const { client, close } = httpHarness(url, { ca });
      messages.push((await client.call('one')).error.message);
      await close();
    }
    expect(messages[0]).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(messages[1]).toContain('HTTP 503');
  });

  it.each([
    ['before the head of its answer', false],
    ['in the middle of it', true],
  ])("outlast any silence of the server %s: no limit but the bridge's own counts", async (_, isStream) => {
    let answer = (): void => undefined;
    const { client, server } = await setupHttp({
      on: (exchange) => {
        if (!isCall(exchange)) return false;
        const stream = isStream ? exchange.stream() : undefined;
        const result = { content: [{ type: 'text', text: 'late' }] };
        answer = () => {
          stream?.event({ jsonrpc: '2.0', id: exchange.message.id, result });
          stream?.end();
          if (stream === undefined) exchange.text('late');
        };
        return true;
      },
    });
    const call = client.call('slow');
    await server.until(() => server.count('tools/call') === 1);
    await settled();
    // An hour, in steps as its timers see time.
    for (let minute = 0; minute < 60; minute += 1) timers.tick(60_000);
    await settled();
    answer();
    expect(textOf(await call)).toBe('late');
    expect(server.listeners.size).toBe(1);
  });

  it('are few for many calls, and one session is all that a hundred calls leave', async () => {
    const sockets = new Set<unknown>();
    const { client, server, bridge } = await setupHttp({
      on: ({ response, method }) => {
        sockets.add(response.socket);
        if (method !== 'DELETE') return false;
        response.writeHead(405).end();
        return true;
      },
    });
    for (let count = 0; count < 100; count += 1) await client.call('one');
    expect(server.count('initialize')).toBe(1);
    expect(sockets.size).toBeLessThanOrEqual(3);
    await bridge.close(0);
    expect(server.count('DELETE')).toBe(1);
    await server.until(() => server.listeners.size === 0);
  });

  it('bear a client that goes in the very moment of the answer', async () => {
    let cancel = (): void => undefined;
    const { client } = await setupHttp({
      on: (exchange) => {
        if (!isCall(exchange) || exchange.message.params.name !== 'race') return false;
        exchange.text('there');
        cancel();
        return true;
      },
    });
    await client.request({ method: 'server/discover' });
    for (let count = 0; count < 20; count += 1) {
      const { id } = client.send({ method: 'tools/call', params: { name: 'race', arguments: {} } });
      cancel = () => {
        client.cancel(id);
      };
      expect(textOf(await client.call('after'))).toBe('after has run');
    }
  });
});
