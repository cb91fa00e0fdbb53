// Legacy clients on the stdio face: a session of their own, and every byte as it was.
import { describe, expect, it } from 'vitest';
import { metadata, settled } from '../support/harness.ts';
import { hello, initialized, LegacyClient, openLegacyClient } from '../support/legacy-client.ts';

const payload =
  '{"big":12345678901234567890,"one":1.0,"e":1E5,"z":1,"a":2,"a":3,"u":"\\u00e9\\/\\ud83d","n":null,"s":"a\u2028b"}';
const call = (id: unknown, more = ''): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":{"name":"t"${more}}}`;
const result = (id: unknown, value = '{}'): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${value}}`;

describe('a legacy client', () => {
  it('has its own initialize passed on, and the answer as the server gave it', async () => {
    const client = new LegacyClient({ version: '2025-06-18', hello: { instructions: 'ä', x: 1 } });
    await client.send(hello('2025-06-18'), initialized);
    expect(client.server.rawReceived).toEqual([hello('2025-06-18'), initialized]);
    expect(client.last).toMatchObject({
      id: 'hello',
      result: { protocolVersion: '2025-06-18', instructions: 'ä', x: 1, serverInfo: { name: 'scripted' } },
    });
    expect(client.lines).toHaveLength(1);
  });

  // Issue D: the fidelity corpus of the modern face, unchanged on the way through the legacy one.
  it('has every byte carried, in both directions', async () => {
    const client = await openLegacyClient();
    const line = `{"jsonrpc":"2.0" , "id":9007199254740993,"method":"tools/call","params":{"_meta":{"k":${payload},"progressToken":"p"},"arguments":${payload},"name":"t"}}`;
    await client.send(line);
    expect(client.server.rawReceived).toEqual([line]);
    const said = [
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1.0,"x":${payload}}}`,
      `{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"message":"?","requestedSchema":${payload}}}`,
      `{"jsonrpc":"2.0","id":9007199254740993,"result":{"structuredContent":${payload},"content":null,"_meta":{"k":${payload}}}}`,
    ];
    for (const each of said) client.server.sayRaw(each);
    await settled();
    expect(client.lines).toEqual(said);
    const answer = `{"jsonrpc":"2.0","id":0,"result":{"action":"accept","content":${payload}}}`;
    await client.send(answer);
    expect(client.server.rawReceived.at(-1)).toBe(answer);
  });

  it.each(['null', '1.5', '{}', 'true', '9'.repeat(2000)])('is told that %s is no id', async (id) => {
    const client = await openLegacyClient();
    await client.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`);
    expect(client.last.error).toMatchObject({ code: -32600 });
    expect(client.server.rawReceived).toEqual([]);
  });

  it('may have many requests in flight, answered in any order, but none twice under one id', async () => {
    const client = await openLegacyClient({}, 3);
    await client.send(call(1), call('1'), call(0), call(0), call(4));
    expect(client.lines.map((line) => JSON.parse(line).error.data.reason)).toEqual([
      'duplicate_id',
      'too_many_calls',
    ]);
    for (const id of ['1', 0, 1]) client.server.sayRaw(result(id));
    await settled();
    expect(client.lines.slice(2)).toEqual([result('1'), result(0), result(1)]);
  });

  it('cancels by the id that it gave', async () => {
    const client = await openLegacyClient();
    const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}';
    await client.send(call(7), cancel);
    expect(client.server.rawReceived).toEqual([call(7), cancel]);
    // The id is free again.
    await client.send(call(7));
    client.server.sayRaw(result(7));
    await settled();
    expect(client.lines).toEqual([result(7)]);
  });

  it('shares its connection with modern requests, and neither its session nor its answers', async () => {
    const client = await openLegacyClient();
    await client.send(call(1));
    await client.send(
      `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":${JSON.stringify(metadata())}}}`,
    );
    await settled();
    expect(client.upstream.servers).toHaveLength(2);
    expect(client.last).toMatchObject({ id: 1, result: { resultType: 'complete' } });
    client.upstream.servers[0]!.sayRaw(result(1));
    await settled();
    expect(client.lines.at(-1)).toBe(result(1));
  });

  it('that has not said initialize is told what is missing', async () => {
    const client = new LegacyClient();
    await client.send(call(1));
    expect(client.last.error).toMatchObject({ code: -32602, data: { reason: 'invalid_metadata' } });
    expect(client.upstream.servers).toEqual([]);
  });
});

