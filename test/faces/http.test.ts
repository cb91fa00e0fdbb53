import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { BridgeOptions } from '../../src/bridge/options.ts';
import type { HttpFaceOptions } from '../../src/faces/http.ts';
import { form, metadata, settled } from '../support/harness.ts';
import { headersFor, HttpHarness } from '../support/http-harness.ts';
import type { Script } from '../support/scripted-upstream.ts';

let harness: HttpHarness;

async function start(
  script: Script = {},
  face: Partial<HttpFaceOptions> = {},
  options: Partial<BridgeOptions> = {},
): Promise<HttpHarness> {
  harness = await new HttpHarness(script, options, face).start();
  // The legacy session is open from here on.
  await harness.post('server/discover');
  return harness;
}

afterEach(() => harness.stop());

/** A server whose tools are plain: each call is answered with its own name. */
const echo: Script = {
  on: (message, server) => {
    if (message.method === 'tools/list') server.answer(message, { tools: [] });
    else if (message.method === 'tools/call') server.text(message, message.params.name);
    else return false;
    return true;
  },
};

/** Waits for a call that reached the legacy server. */
const called = () => harness.upstream.server.next('tools/call');
/** A server that lists no tools and leaves calls to the test. */
const quiet: Script = {
  on: (message, server) => {
    if (message.method !== 'tools/list') return false;
    server.answer(message, { tools: [] });
    return true;
  },
};

describe('an answer', () => {
  it('is one JSON object when there is nothing to stream', async () => {
    await start(echo);
    const reply = await harness.post('tools/call', { name: 'a' }, { id: 'x' });
    expect(reply.status).toBe(200);
    expect(reply.headers['content-type']).toBe('application/json');
    expect(reply.answer).toMatchObject({ id: 'x', result: { content: [{ text: 'a' }] } });
    expect(Object.keys(reply.headers)).not.toContain('mcp-session-id');
  });

  it('is an SSE stream from the first notification on', async () => {
    await start(quiet);
    const reply = harness.post('tools/call', { name: 'a' }, { meta: { progressToken: 'p' } });
    const call = await called();
    harness.upstream.server.say({
      method: 'notifications/progress',
      params: { progressToken: call.id, progress: 1 },
    });
    harness.upstream.server.text(call, 'done');
    const { status, headers, frames, text } = await reply;
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
    expect(frames.map(({ method, id }) => method ?? id)).toEqual(['notifications/progress', 1]);
    expect(text).not.toMatch(/^id:/m);
  });

  // Field bug 91; rule 7: after a silence.
  it('becomes a stream of comments after a silence, so that nothing cuts the call', async () => {
    await start(quiet, { keepAliveMs: 30 });
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a', _meta: metadata() } };
    const stream = await harness.open({ headers: headersFor(body), body: JSON.stringify(body) }).response;
    stream.setEncoding('utf8');
    const [comment] = (await once(stream, 'data')) as [string];
    expect(comment).toBe(': keep-alive\n\n');
    harness.upstream.server.text(await called(), 'done');
    let rest = '';
    for await (const chunk of stream) rest += chunk as string;
    expect(rest.match(/^data: /gm)).toHaveLength(1);
    expect(rest).toContain('"text":"done"');
  });

  it('has no stream for a client that takes none, and no listen stream either', async () => {
    await start(quiet);
    const headers = { Accept: 'application/json' };
    const reply = harness.post('tools/call', { name: 'a' }, { headers, meta: { progressToken: 1 } });
    const call = await called();
    harness.upstream.server.say({
      method: 'notifications/progress',
      params: { progressToken: call.id, progress: 1 },
    });
    harness.upstream.server.text(call, 'done');
    expect((await reply).headers['content-type']).toBe('application/json');
    const listen = await harness.post('subscriptions/listen', { notifications: {} }, { headers });
    expect(listen).toMatchObject({ status: 406, answer: { error: { data: { reason: 'not_acceptable' } } } });
  });

  it('carries every byte of the payload', async () => {
    await start(quiet);
    const payload = '{"big":12345678901234567890,"one":1.0,"a":1,"a":2,"u":"\\u00e9\\/"}';
    const body = `{\n"jsonrpc":"2.0",\r\n"id":9007199254740993,"method":"tools/call","params":{"name":"a","arguments":${payload},"_meta":${JSON.stringify(metadata())}}}`;
    const reply = harness.send(
      { headers: headersFor({ method: 'tools/call', params: { name: 'a' } }), body },
      'tools/call',
    );
    const call = await called();
    expect(harness.upstream.server.rawReceived.at(-1)).toContain(`"arguments":${payload}`);
    harness.upstream.server.sayRaw(
      `{"jsonrpc":"2.0","id":${String(call.id)},\r"result":{"structuredContent":${payload},\r"content":[{"type":"text","text":"a\u2028b"}]}}`,
    );
    const { text } = await reply;
    expect(text).toContain('"id":9007199254740993');
    expect(text).toContain(`"structuredContent":${payload}`);
    expect(text).toContain('a\u2028b');
    expect(text).not.toContain('\r');
  });

  it('of 8 MB comes whole', async () => {
    await start(quiet);
    const reply = harness.post('tools/call', { name: 'a' });
    harness.upstream.server.text(await called(), 'x'.repeat(8_000_000));
    expect((await reply).answer.result.content[0].text).toHaveLength(8_000_000);
  });
});

