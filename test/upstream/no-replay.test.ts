// What may have run is never sent again.
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../support/fake-http-server.ts';
import { isCall, setupHttp, textOf } from '../support/upstream-harness.ts';

describe('what may have run is never sent again', () => {
  const faults: [string, (exchange: Exchange) => void][] = [
    ['a reset before the answer', ({ response }) => response.socket!.destroy()],
    [
      'a stream cut in the middle',
      ({ stream, response }) => {
        stream().raw('data: {"jsonrpc":"2.0"');
        response.socket!.end();
      },
    ],
    [
      'a JSON body cut in the middle',
      ({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        response.write('{"jsonrpc"');
        response.socket!.end();
      },
    ],
    ['500', ({ response }) => response.writeHead(500).end('oops')],
    [
      '502',
      ({ response }) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
    ],
    ['503', ({ response }) => response.writeHead(503, { 'retry-after': '1' }).end()],
    ['504', ({ response }) => response.writeHead(504).end()],
    ['429', ({ response }) => response.writeHead(429).end()],
    [
      'a stream that ends without an event id',
      ({ stream }) => {
        stream().end();
      },
    ],
  ];
  it.each(faults)('%s', async (_, fault) => {
    const { client, server } = await setupHttp({
      on: (exchange) => {
        if (!isCall(exchange) || exchange.message.params.name !== 'count') return false;
        exchange.server.runs.set('count', (exchange.server.runs.get('count') ?? 0) + 1);
        fault(exchange);
        return true;
      },
    });
    const { error } = await client.call('count');
    expect(error).toMatchObject({
      code: -32603,
      data: { source: 'mcp-bridge', reason: 'upstream_no_answer' },
    });
    expect(textOf(await client.call('other'))).toBe('other has run');
    expect(server.runs.get('count')).toBe(1);
    expect(server.count('initialize')).toBe(1);
  });

  it('a kept connection that the server closes as the next request comes', async () => {
    const { client, server } = await setupHttp({
      on: (exchange) => {
        if (!isCall(exchange)) return false;
        exchange.text('ran');
        const { socket } = exchange.response;
        exchange.response.on('finish', () => socket?.end());
        return true;
      },
    });
    for (let count = 0; count < 20; count += 1) await client.call('count');
    expect(server.count('tools/call')).toBe(20);
  });
});
