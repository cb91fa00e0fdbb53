// Hostile input at the HTTP face: the right status and error for each, and the bridge still serves.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metadata } from '../support/harness.ts';
import { headersFor, HttpHarness, type RawRequest } from '../support/http-harness.ts';

let harness: HttpHarness;

beforeAll(async () => {
  harness = await new HttpHarness(
    {
      on: (message, server) => {
        if (message.method === 'tools/list') server.answer(message, { tools: [] });
        else if (message.method === 'tools/call') server.text(message, 'ok');
        else return false;
        return true;
      },
    },
    {},
    {
      maxMessageBytes: 64 * 1024,
      allowedOrigins: ['https://app.example'],
      allowedHosts: ['bridge.internal'],
    },
  ).start();
});

afterAll(() => harness.stop());

const good = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a', _meta: metadata() } };
const text = JSON.stringify(good);
const headers = headersFor(good);
const body = (changed: unknown): RawRequest => ({
  headers,
  body: typeof changed === 'string' ? changed : JSON.stringify(changed),
});
const withParams = (params: object): RawRequest => body({ ...good, params: { ...good.params, ...params } });
const withMethod = (method: string): RawRequest => ({
  headers: { ...headers, 'Mcp-Method': method },
  body: JSON.stringify({ ...good, method }),
});

const cases: readonly [name: string, raw: RawRequest, status: number, code: number][] = [
  ['an empty body', body(''), 400, -32700],
  ['half an object', body(text.slice(0, 40)), 400, -32700],
  ['HTML', body('<html></html>'), 400, -32700],
  ['two objects', body(text + text), 400, -32700],
  ['a frame smuggled behind a line break', body(`${text}\n${text}`), 400, -32700],
  [
    'bytes that are no UTF-8',
    { headers, body: Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]) },
    400,
    -32700,
  ],
  ['an empty batch', body([]), 400, -32600],
  ['a batch of two', body([good, good]), 400, -32600],
  ['a number', body('5'), 400, -32600],
  ['null', body('null'), 400, -32600],
  ['no jsonrpc', body({ ...good, jsonrpc: undefined }), 400, -32600],
  ['id null', body({ ...good, id: null }), 400, -32600],
  ['id 1.5', body({ ...good, id: 1.5 }), 400, -32600],
  ['an id that is an object', body({ ...good, id: {} }), 400, -32600],
  ['a method that is a number', body({ ...good, method: 5 }), 400, -32600],
  ['a method twice', body(text.replace('{', '{"method":"tools/list",')), 400, -32600],
  ['a response', body({ jsonrpc: '2.0', id: 1, result: {} }), 400, -32600],
  ['params that are a string', body({ ...good, params: 'oops' }), 400, -32602],
  ['no metadata', body({ ...good, params: { name: 'a' } }), 400, -32602],
  [
    'no capabilities',
    withParams({ _meta: { ...metadata(), 'io.modelcontextprotocol/clientCapabilities': 5 } }),
    400,
    -32602,
  ],
  ['arguments that are a number', withParams({ arguments: 5 }), 400, -32602],
  ['inputResponses that are null', withParams({ inputResponses: null }), 400, -32602],
  [
    'a bad log level',
    withParams({ _meta: { ...metadata(), 'io.modelcontextprotocol/logLevel': 'loud' } }),
    400,
    -32602,
  ],
  ['a forged request state', withParams({ requestState: 'process.AAAA' }), 200, -32602],
  [
    'nesting of 100,000',
    body(text.replace('"name":"a"', `"name":"a","arguments":{"x":${'['.repeat(30_000)}`)),
    400,
    -32700,
  ],
  ['an unknown method', withMethod('foo/bar'), 404, -32601],
  ['a retired method', withMethod('ping'), 404, -32601],
  ['a task method', withMethod('tasks/get'), 404, -32601],
  ['GET', { method: 'GET' }, 405, -32600],
  ['DELETE', { method: 'DELETE' }, 405, -32600],
  ['the DELETE of no session', { method: 'DELETE', headers: { 'Mcp-Session-Id': 'x' } }, 404, -32600],
  ['PUT', { method: 'PUT', body: text }, 405, -32600],
  ['another path', { ...body(text), path: '/other' }, 404, -32600],
  ['another media type', { headers: { ...headers, 'Content-Type': 'text/plain' }, body: text }, 415, -32600],
  ['a foreign origin', { headers: { ...headers, Origin: 'http://evil.test' }, body: text }, 403, -32600],
  ['origin null', { headers: { ...headers, Origin: 'null' }, body: text }, 403, -32600],
  [
    'an origin that looks like localhost',
    { headers: { ...headers, Origin: 'http://localhost.evil.test' }, body: text },
    403,
    -32600,
  ],
  ['a foreign host', { headers: { ...headers, Host: 'evil.test' }, body: text }, 403, -32600],
  [
    'an absolute target of a foreign host',
    { headers, body: text, path: 'http://evil.test/mcp' },
    403,
    -32600,
  ],
  ['a body over the limit', body(text + ' '.repeat(70_000)), 413, -32600],
];

