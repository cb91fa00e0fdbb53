// Garbage from both sides at once: frames with parts changed, cut, repeated and mixed. Nothing may crash, nothing that
// is no frame may come out, and a good call is served afterwards.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { metadata, openHarness, settled } from '../support/harness.ts';

const meta = metadata();
const fromClient = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'a', arguments: { x: 1 }, _meta: { ...meta, progressToken: 1 } },
  },
  { jsonrpc: '2.0', id: 'x', method: 'tools/list', params: { cursor: 'c', _meta: meta } },
  {
    jsonrpc: '2.0',
    id: 2,
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true, resourceSubscriptions: ['a://b'] }, _meta: meta },
  },
  {
    jsonrpc: '2.0',
    id: 3,
    method: 'tools/call',
    params: {
      name: 'a',
      inputResponses: { k: { action: 'accept' } },
      requestState: 'process.AAAA',
      _meta: meta,
    },
  },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
].map((frame) => JSON.stringify(frame));

const fromServer = [
  {
    jsonrpc: '2.0',
    id: 4,
    result: { content: [{ type: 'text', text: 'x', annotations: null }], structuredContent: { a: null } },
  },
  {
    jsonrpc: '2.0',
    id: 5,
    result: { tools: [{ name: 'a', inputSchema: { type: 'object' }, execution: {} }], nextCursor: null },
  },
  { jsonrpc: '2.0', id: 6, error: { code: -32002, message: 'm', data: { uri: 'u' } } },
  {
    jsonrpc: '2.0',
    id: 'q',
    method: 'elicitation/create',
    params: { message: 'm', requestedSchema: { type: 'object', properties: { k: {} } } },
  },
  {
    jsonrpc: '2.0',
    id: 7,
    method: 'sampling/createMessage',
    params: { messages: [], maxTokens: 1, _meta: { progressToken: 1 } },
  },
  { jsonrpc: '2.0', id: 8, method: 'roots/list' },
  {
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 4, progress: 0.5, total: null },
  },
  { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'error', data: 1 } },
  { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'a://b' } },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'q' } },
].map((frame) => JSON.stringify(frame));

const tokens = [
  'null',
  '""',
  '0',
  '-1',
  '1e999',
  '{}',
  '[]',
  '[null]',
  'true',
  '"\\ud800"',
  '{"__proto__":1}',
  '99999999999999999999',
];

/** A frame in which a value was replaced by another, or text was cut out, doubled or overwritten. */
const mangled = (frames: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...frames), fc.nat(3), fc.nat(), fc.nat(30), fc.constantFrom(...tokens))
    .map(([frame, how, at, length, token]) => {
      const start = at % frame.length;
      if (how === 0) {
        const values = [...frame.matchAll(/:("(?:[^"\\]|\\.)*"|-?\d[\d.]*|\{[^{}]*\}|null|true)/g)];
        const value = values[at % values.length]!;
        return frame.slice(0, value.index + 1) + token + frame.slice(value.index + value[0].length);
      }
      if (how === 1) return frame.slice(0, start) + frame.slice(start + length);
      if (how === 2) return frame.slice(0, start + length) + frame.slice(start);
      return frame;
    });

const runs = Number(process.env['FUZZ_RUNS'] ?? 100);

describe('garbage from both sides', { timeout: 3_600_000 }, () => {
  it('crashes nothing, and a good call is served afterwards', async () => {
    const side = fc.oneof(
      mangled(fromClient).map((text) => ({ from: 'client' as const, text })),
      mangled(fromServer).map((text) => ({ from: 'server' as const, text })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(side, { minLength: 1, maxLength: 60 }), async (messages) => {
        const { client, upstream, clock, bridge } = await openHarness();
        client.isChecking = false;
        for (const { from, text } of messages) {
          if (from === 'client') client.write(`${text}\n`);
          else upstream.server.sayRaw(text);
          if (text.length % 5 === 0) await settled();
          if (text.length % 7 === 0) clock.advance(30);
        }
        await settled();
        const answer = client.request({ method: 'tools/call', params: { name: 'last' }, id: 'last' });
        await settled();
        const call = upstream.server.rawReceived
          .map((line) => JSON.parse(line))
          .find(({ params }) => params?.name === 'last');
        upstream.server.text(call, 'ok');
        clock.advance(30);
        expect((await answer).result.content[0].text).toBe('ok');
        for (const line of client.lines) expect(JSON.parse(line)).toHaveProperty('jsonrpc', '2.0');
        const closed = bridge.close(0);
        clock.advance(0);
        await closed;
      }),
      { numRuns: runs },
    );
  });
});
