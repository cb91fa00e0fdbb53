// What the HTTP face and the bridge behind it do not bear, and that everybody else is served all the while.
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { BridgeOptions } from '../../src/bridge/options.ts';
import type { HttpFaceOptions } from '../../src/faces/http.ts';
import { Tokens } from '../../src/faces/http-tokens.ts';
import { form, metadata } from '../support/harness.ts';
import { headersFor, HttpHarness, type HttpReply } from '../support/http-harness.ts';
import type { Message } from '../support/scripted-upstream.ts';

let harness: HttpHarness;
const tokens = new Tokens([
  ['alice', 'a1'],
  ['alice', 'a2'],
  ['bob', 'b1'],
]);
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** Calls of `slow` are left to the test; `ask` asks; others are answered at once. */
async function start(
  options: Partial<BridgeOptions> = {},
  face: Partial<HttpFaceOptions> = {},
): Promise<HttpHarness> {
  harness = new HttpHarness(
    {
      on: (message, server) => {
        if (message.method === 'tools/list') server.answer(message, { tools: [] });
        if (message.method !== 'tools/call') return message.method === 'tools/list';
        const { name, arguments: args } = message.params;
        if (name === 'ask')
          server.say(
            { id: `q${String(message.id)}`, method: 'elicitation/create', params: form('x') },
            message.id,
          );
        else if (name === 'big') server.text(message, 'x'.repeat(args.size));
        else if (name !== 'slow') server.text(message, 'ok');
        return true;
      },
    },
    options,
    face,
  );
  await harness.start();
  const headers = face.tokens && bearer('a1');
  await harness.post('tools/list', {}, headers && { headers });
  return harness;
}

afterEach(() => harness.stop());

const server = () => harness.upstream.server;
const slow = (headers = {}): Promise<HttpReply> => harness.post('tools/call', { name: 'slow' }, { headers });
const nextSlow = (): Promise<Message> => server().next('tools/call');
const isServed = async (headers = {}): Promise<boolean> =>
  (await harness.post('tools/call', { name: 'quick' }, { headers })).answer.result !== undefined;

const refusalOf = ({ status, answer, headers }: HttpReply): unknown[] => [
  status,
  answer.error.data.reason,
  headers['retry-after'],
];

/** A connection on which the test says what it likes. */
async function raw(text = ''): Promise<Socket> {
  const socket = connect(Number(harness.url.port), '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

async function allOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  await once(socket, 'close');
  return text;
}

function requestText(method: string, params: object, more = ''): string {
  const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: metadata() } };
  const body = JSON.stringify(message);
  const lines = Object.entries(headersFor(message)).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: text/event-stream\r\nContent-Length: ${String(body.length)}\r\n${lines.join('')}${more}\r\n${body}`;
}

describe('calls', () => {
  // Field bug 133.
  it('over the limit for all are refused with 503, unrun, until one ends', async () => {
    await start({ maxCalls: 3, maxCallsPerPrincipal: 3 });
    const running = [slow(), slow(), slow()];
    const calls = [await nextSlow(), await nextSlow(), await nextSlow()];
    const before = server().count('tools/call');
    expect(refusalOf(await slow())).toEqual([503, 'too_many_calls', '1']);
    expect(server().count('tools/call')).toBe(before);
    server().text(calls[0]!, 'done');
    await Promise.race(running);
    expect(await isServed()).toBe(true);
    for (const call of calls.slice(1)) server().text(call, 'done');
    await Promise.all(running);
    expect(harness.bridge.counts).toMatchObject({ calls: 0, upstream: 0 });
  });

  it('that were cancelled count until the server has ended them', async () => {
    await start({ maxCalls: 1, maxCallsPerPrincipal: 1 });
    const { sent, response } = harness.open({
      headers: headersFor({ method: 'tools/call', params: { name: 'slow' } }),
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'slow', _meta: metadata() },
      }),
    });
    response.catch(() => undefined);
    const call = await nextSlow();
    sent.destroy();
    await server().next('notifications/cancelled');
    expect(refusalOf(await slow())).toEqual([503, 'too_many_calls', '1']);
    server().text(call, 'too late');
    expect(await isServed()).toBe(true);
  });

  it('of each principal have a limit of their own, refused with 429, and others are served', async () => {
    await start({ maxCalls: 10, maxCallsPerPrincipal: 1 }, { tokens });
    const [alice, bob] = [bearer('a1'), bearer('b1')];
    const running = slow(alice);
    const call = await nextSlow();
    expect(refusalOf(await slow(alice))).toEqual([429, 'too_many_calls', '1']);
    expect(await isServed(bob)).toBe(true);
    server().text(call, 'done');
    await running;
    expect(await isServed(alice)).toBe(true);
  });

  it('are refused when they are too large together', async () => {
    await start({ maxHeldBytes: 10_000 });
    const large = { name: 'slow', arguments: { text: 'x'.repeat(8000) } };
    const running = harness.post('tools/call', large);
    const call = await nextSlow();
    expect(refusalOf(await harness.post('tools/call', large))).toEqual([503, 'too_many_bytes', '1']);
    expect(await isServed()).toBe(true);
    server().text(call, 'done');
    await running;
  });
});

describe('listen streams', () => {
  // Field bug 133.
  it('over the limit are refused; places of those who vanish are free again', async () => {
    await start({ maxListens: 50, maxListensPerPrincipal: 50 });
    const text = requestText('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const listeners = await Promise.all(Array.from({ length: 50 }, () => raw(text)));
    await Promise.all(listeners.map((socket) => once(socket, 'data')));
    expect(harness.bridge.counts.listens).toBe(50);
    const refused = await harness.post('subscriptions/listen', { notifications: { toolsListChanged: true } });
    expect(refusalOf(refused)).toEqual([503, 'too_many_listens', '1']);
    expect(await isServed()).toBe(true);
    for (const socket of listeners) socket.resetAndDestroy();
    await vi.waitFor(() => {
      expect(harness.bridge.counts.listens).toBe(0);
    });
  });

  it('take so many resources and no more', async () => {
    await start();
    const uris = Array.from({ length: 1001 }, (_, index) => `a://${String(index)}`);
    const params = { notifications: { resourceSubscriptions: uris } };
    expect(refusalOf(await harness.post('subscriptions/listen', params)).slice(0, 2)).toEqual([
      400,
      'invalid_params',
    ]);
    expect(server().count('resources/subscribe')).toBe(0);
  });
});

