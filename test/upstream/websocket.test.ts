// A legacy server over WebSocket: what the wire can do to it.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { silentLogger as log } from '../../src/log.ts';
import type { Credentials } from '../../src/upstream/credentials.ts';
import { createWebSocketUpstream } from '../../src/upstream/websocket.ts';
import { ManualClock } from '../support/manual-clock.ts';
import type { Message } from '../support/scripted-upstream.ts';
import { harnessOf, textOf, type UpstreamHarness } from '../support/upstream-harness.ts';

interface Setup extends UpstreamHarness {
  readonly received: Message[];
  readonly sockets: WebSocket[];
  readonly headers: unknown[];
}

type Take = (message: Message, socket: WebSocket) => boolean;

async function setup(
  take: Take = () => false,
  protocols: readonly string[] = ['mcp'],
  autoPong = true,
  credentials: Credentials = { headers: () => ({ 'x-api-key': 'k' }), renew: () => Promise.resolve(false) },
  isAllowed: (key: unknown) => boolean = () => true,
): Promise<Setup> {
  const server = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    autoPong,
    verifyClient: ({ req }: { req: IncomingMessage }) => isAllowed(req.headers['x-api-key']),
    handleProtocols: (offered) => protocols.find((each) => offered.has(each)) ?? false,
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const received: Message[] = [];
  const sockets: WebSocket[] = [];
  const headers: unknown[] = [];
  server.on('connection', (socket, request) => {
    sockets.push(socket);
    headers.push(request.headers['x-api-key']);
    socket.on('message', (data) => {
      const message = JSON.parse((data as Buffer).toString('utf8')) as Message;
      received.push(message);
      if (!take(message, socket)) serve(message, socket);
    });
  });
  const clock = new ManualClock();
  const upstream = createWebSocketUpstream({
    url: new URL(`ws://127.0.0.1:${String((server.address() as AddressInfo).port)}/message`),
    clock,
    log,
    credentials,
    maxMessageBytes: 100_000,
    connectTimeoutMs: 5000,
    ca: undefined,
    agent: undefined,
  });
  const harness = harnessOf(upstream, clock);
  onTestFinished(async () => {
    const closed = harness.close();
    clock.advance(0);
    for (const socket of server.clients) socket.terminate();
    await closed;
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  return { ...harness, received, sockets, headers };
}

function serve({ id, method, params }: Message, socket: WebSocket): void {
  if (id === undefined || method === undefined) return;
  const hello = {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'ws', version: '1' },
  };
  const results: Record<string, object> = {
    initialize: hello,
    'tools/call': { content: [{ type: 'text', text: `${String(params?.name)} has run` }] },
  };
  socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
}

const isCall = ({ method, params }: Message, name: string): boolean =>
  method === 'tools/call' && params.name === name;

describe('a server over WebSocket', () => {
  it('is asked for the subprotocol mcp, with the credentials', async () => {
    const { client, sockets, headers } = await setup();
    expect(textOf(await client.call('one'))).toBe('one has run');
    expect(sockets[0]!.protocol).toBe('mcp');
    expect(headers).toEqual(['k']);
  });

  it('may know no subprotocol', async () => {
    const { client, sockets } = await setup(() => false, []);
    expect(textOf(await client.call('one'))).toBe('one has run');
    expect(sockets.at(-1)!.protocol).toBe('');
  });

  it.each([
    ['new', 'result'],
    ['neither', 'error'],
  ])('that takes %s of two credentials', async (valid, member) => {
    let isOther = false;
    const credentials: Credentials = {
      headers: () => ({ 'x-api-key': isOther ? 'new' : 'old' }),
      renew: () => {
        const had = isOther;
        isOther = true;
        return Promise.resolve(!had);
      },
    };
    const { client } = await setup(undefined, ['mcp'], true, credentials, (key) => key === valid);
    const answer = await client.call('one');
    expect(Object.keys(answer)).toContain(member);
    if (member === 'error') expect(answer.error.message).toContain('HTTP 401');
  });

  it('may send a message in fragments, two in one burst, and a binary one that is ignored', async () => {
    const { client } = await setup((message, socket) => {
      if (!isCall(message, 'one')) return false;
      const frame = (text: string, id: unknown): string =>
        JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });
      socket.send(Buffer.from(frame('binary', message.id)), { binary: true });
      const whole = frame('é🧪 in pieces', message.id);
      socket.send(whole.slice(0, 40), { fin: false });
      socket.send(whole.slice(40, 60), { fin: false });
      socket.send(whole.slice(60), { fin: true });
      socket.send(frame('again', message.id));
      return true;
    });
    expect(textOf(await client.call('one'))).toBe('é🧪 in pieces');
    expect(textOf(await client.call('two'))).toBe('two has run');
  });

  it.each([1001, 1006, 1011])(
    'closed with %i in mid-call: the call fails once, the next shakes hands anew',
    async (code) => {
      const { client, received, sockets } = await setup((message, socket) => {
        if (!isCall(message, 'die')) return false;
        if (code === 1006) socket.terminate();
        else socket.close(code);
        return true;
      });
      const calls = [client.call('die'), client.call('die')];
      for (const { error } of await Promise.all(calls)) expect(error.data.reason).toBe('upstream_exited');
      expect(textOf(await client.call('after'))).toBe('after has run');
      expect(sockets).toHaveLength(2);
      expect(received.filter(({ method }) => method === 'initialize')).toHaveLength(2);
      expect(received.filter((message) => isCall(message, 'die')).length).toBeLessThanOrEqual(2);
    },
  );

  it('a message over the limit ends the session', async () => {
    const { client } = await setup((message, socket) => {
      if (!isCall(message, 'big')) return false;
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { text: 'x'.repeat(200_000) } }));
      return true;
    });
    const { error } = await client.call('big');
    expect(error).toMatchObject({ data: { reason: 'upstream_exited' } });
    expect(error.message).toContain('size limit');
    expect(textOf(await client.call('after'))).toBe('after has run');
  });

  it('that has answered pings and does not any more is given up', async () => {
    const { client, clock, sockets } = await setup((message) => isCall(message, 'hangs'));
    await client.call('one');
    const ponged = new Promise((resolve) => sockets[0]!.once('ping', resolve));
    clock.advance(30_000);
    await ponged;
    await client.call('two');
    sockets[0]!.pause();
    const call = client.call('hangs');
    clock.advance(30_000);
    clock.advance(30_000);
    clock.advance(30_000);
    expect((await call).error.data.reason).toBe('upstream_exited');
  });

  it('that never answers pings is left in peace', async () => {
    const { client, clock } = await setup(() => false, ['mcp'], false);
    await client.call('one');
    for (let count = 0; count < 5; count += 1) clock.advance(30_000);
    expect(textOf(await client.call('two'))).toBe('two has run');
  });
});
