// The oldest clients: the HTTP+SSE transport of 2024-11-05.
import { afterEach, describe, expect, it } from 'vitest';
import { parseTokens } from '../../src/faces/http-tokens.ts';
import { HttpHarness } from '../support/http-harness.ts';
import { hello, initialized } from '../support/legacy-client.ts';
import { call, payload, question, Reply, result } from '../support/reply.ts';
import type { Script, ScriptedServer } from '../support/scripted-upstream.ts';

let harness: HttpHarness;
let server: ScriptedServer;

async function start(script: Script = {}, face: object = {}): Promise<void> {
  harness = await new HttpHarness(script, {}, face).start();
}

afterEach(async () => {
  await harness.stop();
});

const post = (body: string, session?: string): Reply =>
  new Reply(harness, { body, headers: { 'Mcp-Session-Id': session } });

/** A Streamable HTTP session. Resolves to its id. */
async function open(): Promise<string> {
  return (await post(hello()).ended).headers['mcp-session-id'] as string;
}

describe('the transport of 2024-11-05', () => {
  const openStream = async (): Promise<{ stream: Reply; place: string }> => {
    const stream = await new Reply(harness, { method: 'GET', path: '/sse' }).begun;
    await expect.poll(() => stream.text).toContain('\n\n');
    const place = /^event: endpoint\ndata: (\S+)\n\n/.exec(stream.text)![1]!;
    return { stream, place };
  };
  const postTo = (path: string, body: string): Promise<Reply> => new Reply(harness, { path, body }).ended;

  it('answers everything on the stream, byte by byte', async () => {
    await start({ version: '2024-11-05' });
    const { stream, place } = await openStream();
    expect((await postTo(place, hello('2024-11-05'))).status).toBe(202);
    await expect.poll(() => stream.events).toHaveLength(1);
    expect(JSON.parse(stream.events[0]!).result.protocolVersion).toBe('2024-11-05');
    await postTo(place, initialized);
    expect((await postTo(place, call(1, `,"arguments":${payload}`))).status).toBe(202);
    ({ server } = harness.upstream);
    expect(server.rawReceived.slice(1)).toEqual([initialized, call(1, `,"arguments":${payload}`)]);
    server.sayRaw(question);
    server.sayRaw(result(1, payload));
    await expect.poll(() => stream.events.slice(1)).toEqual([question, result(1, payload)]);
    await postTo(place, `[${call(2)},5,${call(3)}]`);
    await expect.poll(() => stream.events).toHaveLength(4);
    expect(JSON.parse(stream.events[3]!)).toMatchObject([{ error: { code: -32600 } }]);
    expect(server.count('tools/call')).toBe(3);
  });

  it('ends the session with the stream', async () => {
    await start({ version: '2024-11-05' });
    const { stream, place } = await openStream();
    await postTo(place, hello('2024-11-05'));
    stream.cut();
    await expect.poll(() => harness.upstream.server.isClosed).toBe(true);
    expect((await postTo(place, call(1))).status).toBe(404);
  });

  it('ends the stream with the server', async () => {
    await start({ version: '2024-11-05' });
    const { stream, place } = await openStream();
    await postTo(place, hello('2024-11-05'));
    harness.upstream.server.exit();
    await stream.ended;
    expect(harness.face.legacySessionCount).toBe(0);
  });

  it('takes only sessions of its own', async () => {
    await start();
    const session = await open();
    expect((await postTo(`/messages?sessionId=${session}`, call(1))).status).toBe(404);
    expect((await postTo('/messages', call(1))).status).toBe(404);
    const { place } = await openStream();
    expect((await post(call(1), place.split('=')[1]).ended).status).toBe(404);
    expect((await postTo(place, '{"jsonrpc":"2.0","id":null,"method":"x"}')).status).toBe(400);
    expect((await new Reply(harness, { method: 'DELETE', path: '/sse' }).ended).status).toBe(405);
    expect((await postTo('/sse', call(1))).status).toBe(404);
  });

  it('takes nothing from another principal than the one that opened the stream', async () => {
    await start({}, { tokens: parseTokens('ada:secret-a\nbob:secret-b') });
    const as = (name: string): object => ({ Authorization: `Bearer secret-${name}` });
    const stream = await new Reply(harness, { method: 'GET', path: '/sse', headers: as('a') as any }).begun;
    await expect.poll(() => stream.text).toContain('\n\n');
    const path = /data: (\S+)/.exec(stream.text)![1]!;
    const say = (name: string): Promise<Reply> =>
      new Reply(harness, { path, body: hello(), headers: as(name) as any }).ended;
    expect((await say('b')).status).toBe(404);
    expect(harness.upstream.server.rawReceived).toEqual([]);
    expect((await say('a')).status).toBe(202);
  });

  it('is not there unless it is asked for', async () => {
    await start({}, { legacy: { openRelay: () => expect.unreachable(), maxSessions: 1, idleMs: 1 } });
    expect((await new Reply(harness, { method: 'GET', path: '/sse' }).ended).status).toBe(404);
    expect((await postTo('/messages?sessionId=x', call(1))).status).toBe(404);
  });
});
