// Hostile input at the stdio face: the right error for each, nothing forwarded, and the face still serves.
import { describe, expect, it } from 'vitest';
import { metadata, openHarness, settled, StdioClient } from '../support/harness.ts';

const good = { jsonrpc: '2.0', id: 'h', method: 'tools/call', params: { name: 'a', _meta: metadata() } };
const text = JSON.stringify(good);
const withParams = (params: object): string =>
  JSON.stringify({ ...good, params: { ...good.params, ...params } });
const withMethod = (method: string): string => JSON.stringify({ ...good, method });

/** What to write, and the code and id of the error that must come back. */
const cases: readonly [name: string, line: string | Buffer, code: number, id: unknown][] = [
  ['half an object', text.slice(0, 40), -32700, undefined],
  ['text', 'hello', -32700, undefined],
  ['two objects on a line', text + text, -32700, undefined],
  [
    'bytes that are no UTF-8',
    Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc3]), Buffer.from('"}')]),
    -32700,
    undefined,
  ],
  ['a raw control character', '{"a":"\u0001"}', -32700, undefined],
  ['nesting of 100,000', '['.repeat(100_000), -32600, undefined],
  ['an object nested 100,000 deep', '{"a":'.repeat(100_000), -32700, undefined],
  ['an empty batch', '[]', -32600, undefined],
  ['a batch', `[${text}]`, -32600, undefined],
  ['a number', '5', -32600, undefined],
  ['a string', '"x"', -32600, undefined],
  ['no jsonrpc', JSON.stringify({ ...good, jsonrpc: undefined }), -32600, 'h'],
  ['id null', JSON.stringify({ ...good, id: null }), -32600, undefined],
  ['id 1.5', JSON.stringify({ ...good, id: 1.5 }), -32600, undefined],
  ['id 1e3', text.replace('"h"', '1e3'), -32600, undefined],
  ['id true', JSON.stringify({ ...good, id: true }), -32600, undefined],
  ['an id that is a list', JSON.stringify({ ...good, id: [] }), -32600, undefined],
  ['a method that is a number', JSON.stringify({ ...good, method: 1 }), -32600, 'h'],
  ['a method twice', text.replace('{', '{"method":"x",'), -32600, 'h'],
  ['no params', JSON.stringify({ ...good, params: undefined }), -32602, 'h'],
  ['params that are a string', JSON.stringify({ ...good, params: 'oops' }), -32602, 'h'],
  ['no metadata', withParams({ _meta: undefined }), -32602, 'h'],
  [
    'a version that is a number',
    withParams({ _meta: { ...metadata(), 'io.modelcontextprotocol/protocolVersion': 1 } }),
    -32602,
    'h',
  ],
  [
    'an unknown version',
    withParams({ _meta: { ...metadata(), 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } }),
    -32022,
    'h',
  ],
  ['a name twice', text.replace('"name":"a"', '"name":"a","name":"b"'), -32602, 'h'],
  ['a name that is an object', withParams({ name: {} }), -32602, 'h'],
  ['arguments that are a list', withParams({ arguments: [] }), -32602, 'h'],
  ['inputResponses that are a string', withParams({ inputResponses: 'x' }), -32602, 'h'],
  ['a requestState that is a number', withParams({ requestState: 5 }), -32602, 'h'],
  ['a forged request state', withParams({ requestState: 'x'.repeat(100_000) }), -32602, 'h'],
  ['an unknown method', withMethod('foo/bar'), -32601, 'h'],
  ['a retired method', withMethod('logging/setLevel'), -32601, 'h'],
  ['a notification with an id', withMethod('notifications/cancelled'), -32601, 'h'],
  ['a legacy initialize', '{"jsonrpc":"2.0","id":"h","method":"initialize","params":{}}', -32022, 'h'],
];

describe('hostile input', () => {
  it.each(cases)('%s', async (_, line, code, id) => {
    const { client, upstream } = await openHarness();
    const inFlight = client.send({ method: 'tools/call', params: { name: 'b' }, id: 0 });
    const call = await upstream.server.next('tools/call');
    client.write(line);
    client.write('\n');
    await settled();
    const error = client.received.at(-1)!;
    expect([error.error.code, error.id]).toEqual([code, id]);
    expect(upstream.server.count('tools/call')).toBe(1);
    // Field bug 30: the request with id 0 is not disturbed.
    upstream.server.text(call, 'ok');
    expect((await inFlight.answer).result.content[0].text).toBe('ok');
  });

  it.each([
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","method":"notifications/unknown"}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":5}',
    '',
  ])('has no answer: %s', async (line) => {
    const { client } = await openHarness();
    client.write(`${line}\n`);
    await settled();
    expect(client.lines).toHaveLength(1);
  });

  // Field bug 28.
  it('a line without an end is refused at the limit, and the stream goes on behind it', async () => {
    const { bridge, upstream } = await openHarness();
    const client = new StdioClient(bridge, 10_000);
    for (let count = 0; count < 100; count += 1) client.write('A'.repeat(1000));
    client.write('\n');
    await settled();
    expect(client.received).toHaveLength(1);
    expect(client.received[0]!.error).toMatchObject({ code: -32600, data: { reason: 'message_too_large' } });
    const answer = client.call('a');
    upstream.server.text(await upstream.server.next('tools/call'), 'ok');
    expect((await answer).result.content[0].text).toBe('ok');
  });

  // Field bug 59.
  it('odd names are data: no prototype changes, one reading', async () => {
    const { client, upstream } = await openHarness();
    const args = '{"__proto__":{"polluted":1},"constructor":{},"toString":1,"method":"x","method":"y"}';
    client.write(
      `${text.replace('"name":"a"', `"name":"__proto__","arguments":${args},"inputResponses":{"__proto__":{"action":"cancel"}}`)}\n`,
    );
    const call = await upstream.server.next('tools/call');
    expect(upstream.server.rawReceived.at(-1)).toContain(args);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    upstream.server.say({
      id: 1,
      method: 'elicitation/create',
      params: { message: 'm', requestedSchema: { type: 'object', properties: { ['__proto__']: {} } } },
    });
    upstream.server.text(call, 'ok');
    await settled();
    expect(client.lines.at(-1)).toContain('"ok"');
  });
});
