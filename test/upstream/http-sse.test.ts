// A legacy server over HTTP+SSE. spec 2024-11-05 basic/transports#http-with-sse
import { describe, expect, it, onTestFinished } from 'vitest';
import { FakeSseServer, ssePath, type SseScript } from '../support/fake-sse-server.ts';
import { form } from '../support/harness.ts';
import {
  setupBefore,
  textOf,
  type HarnessOptions,
  type UpstreamHarness,
} from '../support/upstream-harness.ts';

type Setup = UpstreamHarness & { readonly server: FakeSseServer };

async function setup(script: SseScript = {}, options: HarnessOptions = {}): Promise<Setup> {
  return setupBefore(await new FakeSseServer(script).start(), options);
}

describe('a server over HTTP+SSE', () => {
  it.each([400, 404, 405])('is found by itself when the POST is refused with %i', async (refusal) => {
    const { client, server } = await setup({ refusal });
    expect(textOf(await client.call('one'))).toBe('one has run');
    expect(textOf(await client.call('two'))).toBe('two has run');
    expect(server.streams).toHaveLength(1);
    expect(server.requests.filter(({ method, url }) => method === 'POST' && url === ssePath)).toHaveLength(1);
    expect(server.requests.every(({ headers }) => headers['mcp-session-id'] === undefined)).toBe(true);
  });

  it.each([401, 403, 500, 503])('is not looked for behind a %i', async (refusal) => {
    const { client, server } = await setup({ refusal });
    const { error } = await client.call('one');
    expect(error.data.reason).toBe('upstream_unavailable');
    expect(error.message).toContain(String(refusal));
    expect(server.streams).toHaveLength(0);
  });

  it('behind a 400 that names versions: those are offered on the transport that refused', async () => {
    const { client, server } = await setup({ refusal: 400, endpoint: undefined });
    const call = client.call('one');
    await server.until(() => server.streams.length === 1);
    server.stream.end();
    await server.until(() => server.streams.length === 2);
    server.stream.end();
    for (let more = 3; more <= 4; more += 1) {
      await server.until(() => server.streams.length === more);
      server.stream.end();
    }
    expect((await call).error.data.reason).toBe('upstream_unavailable');
  });

  it.each([
    ['/messages?sid=1', '/messages?sid=1'],
    ['messages?sid=1', '/a/b/messages?sid=1'],
    ['?sid=1', `${ssePath}?sid=1`],
    ['../x', '/a/x'],
  ])('the endpoint %s', async (endpoint, url) => {
    const { client, server } = await setup({ endpoint });
    expect(textOf(await client.call('one'))).toBe('one has run');
    expect(server.requests.at(-1)!.url).toBe(url);
  });

  it('an endpoint with the whole URL, of the same origin', async () => {
    const { client, server } = await setup({
      endpoint: (port) => `http://127.0.0.1:${String(port)}/m?sid=1`,
    });
    expect(textOf(await client.call('one'))).toBe('one has run');
    expect(server.requests.at(-1)!.url).toBe('/m?sid=1');
  });

  it.each([
    ['CRLF', 'event: endpoint\r\ndata: /m?sid=1\r\n\r\n'],
    ['the data before the name', 'data: /m?sid=1\nevent: endpoint\n\n'],
    ['CR alone', 'event: endpoint\rdata: /m?sid=1\r\r'],
    ['no space behind the colon', 'event:endpoint\ndata:/m?sid=1\n\n'],
  ])('an endpoint event with %s', async (_, rawEndpoint) => {
    const { client, server } = await setup({ rawEndpoint });
    expect(textOf(await client.call('one'))).toBe('one has run');
    expect(server.requests.at(-1)!.url).toBe('/m?sid=1');
  });

  it('an endpoint at another origin is not gone to', async () => {
    const other = await new FakeSseServer().start();
    onTestFinished(() => other.stop());
    const { client } = await setup({ endpoint: `http://127.0.0.1:${String(other.port)}/messages` });
    const { error } = await client.call('one');
    expect(error.data.reason).toBe('upstream_unavailable');
    expect(other.requests).toEqual([]);
  });

  it('an endpoint that comes late is waited for, and a second one is not followed', async () => {
    const { client, server } = await setup({ endpoint: undefined });
    const call = client.call('one');
    await server.until(() => server.streams.length === 1);
    server.stream.write(': still here\n\n');
    server.sayEndpoint('/late');
    expect(textOf(await call)).toBe('one has run');
    server.sayEndpoint('/second');
    expect(textOf(await client.call('two'))).toBe('two has run');
    expect(server.requests.at(-1)!.url).toBe('/late');
  });

  it('an endpoint that never comes: the start ends in time', async () => {
    const { client } = await setup({ endpoint: undefined }, { bridge: { startTimeoutMs: 50 } });
    expect((await client.call('one')).error.data.reason).toBe('upstream_unavailable');
  });

  it('a stream that dies fails its calls at once, and the next call shakes hands anew', async () => {
    const { client, server } = await setup({
      on: ({ method, params }, { stream }, response) => {
        if (method !== 'tools/call' || params.name !== 'die') return false;
        response.writeHead(202).end();
        stream.end();
        return true;
      },
    });
    expect((await client.call('die')).error.data.reason).toBe('upstream_exited');
    expect(textOf(await client.call('after'))).toBe('after has run');
    expect(server.streams).toHaveLength(2);
    expect(server.handshakes).toBe(2);
    expect(server.requests.filter(({ message }) => message.params?.name === 'die')).toHaveLength(1);
    // It is known by now that the server speaks this transport.
    expect(server.requests.filter(({ method, url }) => method === 'POST' && url === ssePath)).toHaveLength(1);
  });

  it('a POST that is refused fails its call alone', async () => {
    const { client, server } = await setup({
      on: ({ method, params }, _, response) => {
        if (method !== 'tools/call' || params.name !== 'refused') return false;
        response.writeHead(500).end();
        return true;
      },
    });
    expect((await client.call('refused')).error.data.reason).toBe('upstream_no_answer');
    expect(textOf(await client.call('after'))).toBe('after has run');
    expect(server.streams).toHaveLength(1);
  });

  it('a POST for a session that is not known moves to a new one', async () => {
    let isFirst = true;
    const { client, server } = await setup({
      on: ({ method }, _, response) => {
        if (method !== 'tools/call' || !isFirst) return false;
        isFirst = false;
        response.writeHead(404).end('no such session');
        return true;
      },
    });
    expect(textOf(await client.call('one'))).toBe('one has run');
    expect(server.handshakes).toBe(2);
  });

  it('a question goes to the call that is there', async () => {
    const { client } = await setup({
      on: ({ method }, server, response) => {
        if (method !== 'tools/call') return false;
        response.writeHead(202).end();
        server.say({ id: 'q', method: 'elicitation/create', params: form('name') });
        return true;
      },
    });
    expect((await client.call('asks')).result.resultType).toBe('input_required');
  });
});
