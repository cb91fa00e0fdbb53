// First contact over HTTP: versions that are refused, servers of another era, and none at all.
import { describe, expect, it } from 'vitest';
import { httpHarness, setupHttp, textOf } from '../support/upstream-harness.ts';
import type { Exchange } from '../support/fake-http-server.ts';

const isInitialize = ({ message }: Exchange): boolean => message.method === 'initialize';
const noStream = (exchange: Exchange): boolean => {
  if (exchange.method !== 'GET') return false;
  exchange.response.writeHead(405).end();
  return true;
};

describe('a server that refuses a version', () => {
  it.each([
    ['text', 'Unsupported protocol version (supported: 2025-06-18, 2025-03-26)', 'text/plain'],
    [
      'a JSON-RPC error',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"x","data":{"supported":["2025-06-18"]}}}',
      'application/json',
    ],
    ['nothing', '', 'text/plain'],
  ])('by 400 and %s is offered an older one', async (_, body, type) => {
    const { client, server } = await setupHttp({
      version: '2025-06-18',
      on: (exchange) => {
        if (noStream(exchange)) return true;
        if (!isInitialize(exchange) || exchange.message.params.protocolVersion === '2025-06-18') return false;
        exchange.response.writeHead(400, { 'content-type': type }).end(body);
        return true;
      },
    });
    expect(textOf(await client.call('one'))).toBe('one has run');
    const offers = server.requests.filter(({ message }) => message.method === 'initialize');
    expect(offers.map(({ message }) => message.params.protocolVersion)).toEqual(['2025-11-25', '2025-06-18']);
    for (const { headers } of offers) expect(headers['mcp-protocol-version']).toBeUndefined();
  });

  it('that knows none of them: the error names both sides', async () => {
    const { client, server } = await setupHttp({
      on: (exchange) => {
        if (noStream(exchange)) return true;
        exchange.response.writeHead(400).end('supported: 2023-01-01');
        return true;
      },
    });
    const { error } = await client.call('one');
    expect(error.message).toContain('2025-11-25');
    expect(error.message).toContain('2023-01-01');
    expect(server.count('initialize')).toBe(1);
  });

  it('by 400 and HTML: each is offered once', async () => {
    const { client, server } = await setupHttp({
      on: (exchange) => {
        if (noStream(exchange)) return true;
        exchange.response.writeHead(400, { 'content-type': 'text/html' }).end('<h1>Bad request</h1>');
        return true;
      },
    });
    expect((await client.call('one')).error.data.reason).toBe('upstream_unavailable');
    expect(server.count('initialize')).toBe(4);
  });
});

describe('a server of the modern revision alone', () => {
  it('gets requests of its own kind from then on, and is looked for on no other transport', async () => {
    const tool = {
      name: 'one',
      inputSchema: { type: 'object', properties: { r: { type: 'string', 'x-mcp-header': 'Region' } } },
    };
    const { client, server } = await setupHttp({
      on: ({ json, message }) => {
        const data = { supported: ['2026-07-28'], requested: '2025-11-25' };
        if (message.method === 'initialize')
          json({ id: message.id, error: { code: -32022, message: 'Unsupported version', data } }, 400);
        else if (message.method === 'tools/list')
          json({
            id: message.id,
            result: { resultType: 'complete', tools: [tool], ttlMs: 0, cacheScope: 'private' },
          });
        else if (message.params.name === 'refused')
          json({ id: message.id, error: { code: -32601, message: 'no' } }, 404);
        else json({ id: message.id, result: { resultType: 'complete', content: [], x: 1.0 } });
        return true;
      },
    });
    const { result } = await client.call('one', { r: 'ä' });
    expect(result).toEqual({ resultType: 'complete', content: [], x: 1 });
    expect((await client.call('refused')).error).toEqual({ code: -32601, message: 'no' });
    const [initialize, list, call, refused, ...more] = server.requests;
    expect(more).toEqual([]);
    expect(initialize!.headers['mcp-protocol-version']).toBeUndefined();
    expect(list!.headers).toMatchObject({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' });
    expect(call!.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'one',
      'mcp-param-region': `=?base64?${Buffer.from('ä').toString('base64')}?=`,
    });
    expect(refused!.headers['mcp-name']).toBe('refused');
    for (const { headers } of server.requests) expect(headers['mcp-session-id']).toBeUndefined();
  });

  it('is told by the end of a response that its request is cancelled', async () => {
    let isCut = false;
    const { client, server } = await setupHttp({
      on: ({ json, message, response }) => {
        if (message.method === 'tools/call') response.on('close', () => (isCut = true));
        if (message.method === 'initialize')
          json({ id: message.id, error: { code: -32022, message: 'Unsupported version' } }, 400);
        if (message.method === 'tools/list')
          json({
            id: message.id,
            result: { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' },
          });
        return true;
      },
    });
    const { id } = client.send({ method: 'tools/call', params: { name: 'one' } });
    await expect.poll(() => server.requests.length).toBe(3);
    client.cancel(id);
    await expect.poll(() => isCut).toBe(true);
    expect(server.requests).toHaveLength(3);
  });
});

describe('a server that is not there', () => {
  it('fails at once, and is found when it has come', async () => {
    const { server, ...harness } = await setupHttp();
    await server.stop();
    const { client, close } = httpHarness(server.url);
    const { error } = await client.call('one');
    expect(error).toMatchObject({ code: -32603, data: { reason: 'upstream_unavailable' } });
    expect(error.message).toContain('ECONNREFUSED');
    expect(error.message).not.toContain('127.0.0.1');
    await server.start(server.port);
    expect(textOf(await client.call('two'))).toBe('two has run');
    await close();
    await harness.close();
  });

  it('that never answers initialize: the start ends in time', async () => {
    const { client } = await setupHttp({ on: () => true }, { bridge: { startTimeoutMs: 50 } });
    expect((await client.call('one')).error.data.reason).toBe('upstream_unavailable');
  });

  it.each([500, 502, 503])('that answers %i to initialize', async (status) => {
    const { client, server } = await setupHttp({
      on: ({ response }) => {
        response.writeHead(status).end();
        return true;
      },
    });
    const { error } = await client.call('one');
    expect(error.message).toContain(`HTTP ${String(status)}`);
    expect(server.requests).toHaveLength(1);
  });
});

describe('a server that wants credentials', () => {
  it.each([401, 403])(
    'by %i and a JSON-RPC error: the reason is named, and no version is tried',
    async (status) => {
      const { client, server } = await setupHttp({
        on: ({ json }) => {
          json({ id: null, error: { code: -32000, message: 'Unauthorized' } }, status);
          return true;
        },
      });
      expect((await client.call('one')).error.message).toContain(`credentials (HTTP ${String(status)})`);
      expect(server.requests).toHaveLength(1);
    },
  );
});

describe('a 500 on a call', () => {
  it('is no reason for another handshake or another transport', async () => {
    const { client, server } = await setupHttp({
      on: ({ message, json }) => {
        if (message.method !== 'tools/call') return false;
        json({ id: message.id, error: { code: -32603, message: 'Internal error' } }, 500);
        return true;
      },
    });
    expect((await client.call('one')).error).toEqual({ code: -32603, message: 'Internal error' });
    expect(server.count('initialize')).toBe(1);
    expect(server.count('tools/call')).toBe(1);
    expect(server.count('GET')).toBe(1);
  });
});