describe('parked calls', () => {
  it('have a limit for all and one for each principal', async () => {
    await start({ maxParked: 3, maxParkedPerPrincipal: 2, parkingWindowMs: 0 }, { tokens });
    const ask = async (token: string): Promise<string> => {
      const reply = harness.post('tools/call', { name: 'ask' }, { headers: bearer(token) });
      await harness.clock.timerOf(0);
      harness.clock.advance(0);
      const { answer } = await reply;
      return answer.error?.data.reason ?? answer.result.resultType;
    };
    const outcomes = [];
    for (const token of ['a1', 'a1', 'a1', 'b1', 'b1']) outcomes.push(await ask(token));
    expect(outcomes).toEqual([
      'input_required',
      'input_required',
      'too_many_parked',
      'input_required',
      'too_many_parked',
    ]);
  });
});

describe('parked calls with much in them', () => {
  it('have a limit for their bytes together', async () => {
    await start({ maxHeldBytes: 10_000, parkingWindowMs: 0 });
    const outcomes = [];
    for (const size of [8000, 8000, 100]) {
      const reply = harness.post('tools/call', { name: 'ask', arguments: { text: 'x'.repeat(size) } });
      await harness.clock.timerOf(0);
      harness.clock.advance(0);
      const { answer } = await reply;
      outcomes.push(answer.error?.data.reason ?? answer.result.resultType);
    }
    expect(outcomes).toEqual(['input_required', 'too_many_parked', 'input_required']);
  });
});

describe('requests that do not come', () => {
  // Field bug 89.
  it('are ended with 408, a hundred at once, and others are served meanwhile', async () => {
    await start({}, { requestTimeoutMs: 300, headersTimeoutMs: 300 });
    const head = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    const dripping = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        raw(index % 2 === 0 ? head : `${head}Content-Length: 100\r\n\r\n{"json`),
      ),
    );
    const ended = dripping.map(allOf);
    expect(await isServed()).toBe(true);
    for (const text of await Promise.all(ended)) {
      expect(text).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n/);
      expect(JSON.parse(text.split('\r\n\r\n')[1]!).error).toMatchObject({
        code: -32600,
        data: { reason: 'too_slow' },
      });
    }
  });

  it.each([
    ['headers without end', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`, 431, 'headers_too_large'],
    ['no HTTP', 'hello\r\n\r\n', 400, 'invalid_request'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01', 400, 'invalid_request'],
  ])('%s are answered and closed', async (_, text, status, reason) => {
    await start();
    const answer = await allOf(await raw(text));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${String(status)} `));
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!).error.data.reason).toBe(reason);
    expect(await isServed()).toBe(true);
  });

  it('in the middle of an answer end the connection without a word', async () => {
    await start();
    const socket = await raw(
      requestText('subscriptions/listen', { notifications: { toolsListChanged: true } }),
    );
    const text = allOf(socket);
    await expect.poll(() => harness.bridge.counts.listens).toBe(1);
    socket.write('garbage\r\n\r\n');
    expect(await text).not.toMatch(/HTTP\/1.1 400/);
    await expect.poll(() => harness.bridge.counts.listens).toBe(0);
  });

  it('hold no more bytes together than the limit', async () => {
    await start({}, { maxHeldBytes: 100_000 });
    const head = requestText('tools/call', { name: 'quick', arguments: { text: 'x'.repeat(80_000) } });
    const [first, second] = [await raw(head.slice(0, 70_000)), await raw(head.slice(0, 70_000))];
    const answer = await Promise.race([allOf(first), allOf(second)]);
    expect(answer).toMatch(/^HTTP\/1.1 503 .*Retry-After: 1.*too_many_bytes/s);
    expect(await isServed()).toBe(true);
  });
});

