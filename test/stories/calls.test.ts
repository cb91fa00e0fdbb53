import { describe, expect, it } from 'vitest';
import { createHarness, metadata, openHarness, settled } from '../support/harness.ts';

describe('calls', () => {
  it('run at once, and come back to whoever called, in whatever order', async () => {
    const { client, upstream } = await openHarness();
    const answers = Array.from({ length: 20 }, (_, index) => client.call(`t${String(index)}`));
    await settled();
    const calls = await Promise.all(answers.map(() => upstream.server.next('tools/call')));
    expect(new Set(calls.map(({ id }) => id)).size).toBe(20);
    for (const call of calls.reverse()) upstream.server.text(call, call.params.name);
    const texts = (await Promise.all(answers)).map(({ result }) => result.content[0].text);
    expect(texts).toEqual(Array.from({ length: 20 }, (_, index) => `t${String(index)}`));
  });

  // Field bugs 46 and 48.
  it('give the id back as it came, on success, error and input_required', async () => {
    const { client, upstream } = await openHarness();
    for (const id of [
      '0',
      '1',
      '-1',
      '"1"',
      '""',
      '"init-1"',
      '"0x10"',
      '"é"',
      '9007199254740993',
      '"\\u0061"',
    ]) {
      const sent = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'a', _meta: metadata() } };
      client.write(`${JSON.stringify(sent).replace('{', `{"id":${id},`)}\n`);
      upstream.server.text(await upstream.server.next('tools/call'), 'ok');
      await settled();
      expect(client.lines.at(-1)).toContain(`"id":${id},"result"`);
      client.write(`${JSON.stringify({ ...sent, method: 'no/such' }).replace('{', `{"id":${id},`)}\n`);
      await settled();
      expect(client.lines.at(-1)).toContain(`"id":${id},"error"`);
    }
  });

  // Field bug 51.
  it('refuse an id that is in flight, and leave the first request alone', async () => {
    const { client, upstream } = await openHarness();
    const first = client.send({ method: 'tools/call', params: { name: 'a' }, id: 7 });
    const call = await upstream.server.next('tools/call');
    client.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'b', _meta: metadata() } })}\n`,
    );
    expect((await first.answer).error).toMatchObject({ code: -32600, data: { reason: 'duplicate_id' } });
    upstream.server.text(call, 'a');
    await settled();
    expect(client.lines.at(-1)).toContain('"text":"a"');
    expect(upstream.server.count('tools/call')).toBe(1);
  });

  // Field bug 121; architecture: frames keep their bytes.
  it('keep every byte of arguments and results, in both directions', async () => {
    const { client, upstream } = await openHarness();
    const payload =
      '{"big":12345678901234567890,"one":1.0,"e":1E5,"z":1,"a":2,"a":3,"u":"\\u00e9\\/\\ud83d","n":null}';
    const line = `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"_meta":${JSON.stringify(metadata())},"name":"t","arguments":${payload}}}`;
    client.write(`${line}\n`);
    const call = await upstream.server.next('tools/call');
    expect(upstream.server.rawReceived.at(-1)).toContain(`"arguments":${payload}`);
    upstream.server.sayRaw(
      `{"jsonrpc":"2.0","id":${String(call.id)},"result":{"structuredContent":${payload},"content":[{"type":"text","text":"a\u2028b\u0085c"}],"_meta":{"k":${payload}}}}`,
    );
    await settled();
    expect(client.lines.at(-1)).toContain(
      `"structuredContent":${payload},"content":[{"type":"text","text":"a\u2028b\u0085c"}]`,
    );
    expect(client.lines.at(-1)).toContain(`"k":${payload}`);
  });

  it('may come in pretty-printed with CR and BOM, and go out as one line', async () => {
    const { client, upstream } = await openHarness();
    const frame = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a', _meta: metadata() } };
    client.write(`\ufeff  ${JSON.stringify(frame).replaceAll(',', ',\r')}\r\n`);
    upstream.server.text(await upstream.server.next('tools/call'), 'ok');
    await settled();
    expect(client.lines.at(-1)).toContain('"ok"');
  });

  // Field bugs 84 and 125; rule 1.6.
  it('of methods that the modern revision or the server does not have are refused here', async () => {
    const { client, upstream } = await openHarness({ capabilities: { tools: {} } });
    for (const method of [
      'ping',
      'logging/setLevel',
      'resources/subscribe',
      'initialize',
      'tasks/list',
      'foo/bar',
      'prompts/list',
      'completion/complete',
    ])
      expect((await client.request({ method, params: { ref: {}, argument: {} } })).error.code).toBe(-32601);
    expect(upstream.server.rawReceived).toHaveLength(3);
  });

  it('of a method that the user lets through reach the server', async () => {
    const { client, upstream } = await openHarness({}, { forwardedMethods: ['acme/*'] });
    const answer = client.request({ method: 'acme/do', params: { x: 1 } });
    upstream.server.answer(await upstream.server.next('acme/do'), { y: 2 });
    expect((await answer).result).toMatchObject({ resultType: 'complete', y: 2 });
  });

  // Field bug 17.
  it('of a legacy client are told which versions are served', async () => {
    const { client, upstream } = createHarness();
    client.write(
      '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}\n',
    );
    await settled();
    expect(JSON.parse(client.lines[0]!).error).toMatchObject({
      code: -32022,
      message: expect.stringContaining('2026-07-28'),
      data: { supported: ['2026-07-28'] },
    });
    expect(upstream.servers).toHaveLength(0);
  });

  // Field bug 53.
  it.each([
    '{"id":ID}',
    '{"id":ID,"result":null}',
    '{"id":ID,"result":[]}',
    '{"id":ID,"result":{},"error":{"code":1,"message":"m"}}',
  ])('fail when the server answers %s, and the session lives on', async (answer) => {
    const { client, upstream } = await openHarness();
    const call = client.call('a');
    const { id } = await upstream.server.next('tools/call');
    upstream.server.sayRaw(answer.replace('{', '{"jsonrpc":"2.0",').replace('ID', String(id)));
    expect((await call).error).toMatchObject({ code: -32603, data: { reason: 'upstream_response' } });
    const next = client.call('b');
    upstream.server.text(await upstream.server.next('tools/call'), 'ok');
    expect((await next).result.content[0].text).toBe('ok');
  });

  // Field bugs 54 and 56 (b).
  it('get the first answer, whatever else the server says, batches included', async () => {
    const { client, upstream } = await openHarness();
    const call = client.call('a');
    const { id } = await upstream.server.next('tools/call');
    upstream.server.sayRaw('{"jsonrpc":"2.0","id":99,"result":{}}');
    upstream.server.sayRaw('{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}');
    upstream.server.sayRaw(
      `[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":${String(id)},"result":{"content":[]}},{"jsonrpc":"2.0","id":${String(id)},"result":{"content":[{"type":"text","text":"late"}]}}]`,
    );
    expect((await call).result.content).toEqual([]);
    await settled();
    expect(client.lines).toHaveLength(2);
  });

  it('fail when their answer was too large, by the id at its start', async () => {
    const { client, upstream } = await openHarness();
    const call = client.call('a');
    const { id } = await upstream.server.next('tools/call');
    upstream.server.oversize(`{"jsonrpc":"2.0","id":${String(id)},"result":{"content":[{"te`);
    expect((await call).error.data.reason).toBe('message_too_large');
  });
});

