// What servers over HTTP answer that the specification does not foresee.
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../support/fake-http-server.ts';
import { isCall, setupHttp, textOf } from '../support/upstream-harness.ts';

describe('odd answers', () => {
  const accepted: [string, (exchange: Exchange) => void][] = [
    [
      '200 with null',
      ({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end('null'),
    ],
    ['200 and nothing', ({ response }) => response.writeHead(200).end()],
    [
      '200 with less than it announces',
      ({ response }) => response.writeHead(200, { 'content-length': '1000' }).write('{"a":'),
    ],
    ['204', ({ response }) => response.writeHead(204).end()],
    [
      '202 with a body',
      ({ response }) => response.writeHead(202, { 'content-type': 'text/plain' }).end('Accepted'),
    ],
    [
      '202 with null',
      ({ response }) => response.writeHead(202, { 'content-type': 'application/json' }).end('null'),
    ],
    ['500', ({ response }) => response.writeHead(500).end('no')],
    ['400', ({ response }) => response.writeHead(400).end('no')],
  ];
  it.each(accepted)('to a notification: %s', async (_, answer) => {
    const warnings: unknown[] = [];
    const ignore = (): void => undefined;
    const log = {
      debug: ignore,
      info: ignore,
      error: ignore,
      warn: (fields: unknown) => warnings.push(fields),
    };
    const { client, server } = await setupHttp(
      {
        on: (exchange) => {
          if (exchange.message.method !== 'notifications/initialized') return false;
          answer(exchange);
          return true;
        },
      },
      { log },
    );
    for (const name of ['one', 'two', 'three'])
      expect(textOf(await client.call(name))).toBe(`${name} has run`);
    expect(server.count('initialize')).toBe(1);
    expect(warnings.length > 0).toBe(/^[45]/.test(_));
  });

  it.each([
    'application/json; charset=utf-8',
    'Application/JSON',
    'text/event-stream;charset=UTF-8',
    'Text/Event-Stream',
    '',
    'application/vnd.acme+json',
  ])('a content type of "%s" is read', async (type) => {
    const { client } = await setupHttp({
      on: (exchange) => {
        if (!isCall(exchange)) return false;
        const frame = JSON.stringify({
          jsonrpc: '2.0',
          id: exchange.message.id,
          result: { content: [{ type: 'text', text: 'good' }] },
        });
        exchange.response.writeHead(200, type === '' ? {} : { 'content-type': type });
        exchange.response.end(/event/i.test(type) ? `data: ${frame}\r\n\r\n` : frame);
        return true;
      },
    });
    expect(textOf(await client.call('one'))).toBe('good');
  });

  it.each(['text/plain', 'text/html'])(
    'a content type of "%s" is an error of that request alone',
    async (type) => {
      let isFirst = true;
      const { client } = await setupHttp({
        on: (exchange) => {
          if (!isCall(exchange) || !isFirst) return false;
          isFirst = false;
          exchange.response.writeHead(200, { 'content-type': type }).end('<html>');
          return true;
        },
      });
      const { error } = await client.call('one');
      expect(error).toMatchObject({ code: -32603, data: { reason: 'upstream_no_answer' } });
      expect(textOf(await client.call('two'))).toBe('two has run');
    },
  );

  it.each([
    ['gzip', true],
    ['br', true],
    ['deflate', true],
    ['zstd', false],
  ])('a body that is compressed with %s', async (encoding, isRead) => {
    const zlib = await import('node:zlib');
    const compress = { gzip: zlib.gzipSync, br: zlib.brotliCompressSync, deflate: zlib.deflateSync }[
      encoding
    ];
    const { client, server } = await setupHttp({
      on: (exchange) => {
        if (!isCall(exchange)) return false;
        const body = JSON.stringify({
          jsonrpc: '2.0',
          id: exchange.message.id,
          result: { content: [{ type: 'text', text: 'good' }] },
        });
        exchange.response.writeHead(200, {
          'content-type': 'application/json',
          'content-encoding': encoding,
        });
        exchange.response.end(compress?.(Buffer.from(body)) ?? 'x');
        return true;
      },
    });
    const answer = await client.call('one');
    if (isRead) expect(textOf(answer)).toBe('good');
    else expect(answer.error.data.reason).toBe('upstream_no_answer');
    expect(server.count('tools/call')).toBe(1);
  });

  it('a bomb of zeros is cut off at the size limit', async () => {
    const zlib = await import('node:zlib');
    const { client } = await setupHttp(
      {
        on: (exchange) => {
          if (!isCall(exchange)) return false;
          exchange.response.writeHead(200, {
            'content-type': 'application/json',
            'content-encoding': 'gzip',
          });
          exchange.response.end(zlib.gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20)));
          return true;
        },
      },
      { maxMessageBytes: 100_000 },
    );
    expect((await client.call('one')).error.data.reason).toBe('message_too_large');
  });

  it('an answer twice, on its own stream and on the other: the first counts', async () => {
    const { client, server } = await setupHttp({
      on: (exchange) => {
        if (!isCall(exchange)) return false;
        const frame = (text: string): object => ({
          jsonrpc: '2.0',
          id: exchange.message.id,
          result: { content: [{ type: 'text', text }] },
        });
        const stream = exchange.stream();
        stream.event(frame('first'));
        stream.event(frame('second'));
        stream.end();
        exchange.server.say(frame('third'));
        exchange.server.say({ id: 4711, result: {} });
        return true;
      },
    });
    await client.request({ method: 'server/discover' });
    await server.until(() => server.listeners.size === 1);
    expect(textOf(await client.call('one'))).toBe('first');
    expect(textOf(await client.call('two'))).toBe('first');
    expect(client.received.filter(({ method }) => method === undefined)).toHaveLength(3);
  });

  it("an error with no id on a request's own response is the answer to that request", async () => {
    const { client } = await setupHttp({
      on: (exchange) => {
        if (!isCall(exchange)) return false;
        exchange.json({ id: null, error: { code: -32602, message: 'Bad argument', data: { a: 1 } } }, 400);
        return true;
      },
    });
    expect((await client.call('one')).error).toEqual({
      code: -32602,
      message: 'Bad argument',
      data: { a: 1 },
    });
  });

  it('a batch in a 2025-03-26 answer is read element by element', async () => {
    const { client } = await setupHttp({
      version: '2025-03-26',
      on: (exchange) => {
        if (!isCall(exchange)) return false;
        exchange.response.writeHead(200, { 'content-type': 'application/json' });
        const progress = {
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken: 0, progress: 1 },
        };
        const result = { content: [{ type: 'text', text: 'good' }] };
        exchange.response.end(
          JSON.stringify([progress, { jsonrpc: '2.0', id: exchange.message.id, result }]),
        );
        return true;
      },
    });
    expect(textOf(await client.call('one'))).toBe('good');
  });

  it("an answer that comes on the stream of the server's own after a 202", async () => {
    const { client, server } = await setupHttp({
      on: (exchange) => {
        if (!isCall(exchange)) return false;
        exchange.response.writeHead(202).end();
        exchange.server.say({
          id: exchange.message.id,
          result: { content: [{ type: 'text', text: 'late' }] },
        });
        return true;
      },
    });
    await client.request({ method: 'server/discover' });
    await server.until(() => server.listeners.size === 1);
    expect(textOf(await client.call('one'))).toBe('late');
  });
});