describe('a question', () => {
  it('is the JSON answer of its call, and the retry goes on', async () => {
    await start(quiet);
    const first = harness.post('tools/call', { name: 'a' });
    const call = await called();
    harness.upstream.server.say({ id: 'q', method: 'elicitation/create', params: form('name') });
    await settled();
    harness.clock.advance(25);
    const { requestState } = (await first).answer.result;
    const inputResponses = { name: { action: 'accept', content: { name: 'Ada' } } };
    const second = harness.post('tools/call', { name: 'a', requestState, inputResponses });
    await harness.upstream.server.answerTo('q');
    harness.upstream.server.text(call, 'done');
    expect((await second).answer.result.content[0].text).toBe('done');
    expect(harness.upstream.server.count('tools/call')).toBe(1);
  });

  it('that the client cannot be asked ends in HTTP 400, as nothing was written before', async () => {
    await start(quiet);
    const reply = harness.post('tools/call', { name: 'a' }, { capabilities: {} });
    const call = await called();
    harness.upstream.server.say({
      id: 'q',
      method: 'sampling/createMessage',
      params: { messages: [], maxTokens: 1 },
    });
    await harness.upstream.server.answerTo('q');
    harness.upstream.server.fail(call, -32000, 'no');
    expect(await reply).toMatchObject({
      status: 400,
      answer: { error: { code: -32021, data: { requiredCapabilities: { sampling: {} } } } },
    });
  });
});

describe('a client that goes away', () => {
  // Rule 2; spec 2026-07-28 basic/transports/streamable-http#cancellation
  it('cancels its call upstream, and others go on', async () => {
    await start(quiet);
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a', _meta: metadata() } };
    const { sent, response } = harness.open({ headers: headersFor(body), body: JSON.stringify(body) });
    response.catch(() => undefined);
    const call = await called();
    const other = harness.post('tools/call', { name: 'b' });
    const second = await called();
    sent.destroy();
    expect((await harness.upstream.server.next('notifications/cancelled')).params.requestId).toBe(call.id);
    harness.upstream.server.text(second, 'b');
    expect((await other).answer.result.content[0].text).toBe('b');
  });

  it('ends its subscription', async () => {
    await start();
    const body = {
      jsonrpc: '2.0',
      id: 's',
      method: 'subscriptions/listen',
      params: { notifications: { resourceSubscriptions: ['a://1'] }, _meta: metadata() },
    };
    const { response } = harness.open({ headers: headersFor(body), body: JSON.stringify(body) });
    const stream = await response;
    const [first] = (await new Promise<Buffer>((resolve) => stream.once('data', resolve)))
      .toString()
      .split('\n\n');
    expect(JSON.parse(first!.slice(6))).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    harness.upstream.server.say({ method: 'notifications/resources/updated', params: { uri: 'a://1' } });
    const event = (await new Promise<Buffer>((resolve) => stream.once('data', resolve))).toString();
    expect(event).toContain('"io.modelcontextprotocol/subscriptionId":"s"');
    stream.destroy();
    expect((await harness.upstream.server.next('resources/unsubscribe')).params.uri).toBe('a://1');
  });
});

describe('an upstream that cannot be had', () => {
  it('is HTTP 503 for discover, so that nobody takes it for a legacy server, and in-band for calls', async () => {
    await start({ on: (_, server) => (server.exit(), true) });
    const replies = [harness.post('server/discover'), harness.post('prompts/get', { name: 'a' })];
    let isOver = false;
    void Promise.all(replies).then(() => (isOver = true));
    await vi.waitFor(() => {
      harness.clock.advance(250);
      expect(isOver).toBe(true);
    });
    const [discover, get] = await Promise.all(replies);
    expect(discover).toMatchObject({ status: 503, answer: { error: { code: -32603 } } });
    expect(get).toMatchObject({
      status: 200,
      answer: { error: { data: { reason: 'upstream_unavailable' } } },
    });
  });
});

describe('ids', () => {
  // Field bug 51: each POST is a request of its own.
  it('may repeat across requests', async () => {
    await start(quiet);
    const replies = ['a', 'b'].map((name) => harness.post('tools/call', { name }, { id: 7 }));
    const calls = [await called(), await called()];
    for (const call of calls.reverse()) harness.upstream.server.text(call, call.params.name);
    expect((await Promise.all(replies)).map(({ answer }) => answer.result.content[0].text)).toEqual([
      'a',
      'b',
    ]);
  });
});
