import { describe, expect, it } from 'vitest';
import { sampling } from '../support/asked-call.ts';
import { form, openHarness, settled } from '../support/harness.ts';
import { type Message } from '../support/scripted-upstream.ts';

describe('a client without the capability', () => {
  // Rule 4.4; field bug 95.
  it('is never asked: the server is told at once and may do without', async () => {
    const { client, upstream } = await openHarness();
    const answer = client.call('a', {}, { capabilities: {} });
    const call = await upstream.server.next('tools/call');
    upstream.server.say({ id: 1, method: 'elicitation/create', params: form('name') });
    expect((await upstream.server.answerTo(1)).error.code).toBe(-32601);
    upstream.server.text(call, 'did without');
    expect((await answer).result.content[0].text).toBe('did without');
  });

  it.each([
    ['isError', (server: any, call: Message) => server.answer(call, { content: [], isError: true })],
    ['an error', (server: any, call: Message) => server.fail(call, -32000, 'no')],
  ])('is told what it lacks when the call ends in %s', async (_, end) => {
    const { client, upstream } = await openHarness();
    const answer = client.call('a', {}, { capabilities: { elicitation: {}, sampling: {} } });
    const call = await upstream.server.next('tools/call');
    upstream.server.say({
      id: 1,
      method: 'elicitation/create',
      params: { mode: 'url', message: 'm', url: 'https://x' },
    });
    upstream.server.say({ id: 2, method: 'sampling/createMessage', params: { ...sampling, tools: [] } });
    upstream.server.say({ id: 3, method: 'roots/list' });
    await upstream.server.answerTo(3);
    end(upstream.server, call);
    expect((await answer).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { url: {} }, sampling: { tools: {} }, roots: {} } },
    });
  });
});

describe('a question that belongs to no call', () => {
  // Rules 4.2 and 4.3; field bugs 94, 96 and 120.
  it('is answered at once by the bridge, and no client hears of it', async () => {
    const { client, upstream } = await openHarness();
    upstream.server.say({ id: 1, method: 'elicitation/create', params: form('a') });
    upstream.server.say({ id: 2, method: 'sampling/createMessage', params: sampling });
    upstream.server.say({ id: 3, method: 'roots/list' });
    upstream.server.say({ id: 4, method: 'ping' });
    upstream.server.say({ id: 5, method: 'tasks/get' });
    for (const id of [1, 2, 5]) expect((await upstream.server.answerTo(id)).error.code).toBe(-32601);
    expect((await upstream.server.answerTo(3)).result).toEqual({ roots: [] });
    expect((await upstream.server.answerTo(4)).result).toEqual({});
    expect(client.lines).toHaveLength(1);
  });

  it('during a method that may not ask is refused, and the method goes on', async () => {
    const { client, upstream } = await openHarness();
    const answer = client.request({ method: 'tools/list' });
    const list = await upstream.server.next('tools/list');
    upstream.server.say({ id: 1, method: 'elicitation/create', params: form('a') });
    expect((await upstream.server.answerTo(1)).error.code).toBe(-32601);
    upstream.server.answer(list, { tools: [] });
    expect((await answer).result.tools).toEqual([]);
  });

  it('for roots is answered from --root, without any client', async () => {
    const { client, upstream } = await openHarness(
      {},
      { staticRoots: Buffer.from('{"roots":[{"uri":"file:///r"}]}') },
    );
    const answer = client.call('a');
    const call = await upstream.server.next('tools/call');
    upstream.server.say({ id: 0, method: 'roots/list' });
    expect((await upstream.server.answerTo(0)).result).toEqual({ roots: [{ uri: 'file:///r' }] });
    upstream.server.text(call, 'done');
    expect((await answer).result.resultType).toBe('complete');
  });

  it('of a cancelled call is refused, and its sibling is not asked in its place unless it is of the same party', async () => {
    const { client, upstream } = await openHarness();
    const { id } = client.send({ method: 'tools/call', params: { name: 'a' } });
    const call = await upstream.server.next('tools/call');
    client.cancel(id);
    upstream.server.say({ id: 1, method: 'elicitation/create', params: form('a') });
    upstream.server.say({ id: 2, method: 'sampling/createMessage', params: sampling });
    expect((await upstream.server.answerTo(1)).result).toEqual({ action: 'cancel' });
    expect((await upstream.server.answerTo(2)).error.code).toBe(-32601);
    upstream.server.text(call, 'late');
    await settled();
    expect(client.lines).toHaveLength(1);
  });
});