describe('errors of the server', () => {
  // Rule 3; field bug 127.
  it('pass, but for codes that mean something else now', async () => {
    const { client, upstream } = await openHarness();
    const read = client.request({ method: 'resources/read', params: { uri: 'a://b' } });
    upstream.server.fail(await upstream.server.next('resources/read'), -32002, 'Resource not found');
    expect((await read).error).toEqual({
      code: -32602,
      message: 'Resource not found',
      data: { uri: 'a://b' },
    });
    const call = client.call('a');
    upstream.server.fail(await upstream.server.next('tools/call'), -32042, 'URL', { elicitations: [] });
    expect((await call).error).toMatchObject({ code: -32603, data: { legacyCode: -32042 } });
  });
});

describe('cancellation', () => {
  it('reaches the server under its own id, at once, and the client hears nothing more of the call', async () => {
    const { client, upstream } = await openHarness();
    const { id } = client.send({
      method: 'tools/call',
      params: { name: 'a' },
      id: 'mine',
      meta: { progressToken: 5 },
    });
    const call = await upstream.server.next('tools/call');
    client.cancel(id);
    const cancelled = await upstream.server.next('notifications/cancelled');
    expect(cancelled.params.requestId).toBe(call.id);
    upstream.server.say({
      method: 'notifications/progress',
      params: { progressToken: call.id, progress: 1 },
    });
    upstream.server.text(call, 'too late');
    client.cancel(id);
    client.cancel('nobody');
    await settled();
    expect(client.lines).toHaveLength(1);
    expect(upstream.server.count('notifications/cancelled')).toBe(1);
  });

  // Field bug 113.
  it('ends nothing but the call, when a list is given up', async () => {
    const { client, upstream } = await openHarness();
    const { id } = client.send({ method: 'tools/list' });
    const list = await upstream.server.next('tools/list');
    client.cancel(id);
    expect((await upstream.server.next('notifications/cancelled')).params.requestId).toBe(list.id);
    upstream.server.answer(list, { tools: [] });
    await settled();
    expect(client.lines).toHaveLength(1);
  });

  it('before the server has started means that nothing is sent', async () => {
    const { client, upstream } = createHarness();
    const { id } = client.send({ method: 'tools/call', params: { name: 'a' } });
    client.cancel(id);
    await client.request({ method: 'server/discover' });
    expect(upstream.server.count('tools/call')).toBe(0);
  });
});

