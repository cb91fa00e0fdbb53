// Legacy clients on the HTTP face, beside modern ones: a session of their own, told apart request by request.
import { afterEach, describe, expect, it } from 'vitest';
import { parseTokens } from '../../src/faces/http-tokens.ts';
import { settled } from '../support/harness.ts';
import { HttpHarness } from '../support/http-harness.ts';
import { hello, initialized, relayTo } from '../support/legacy-client.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { call, note, payload, question, Reply, result } from '../support/reply.ts';
import type { Script, ScriptedServer } from '../support/scripted-upstream.ts';

let harness: HttpHarness;
/** The legacy session's own server: the modern face has started none. */
let server: ScriptedServer;

async function start(script: Script = {}, face: object = {}): Promise<void> {
  harness = await new HttpHarness(script, {}, face).start();
}

afterEach(async () => {
  await harness.stop();
});

const post = (body: string, session?: string, headers: object = {}): Reply =>
  new Reply(harness, { body, headers: { 'Mcp-Session-Id': session, ...headers } });

const listen = async (session: string): Promise<Reply> => {
  const reply = new Reply(harness, {
    method: 'GET',
    headers: { 'Mcp-Session-Id': session, Accept: 'text/event-stream' },
  });
  return reply.begun;
};

/** A session whose handshake is over. Resolves to its id. */
async function open(version?: string, headers: object = {}): Promise<string> {
  const opened = await post(hello(version), undefined, headers).ended;
  const session = opened.headers['mcp-session-id'] as string;
  expect((await post(initialized, session, headers).ended).status).toBe(202);
  server = harness.upstream.server;
  server.rawReceived.length = 0;
  return session;
}