describe('connections', () => {
  it('over the limit are closed, and there is room again when others go', async () => {
    await start({}, { maxConnections: 5 });
    await vi.waitFor(async () => {
      expect(await countConnections()).toBe(0);
    });
    const sockets = await Promise.all(Array.from({ length: 5 }, () => raw()));
    await vi.waitFor(async () => {
      expect(await countConnections()).toBe(5);
    });
    await once(await raw(), 'close');
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(async () => {
      expect(await isServed()).toBe(true);
    });
  });
});

function countConnections(): Promise<number> {
  const { server: http } = harness.face as unknown as {
    server: { getConnections: (done: (error: unknown, count: number) => void) => void };
  };
  return new Promise((resolve) => {
    http.getConnections((_, count) => {
      resolve(count);
    });
  });
}

describe('clients that do not read', () => {
  const bigAnswer = (size: number): string => requestText('tools/call', { name: 'big', arguments: { size } });

  // Field bug 27.
  it('are cut off when they take nothing for a while; one that reads slowly is not', async () => {
    await start({}, { stallMs: 1000 });
    const stuck = await raw();
    stuck.pause();
    stuck.write(bigAnswer(20_000_000));
    const reader = await raw();
    let bytes = 0;
    const whole = new Promise<void>((resolve) => {
      reader.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > 20_000_000) resolve();
        reader.pause();
        // Slower than the stall time in all, never in one piece.
        setTimeout(() => reader.resume(), 8);
      });
    });
    reader.write(bigAnswer(20_000_000));
    await whole;
    stuck.resume();
    const rest = await allOf(stuck);
    expect(rest.length).toBeLessThan(20_000_000);
  });

  it('hold no more together than the limit: the one that holds the most is cut off', async () => {
    await start({}, { maxHeldBytes: 30_000_000 });
    const stuck = [await raw(), await raw()];
    for (const [index, socket] of stuck.entries()) {
      socket.pause();
      socket.write(bigAnswer(index === 0 ? 26_000_000 : 20_000_000));
      await nextSlow();
    }
    const [first, second] = stuck;
    const cut = allOf(first!);
    first!.resume();
    expect((await cut).length).toBeLessThan(26_000_000);
    let bytes = 0;
    second!.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
    await vi.waitFor(
      () => {
        expect(bytes).toBeGreaterThan(20_000_000);
      },
      { timeout: 5000 },
    );
  });
});

describe('tokens', () => {
  it.each([undefined, 'Bearer', 'Bearer no', 'Bearer a1 b1', 'Basic a1', 'a1', 'Bearer A1'])(
    'that are not known get 401, before anything is looked at: %s',
    async (authorization) => {
      await start({}, { tokens });
      const { answer, status, headers } = await harness.send({
        headers: { Authorization: authorization },
        body: 'not even JSON',
      });
      expect([status, answer.error.data.reason, headers['www-authenticate']]).toEqual([
        401,
        'unauthorized',
        'Bearer',
      ]);
    },
  );

  // Field bug 129.
  it('of another principal open no request state, those of the same do', async () => {
    await start({ parkingWindowMs: 0 }, { tokens });
    const as = (token: string) => ({ headers: bearer(token) });
    const asked = harness.post('tools/call', { name: 'ask' }, as('a1'));
    await harness.clock.timerOf(0);
    harness.clock.advance(0);
    const { requestState, inputRequests } = (await asked).answer.result;
    const [key] = Object.keys(inputRequests);
    const again = {
      name: 'ask',
      requestState,
      inputResponses: { [key!]: { action: 'accept', content: { x: 'y' } } },
    };
    const foreign = await harness.post('tools/call', again, as('b1'));
    expect(foreign.answer.error.data.reason).toBe('request_state_mismatch');
    const own = harness.post('tools/call', again, as('a2'));
    await server().next('tools/call');
    const call = server().received.find(({ params }) => params?.name === 'ask')!;
    await server().answerTo(`q${String(call.id)}`);
    server().text(call, 'thanks');
    expect((await own).answer.result.content[0].text).toBe('thanks');
  });
});