describe('a batch of a legacy client', () => {
  const batch = `[${call(1)}, ${initialized} ,${call(2)}]`;

  it.each(['2025-03-26', '2024-11-05'])('of %s reaches the server message by message', async (version) => {
    const client = await openLegacyClient({ version });
    await client.send(batch);
    expect(client.server.rawReceived).toEqual([call(1), initialized, call(2)]);
    client.server.sayRaw(result(2, payload));
    await settled();
    expect(client.lines).toEqual([]);
    client.server.sayRaw(result(1));
    await settled();
    expect(client.lines).toEqual([`[${result(2, payload)},${result(1)}]`]);
  });

  it('is answered for its bad elements too, and for those that it cancels itself', async () => {
    const client = await openLegacyClient({ version: '2025-03-26' });
    const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
    await client.send(`[5,${call(1)},{"jsonrpc":"2.0","id":null,"method":"x"},${call(2)}]`, cancel);
    client.server.sayRaw(result(2));
    await settled();
    const answers = JSON.parse(client.lines[0]!) as { id?: unknown; error?: { code: number } }[];
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      [undefined, -32600],
      [undefined, -32600],
      [2, undefined],
    ]);
  });

  it('of notifications alone has no answer', async () => {
    const client = await openLegacyClient({ version: '2025-03-26' });
    await client.send(`[${initialized}]`);
    expect([client.server.rawReceived, client.lines]).toEqual([[initialized], []]);
  });

  it.each([
    ['2025-06-18', batch],
    ['2025-03-26', '[]'],
    ['2025-03-26', '[1,]'],
  ])('is refused where %s has none: %s', async (version, text) => {
    const client = await openLegacyClient({ version });
    await client.send(text);
    expect(client.last.error).toMatchObject({ code: -32600 });
    expect(client.server.rawReceived).toEqual([]);
  });
});

describe('the server of a legacy client', () => {
  it('that dies fails what is in flight, once, and ends the connection', async () => {
    const client = await openLegacyClient();
    await client.send(call('a'), call(2));
    client.server.exit('server exited (code 3)');
    await settled();
    expect(client.lines.map((line) => JSON.parse(line))).toMatchObject([
      { id: 'a', error: { code: -32603, data: { reason: 'upstream_exited' } } },
      { id: 2, error: { message: 'The legacy session is over: server exited (code 3)' } },
    ]);
    expect(await client.face.ended).toBe('the server of the legacy session has gone');
  });

  it('that does not answer initialize in time is given up', async () => {
    const client = new LegacyClient({ on: () => true });
    await client.send(hello());
    client.clock.advance(60_000);
    await settled();
    expect(client.last).toMatchObject({ id: 'hello', error: { data: { reason: 'upstream_exited' } } });
    expect(client.server.isClosed).toBe(true);
  });

  it('that refuses initialize may be asked again with another version', async () => {
    const client = new LegacyClient({
      on: (message, server) => {
        const isNew = message.params?.protocolVersion === '2025-11-25';
        if (isNew)
          server.fail(message, -32602, 'Unsupported protocol version', { supported: ['2024-11-05'] });
        return isNew;
      },
      version: '2024-11-05',
    });
    await client.send(hello());
    expect(client.last.error).toMatchObject({ code: -32602, data: { supported: ['2024-11-05'] } });
    await client.send(hello('2024-11-05'));
    expect(client.last.result).toMatchObject({ protocolVersion: '2024-11-05' });
  });

  it('that forgets the session has run nothing of what it refused', async () => {
    const client = await openLegacyClient();
    client.server.forget();
    await client.send(call(1));
    expect(client.last).toMatchObject({ id: 1, error: { data: { reason: 'session_not_found' } } });
    expect(await client.face.ended).toBe('the server of the legacy session has gone');
  });

  it('whose answer is over the limit fails that request alone', async () => {
    const client = await openLegacyClient();
    await client.send(call('big'), call(2));
    client.server.oversize('{"jsonrpc":"2.0","id":"big","result":{"content":"xxxx');
    client.server.sayRaw(result(2));
    await settled();
    expect(client.lines.map((line) => JSON.parse(line))).toMatchObject([
      { id: 'big', error: { data: { reason: 'message_too_large' } } },
      { id: 2, result: {} },
    ]);
  });

  it('is ended with the connection, after what is in flight', async () => {
    const client = await openLegacyClient();
    await client.send(call(1));
    const closed = client.face.close(5000);
    await settled();
    expect(client.server.isClosed).toBe(false);
    client.server.sayRaw(result(1));
    await closed;
    expect(client.lines).toEqual([result(1)]);
    expect(client.server.isClosed).toBe(true);
  });

  it('is not waited for any longer than that', async () => {
    const client = await openLegacyClient();
    await client.send(call(1));
    const closed = client.face.close(5000);
    client.clock.advance(5000);
    await closed;
    expect(client.last).toMatchObject({ id: 1, error: { data: { reason: 'shutting_down' } } });
  });
});