describe('a legacy session over HTTP', () => {
  it('is opened by initialize, under an id of its own, with the server that it alone has', async () => {
    await start({ version: '2025-06-18' });
    const first = await post(hello('2025-06-18')).ended;
    const second = await post(hello('2025-06-18')).ended;
    expect(first.status).toBe(200);
    expect(first.headers['content-type']).toBe('application/json');
    expect(JSON.parse(first.text).result.protocolVersion).toBe('2025-06-18');
    expect(first.headers['mcp-session-id']).toMatch(/^[\x21-\x7e]+$/);
    expect(first.headers['mcp-session-id']).not.toBe(second.headers['mcp-session-id']);
    expect(harness.upstream.servers.map(({ rawReceived }) => rawReceived)).toEqual([
      [hello('2025-06-18')],
      [hello('2025-06-18')],
    ]);
  });

  it('has every byte carried, in both directions', async () => {
    await start();
    const session = await open();
    const line = `{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"arguments":${payload}}}`;
    const answer = `{"jsonrpc":"2.0","id":9007199254740993,"result":{"structuredContent":${payload}}}`;
    const reply = post(line, session);
    await expect.poll(() => server.rawReceived).toEqual([line]);
    server.sayRaw(answer);
    expect((await reply.ended).text).toBe(answer);
  });

  it('stays apart from the modern session on the same endpoint', async () => {
    await start();
    const session = await open();
    const modern = harness.post('server/discover');
    expect((await modern).answer.result.supportedVersions).toEqual(['2026-07-28']);
    expect(harness.upstream.servers).toHaveLength(2);
    expect((await modern).headers['mcp-session-id']).toBeUndefined();
    const reply = post(call(1), session);
    await expect.poll(() => server.rawReceived).toHaveLength(1);
    server.sayRaw(result(1));
    expect((await reply.ended).text).toBe(result(1));
  });

  it('is not touched by a modern request that names it', async () => {
    await start();
    const session = await open();
    const reply = await harness.post('server/discover', {}, { headers: { 'Mcp-Session-Id': session } });
    expect(reply.answer.result.resultType).toBe('complete');
    expect(server.rawReceived).toEqual([]);
  });

  it('streams what belongs to a call before its answer, and takes answers to questions', async () => {
    await start();
    const session = await open();
    const reply = post(call(1), session);
    await expect.poll(() => server.rawReceived).toHaveLength(1);
    server.sayRaw(note(1));
    server.sayRaw(question);
    await reply.begun;
    expect(reply.headers['content-type']).toBe('text/event-stream');
    await expect.poll(() => reply.events).toEqual([note(1), question]);
    const answer = '{"jsonrpc":"2.0","id":0,"result":{"action":"decline"}}';
    expect((await post(answer, session).ended).status).toBe(202);
    expect(server.rawReceived.at(-1)).toBe(answer);
    server.sayRaw(result(1));
    expect((await reply.ended).events).toEqual([note(1), question, result(1)]);
  });

  it('gives each call what its token or its own stream says, and the rest to the stream of the server', async () => {
    await start();
    const session = await open();
    const stream = await listen(session);
    const one = post(call(1, ',"_meta":{"progressToken":"a"}'), session);
    await expect.poll(() => server.rawReceived).toHaveLength(1);
    const two = post(call(2), session);
    await expect.poll(() => server.rawReceived).toHaveLength(2);
    const progress =
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"a","progress":1}}';
    server.sayRaw(progress);
    // Requests are numbered from 1 on; `initialize` was the first.
    server.sayRaw(question, 3);
    server.sayRaw(note(7));
    server.sayRaw(result(2));
    server.sayRaw(result(1));
    expect((await one.ended).events).toEqual([progress, result(1)]);
    expect((await two.ended).events).toEqual([question, result(2)]);
    await expect.poll(() => stream.events).toEqual([note(7)]);
  });

  it('keeps what comes while nothing is open for the next stream, up to a bound', async () => {
    await start();
    const session = await open();
    for (let n = 0; n < 300; n += 1) server.sayRaw(note(n));
    const stream = await listen(session);
    await expect.poll(() => stream.events.length).toBe(256);
    expect(stream.events[0]).toBe(note(0));
  });

  it('has one stream of the server: a new one ends the old', async () => {
    await start();
    const session = await open();
    const old = await listen(session);
    const next = await listen(session);
    await old.ended;
    server.sayRaw(note(1));
    await expect.poll(() => next.events).toEqual([note(1)]);
  });

  it('lets a call run on whose client has gone, and ends one that is cancelled', async () => {
    await start();
    const session = await open();
    const gone = post(call(1), session);
    await expect.poll(() => server.rawReceived).toHaveLength(1);
    gone.cut();
    const cancelled = post(call(2), session);
    await expect.poll(() => server.rawReceived).toHaveLength(2);
    await post('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}', session)
      .ended;
    expect((await cancelled.ended).text).toBe('');
    expect(server.count('notifications/cancelled')).toBe(1);
    server.sayRaw(result(1));
    server.sayRaw(result(2));
    const last = post(call(3), session);
    await expect.poll(() => server.count('tools/call')).toBe(3);
    server.sayRaw(result(3));
    expect((await last.ended).text).toBe(result(3));
  });

  it('takes batches of 2025-03-26, answered as one', async () => {
    await start({ version: '2025-03-26' });
    const session = await open('2025-03-26');
    const reply = post(`[${call(1)},${note(1)},${call(2)}]`, session);
    await expect.poll(() => server.rawReceived).toEqual([call(1), note(1), call(2)]);
    server.sayRaw(result(2));
    server.sayRaw(result(1));
    expect((await reply.ended).text).toBe(`[${result(2)},${result(1)}]`);
    expect((await post(`[${note(1)}]`, session).ended).status).toBe(202);
  });

  it('that is newer takes none', async () => {
    await start();
    const session = await open();
    expect((await post(`[${call(1)}]`, session).ended).status).toBe(400);
    expect(server.rawReceived).toEqual([]);
  });
});

describe('the end of a legacy session', () => {
  it('by DELETE is 404 from then on', async () => {
    await start();
    const session = await open();
    const stream = await listen(session);
    const del = new Reply(harness, { method: 'DELETE', headers: { 'Mcp-Session-Id': session } });
    expect((await del.ended).status).toBe(204);
    expect(server.isClosed).toBe(true);
    await stream.ended;
    expect((await post(call(1), session).ended).status).toBe(404);
    expect((await listen(session)).status).toBe(404);
    expect(JSON.parse((await post(call(1), session).ended).text)).toMatchObject({
      id: 1,
      error: { data: { reason: 'session_not_found' } },
    });
  });

  it('comes when nothing has been open for a while, and not before', async () => {
    await start();
    const session = await open();
    const busy = post(call(1), session);
    await expect.poll(() => server.rawReceived).toHaveLength(1);
    harness.clock.advance(120_000);
    server.sayRaw(result(1));
    expect((await busy.ended).status).toBe(200);
    await settled();
    harness.clock.advance(59_000);
    expect(harness.face.legacySessionCount).toBe(1);
    harness.clock.advance(1000);
    expect(harness.face.legacySessionCount).toBe(0);
    expect((await post(call(1), session).ended).status).toBe(404);
  });

  it('comes with its server, and every call is told', async () => {
    await start();
    const session = await open();
    const reply = post(call(1), session);
    await expect.poll(() => server.rawReceived).toHaveLength(1);
    server.exit();
    expect(JSON.parse((await reply.ended).text).error.data.reason).toBe('upstream_exited');
    expect((await post(call(1), session).ended).status).toBe(404);
  });

  it('comes where the server does not know its session: the client is told by 404', async () => {
    await start();
    const session = await open();
    server.forget();
    expect((await post(call(1), session).ended).status).toBe(404);
    expect(harness.face.legacySessionCount).toBe(0);
  });

  it('comes at once where initialize is refused', async () => {
    await start({ on: (message, each) => (each.fail(message, -32602, 'no'), true) });
    const reply = await post(hello()).ended;
    expect(JSON.parse(reply.text).error.message).toBe('no');
    await expect.poll(() => harness.face.legacySessionCount).toBe(0);
    expect(harness.upstream.server.isClosed).toBe(true);
  });

  it('makes room at the limit where it is idle, and is refused where it is not', async () => {
    await start();
    const sessions = [await open(), await open(), await open()];
    const idle = harness.upstream.servers[1]!;
    await Promise.all([listen(sessions[0]!), listen(sessions[2]!)]);
    const more = await open();
    expect(idle.isClosed).toBe(true);
    await listen(more);
    const refused = await post(hello()).ended;
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(refused.text).error.data.reason).toBe('too_many_sessions');
  });
});