describe('hostile input', () => {
  it.each(cases)('%s', async (_, raw, status, code) => {
    const before = harness.upstream.servers
      .flatMap((server) => server.rawReceived)
      .filter((line) => line.includes('tools/call')).length;
    const reply = await harness.send(raw);
    expect([reply.status, reply.answer.error.code]).toEqual([status, code]);
    expect(reply.text).not.toMatch(/node_modules|\.ts:|at \w+ \(/);
    const after = harness.upstream.servers
      .flatMap((server) => server.rawReceived)
      .filter((line) => line.includes('tools/call')).length;
    expect(after).toBe(before);
    expect((await harness.post('tools/call', { name: 'a' })).answer.result.content[0].text).toBe('ok');
  });

  // Field bug 89.
  it('a body that claims to be huge is refused before it comes', async () => {
    const { port } = harness.url;
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9000000000\r\n\r\n{',
    );
    const answer = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    expect(answer.toString()).toMatch(/^HTTP\/1.1 413 /);
    await new Promise((resolve) => socket.once('close', resolve));
  });

  it('an endless chunked body is cut at the limit', async () => {
    const { port } = harness.url;
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    for (let count = 0; count < 8; count += 1) socket.write(chunk);
    const answer = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    expect(answer.toString()).toMatch(/^HTTP\/1.1 413 /);
    await new Promise((resolve) => socket.once('close', resolve));
  });
});

describe('what is not hostile', () => {
  // Rule 1.9; field bugs 86, 87 and 88.
  it.each([
    ['old session and stream headers', { 'Mcp-Session-Id': 'x', 'Last-Event-ID': '7' }],
    ['an origin of loopback', { Origin: 'http://localhost:1234' }],
    ['an allowed origin', { Origin: 'https://app.example' }],
    ['an allowed host', { Host: 'bridge.internal:8080' }],
    ['a host of loopback', { Host: '[::1]:8080' }],
    ['a media type with parameters', { 'Content-Type': 'Application/JSON; charset=utf-8' }],
  ])('%s', async (_, more) => {
    const reply = await harness.post('tools/call', { name: 'a' }, { headers: more });
    expect(reply.status).toBe(200);
    expect(reply.headers).not.toHaveProperty('mcp-session-id');
  });

  it('a notification is taken with 202 and no body', async () => {
    const reply = await harness.send(
      body({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }),
    );
    expect([reply.status, reply.text]).toEqual([202, '']);
  });

  it('a page of an allowed origin may send MCP headers and read the answer', async () => {
    const preflight = await harness.send({
      method: 'OPTIONS',
      headers: {
        Origin: 'https://app.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers':
          'mcp-method, mcp-name, mcp-protocol-version, authorization, content-type, mcp-param-x, x-evil',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-headers':
        'mcp-method, mcp-name, mcp-protocol-version, authorization, content-type, mcp-param-x',
      vary: 'Origin',
    });
    const reply = await harness.post(
      'tools/call',
      { name: 'a' },
      { headers: { Origin: 'https://app.example' } },
    );
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      vary: 'Origin',
    });
    const foreign = await harness.send({ method: 'OPTIONS', headers: { Origin: 'https://evil.example' } });
    expect(foreign.headers).not.toHaveProperty('access-control-allow-origin');
  });
});