describe('time-outs', () => {
  // Field bug 111.
  it('are put off by progress, up to a hard maximum, and told to the server', async () => {
    const { client, upstream, clock } = await openHarness({}, { requestTimeoutMs: 1000, maxRequestMs: 3000 });
    const call = client.call('a');
    const { id, params } = await upstream.server.next('tools/call');
    expect(params._meta.progressToken).toBe(id);
    for (let step = 1; step <= 7; step += 1) {
      clock.advance(400);
      upstream.server.say({
        method: 'notifications/progress',
        params: { progressToken: id, progress: step },
      });
    }
    await settled();
    expect(client.lines).toHaveLength(1);
    clock.advance(400);
    expect((await call).error).toMatchObject({ code: -32603, data: { reason: 'request_timeout' } });
    expect((await upstream.server.next('notifications/cancelled')).params.requestId).toBe(id);
  });

  it('end a silent call and a silent list', async () => {
    const { client, upstream, clock } = await openHarness({}, { requestTimeoutMs: 1000 });
    const answers = [client.call('a'), client.request({ method: 'prompts/list' })];
    await upstream.server.next('prompts/list');
    clock.advance(1000);
    for (const { error } of await Promise.all(answers)) expect(error.data.reason).toBe('request_timeout');
    await settled();
    expect(upstream.server.count('notifications/cancelled')).toBe(2);
  });
});