describe('the limits of legacy sessions', () => {
  it('cut off the client that reads least of what its server says, and no other', async () => {
    await start({}, { maxHeldBytes: 1_000_000 });
    const slow = await open();
    const stream = harness.open({ method: 'GET', headers: { 'Mcp-Session-Id': slow } });
    const response = await stream.response;
    const cut = new Promise((resolve) => response.on('close', resolve));
    response.on('error', () => undefined).pause();
    const chatty = server;
    const other = await listen(await open());
    for (let count = 0; count < 200; count += 1)
      chatty.sayRaw(note(count).replace('}}', `,"x":"${'x'.repeat(100_000)}"}}`));
    server.sayRaw(note(1));
    response.resume();
    await cut;
    await expect.poll(() => other.events).toEqual([note(1)]);
  });

  it('hold for servers that take their time to end, too', async () => {
    const link = { send: () => undefined, close: () => new Promise<void>(() => undefined) };
    const upstream = { label: 'slow to end', open: () => link };
    const openRelay = relayTo(upstream, new ManualClock());
    await start({}, { legacy: { openRelay, maxSessions: 1, idleMs: 60_000 } });
    for (let count = 0; count < 2; count += 1) {
      const client = post(hello());
      await expect.poll(() => harness.face.legacySessionCount).toBe(1);
      client.cut();
      await expect.poll(() => harness.face.legacySessionCount).toBe(0);
    }
    expect((await post(hello()).ended).status).toBe(503);
    harness.face.closeLegacy = () => Promise.resolve();
  });
});

describe('what is no good on a legacy session', () => {
  it.each([
    ['a session that never was', { 'Mcp-Session-Id': 'nobody' }, 404],
    ['a version that has no sessions', { 'MCP-Protocol-Version': '2026-07-28' }, 400],
    ['a version that never was', { 'MCP-Protocol-Version': '1999-01-01' }, 400],
  ])('%s', async (_, headers, status) => {
    await start();
    const session = await open();
    expect((await post(call(1), session, headers).ended).status).toBe(status);
    expect(server.rawReceived).toEqual([]);
  });

  it('a GET or DELETE without a session is no method here', async () => {
    await start();
    for (const method of ['GET', 'DELETE', 'PUT'])
      expect((await new Reply(harness, { method }).ended).status).toBe(405);
    const put = new Reply(harness, { method: 'PUT', headers: { 'Mcp-Session-Id': await open() } });
    expect((await put.ended).status).toBe(405);
  });

  it('the session of another principal is none', async () => {
    await start({}, { tokens: parseTokens('ada:secret-a\nbob:secret-b') });
    const ada = { Authorization: 'Bearer secret-a' };
    const bob = { Authorization: 'Bearer secret-b' };
    const session = await open(undefined, ada);
    expect((await post(call(1), session, bob).ended).status).toBe(404);
    expect((await post(call(1), session).ended).status).toBe(401);
    expect(server.rawReceived).toEqual([]);
  });

  it('nothing of it is served where legacy clients are refused', async () => {
    await start({}, { legacy: undefined });
    const refused = await post(hello()).ended;
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.text).error).toMatchObject({
      code: -32022,
      data: { supported: ['2026-07-28'] },
    });
    expect(refused.headers['mcp-session-id']).toBeUndefined();
    const get = new Reply(harness, { method: 'GET', headers: { 'Mcp-Session-Id': 'x' } });
    expect((await get.ended).status).toBe(405);
    expect(harness.upstream.servers).toEqual([]);
  });
});