describe('progress', () => {
  // Rule 7; field bugs 109 and 110.
  it('comes under the client’s own token, growing, while the call runs and only if it asked', async () => {
    const { client, upstream } = await openHarness();
    const asked = client.call('a', {}, { meta: { progressToken: 'mine' } });
    const call = await upstream.server.next('tools/call');
    const silent = client.call('b');
    const other = await upstream.server.next('tools/call');
    const say = (progressToken: unknown, progress: unknown): void => {
      upstream.server.say({ method: 'notifications/progress', params: { progressToken, progress } });
    };
    for (const value of [1, 1, 0.5, 2, '3', null]) say(call.id, value);
    say(String(call.id), 4);
    say('invented', 5);
    say(other.id, 6);
    upstream.server.text(other, 'b');
    upstream.server.text(call, 'a');
    say(call.id, 7);
    await Promise.all([asked, silent]);
    await settled();
    const progress = client.received.filter(({ method }) => method === 'notifications/progress');
    expect(progress.map(({ params }) => [params.progressToken, params.progress])).toEqual([
      ['mine', 1],
      ['mine', 2],
      ['mine', 4],
    ]);
  });

  // Field bug 27.
  it('is left out for a client that does not read, and the answer is not', async () => {
    const { client, upstream } = await openHarness();
    const answer = client.call('a', {}, { meta: { progressToken: 1 } });
    const call = await upstream.server.next('tools/call');
    client.output.pause();
    for (let progress = 1; progress <= 5000; progress += 1) {
      const message = 'x'.repeat(1000);
      upstream.server.say({
        method: 'notifications/progress',
        params: { progressToken: call.id, progress, message },
      });
    }
    expect(client.output.writableLength).toBeLessThan(1_200_000);
    client.output.resume();
    upstream.server.text(call, 'done');
    expect((await answer).result.content[0].text).toBe('done');
  });

  it('never comes in one chunk with the answer behind it', async () => {
    const { client, upstream } = await openHarness();
    const chunks: string[] = [];
    client.output.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
    const answer = client.call('a', {}, { meta: { progressToken: 1 } });
    const call = await upstream.server.next('tools/call');
    upstream.server.say({
      method: 'notifications/progress',
      params: { progressToken: call.id, progress: 1 },
    });
    upstream.server.text(call, 'a');
    await answer;
    expect(chunks).toHaveLength(2);
  });
});

describe('log messages', () => {
  const log = (level: string) => ({ method: 'notifications/message', params: { level, data: level } });
  const level = (logLevel: string) => ({ 'io.modelcontextprotocol/logLevel': logLevel });

  // Rule 7; field bug 114.
  it('go to the only call in flight, at or above the level that it asked for', async () => {
    const { client, upstream } = await openHarness();
    const call = client.call('a', {}, { meta: level('warning') });
    const request = await upstream.server.next('tools/call');
    for (const each of ['debug', 'warning', 'error', 'loud']) upstream.server.say(log(each));
    upstream.server.text(request, 'a');
    await call;
    const messages = client.received.filter(({ method }) => method === 'notifications/message');
    expect(messages.map(({ params }) => params.level)).toEqual(['warning', 'error']);
  });

  it('go to nobody who did not ask, and to nobody when several calls are in flight', async () => {
    const { client, upstream } = await openHarness();
    const plain = client.call('a');
    const first = await upstream.server.next('tools/call');
    upstream.server.say(log('error'));
    const asking = client.call('b', {}, { meta: level('debug') });
    const second = await upstream.server.next('tools/call');
    upstream.server.say(log('error'));
    upstream.server.text(first, 'a');
    upstream.server.text(second, 'b');
    await Promise.all([plain, asking]);
    expect(client.received.filter(({ method }) => method === 'notifications/message')).toEqual([]);
  });

  it('are asked for at the most verbose level in use, and no longer than that', async () => {
    const { client, upstream } = await openHarness();
    const levels = (): string[] =>
      upstream.server.rawReceived
        .map((line) => JSON.parse(line))
        .filter(({ method }) => method === 'logging/setLevel')
        .map(({ params }) => params.level);
    const first = client.call('a', {}, { meta: level('error') });
    const a = await upstream.server.next('tools/call');
    const second = client.call('b', {}, { meta: level('debug') });
    const b = await upstream.server.next('tools/call');
    upstream.server.text(b, 'b');
    await second;
    upstream.server.text(a, 'a');
    await first;
    await settled();
    expect(levels()).toEqual(['error', 'debug', 'error', 'warning']);
  });

  it('are not asked for of a server without logging', async () => {
    const { client, upstream } = await openHarness({ capabilities: { tools: {} } });
    const call = client.call('a', {}, { meta: level('debug') });
    upstream.server.text(await upstream.server.next('tools/call'), 'a');
    await call;
    expect(upstream.server.count('logging/setLevel')).toBe(0);
  });
});
