import { describe, expect, it } from 'vitest';
import { accept, askedCall, retry, sampling } from '../support/asked-call.ts';
import { closeWindow, form, openHarness, settled } from '../support/harness.ts';

const sampled = { role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'm' };

describe('a question', () => {
  it('becomes the answer of its call, and the retry goes on with the same call', async () => {
    const harness = await openHarness();
    const { client, upstream } = harness;
    const { call, shown } = await askedCall(harness);
    // Field bug 107: nothing in it looks like the result of a tool.
    expect(Object.keys(shown.result).sort()).toEqual([
      '_meta',
      'inputRequests',
      'requestState',
      'resultType',
    ]);
    expect(shown.result.resultType).toBe('input_required');
    expect(Object.keys(shown.result.inputRequests)).toEqual(['name']);
    const final = retry(client, shown, { name: accept({ name: 'Ada' }) });
    expect((await upstream.server.answerTo('q')).result).toEqual({
      action: 'accept',
      content: { name: 'Ada' },
    });
    upstream.server.text(call, 'Hello Ada');
    expect((await final).result).toMatchObject({ resultType: 'complete', content: [{ text: 'Hello Ada' }] });
    expect(upstream.server.count('tools/call')).toBe(1);
  });

  // Field bug 102; must hold: 120 s of human time.
  it('may take its human time, which is not counted, and the clock then starts anew', async () => {
    const harness = await openHarness({}, { requestTimeoutMs: 1000 });
    const { client, upstream, clock } = harness;
    const { call, shown } = await askedCall(harness);
    clock.advance(120_000);
    const final = retry(client, shown, { name: accept({ name: 'Ada' }) });
    await upstream.server.answerTo('q');
    clock.advance(900);
    upstream.server.text(call, 'done');
    expect((await final).result.content[0].text).toBe('done');
    expect(upstream.server.count('tools/call')).toBe(1);
  });

  // Rule 4.5: questions that come together are shown together, each under a key of its own.
  it('is shown with those that come within the window', async () => {
    const harness = await openHarness();
    const { client, upstream } = harness;
    const answer = client.call('greet', { a: 1 });
    const call = await upstream.server.next('tools/call');
    upstream.server.say({ id: 1, method: 'elicitation/create', params: form('name') });
    upstream.server.say({ id: '1', method: 'elicitation/create', params: form('name') });
    upstream.server.say({ id: 2, method: 'sampling/createMessage', params: sampling });
    upstream.server.say({ id: 3, method: 'roots/list' });
    await closeWindow(harness);
    const shown = await answer;
    expect(Object.keys(shown.result.inputRequests)).toEqual(['name', 'name-2', 'sampling', 'roots']);
    const final = retry(client, shown, {
      name: accept({ name: 'A' }),
      'name-2': accept({ name: 'B' }),
      sampling: sampled,
      roots: { roots: [{ uri: 'file:///r' }] },
    });
    expect((await upstream.server.answerTo(1)).result.content).toEqual({ name: 'A' });
    expect((await upstream.server.answerTo('1')).result.content).toEqual({ name: 'B' });
    expect((await upstream.server.answerTo(2)).result).toEqual(sampled);
    expect((await upstream.server.answerTo(3)).result).toEqual({ roots: [{ uri: 'file:///r' }] });
    upstream.server.text(call, 'done');
    await final;
  });

  // Field bug 100.
  it('may be followed by others, round by round', async () => {
    const harness = await openHarness();
    const { client, upstream } = harness;
    const { call, shown } = await askedCall(harness);
    let current = shown;
    for (const round of ['name-2', 'name-3']) {
      const next = retry(client, current, {
        [Object.keys(current.result.inputRequests)[0]!]: accept({ name: 'x' }),
      });
      await settled();
      upstream.server.say({ id: round, method: 'elicitation/create', params: form('name') });
      await closeWindow(harness);
      const before = current.result.requestState;
      current = await next;
      expect(Object.keys(current.result.inputRequests)).toEqual([round]);
      expect(current.result.requestState).not.toBe(before);
    }
    const final = retry(client, current, { 'name-3': { action: 'decline', content: { name: 'kept back' } } });
    expect((await upstream.server.answerTo('name-3')).result).toEqual({ action: 'decline' });
    upstream.server.text(call, 'done');
    expect((await final).result.resultType).toBe('complete');
    expect((await retry(client, shown, { name: accept({ name: 'other' }) })).error.data.reason).toBe(
      'request_state_mismatch',
    );
  });

  it('is asked again where its answer is missing or misshapen; good answers are kept', async () => {
    const harness = await openHarness();
    const { client, upstream } = harness;
    const answer = client.call('greet', { a: 1 });
    const call = await upstream.server.next('tools/call');
    upstream.server.say({ id: 1, method: 'elicitation/create', params: form('name') });
    upstream.server.say({ id: 2, method: 'sampling/createMessage', params: sampling });
    await closeWindow(harness);
    const shown = await answer;
    const again = await retry(client, shown, { name: accept({ name: 'A' }), sampling: 5, unknown: {} });
    expect(Object.keys(again.result.inputRequests)).toEqual(['sampling']);
    expect(again.result.requestState).not.toBe(shown.result.requestState);
    expect(upstream.server.rawReceived.filter((line) => line.includes('"result"'))).toEqual([]);
    const final = retry(client, again, { sampling: sampled });
    expect((await upstream.server.answerTo(1)).result.content).toEqual({ name: 'A' });
    expect((await upstream.server.answerTo(2)).result).toEqual(sampled);
    upstream.server.text(call, 'done');
    await final;
  });

  it('is not asked when the first request brings the answer under its key', async () => {
    const { client, upstream } = await openHarness();
    const answer = client.call(
      'greet',
      { a: 1 },
      { params: { inputResponses: { name: accept({ name: 'A' }), x: 1 } } },
    );
    const call = await upstream.server.next('tools/call');
    upstream.server.say({ id: 1, method: 'elicitation/create', params: form('name') });
    expect((await upstream.server.answerTo(1)).result.content).toEqual({ name: 'A' });
    upstream.server.text(call, 'done');
    expect((await answer).result.resultType).toBe('complete');
    expect(upstream.server.rawReceived.join('')).not.toContain('inputResponses');
  });

  it.each(['prompts/get', 'resources/read'])('may come in %s too', async (method) => {
    const harness = await openHarness();
    const { client, upstream } = harness;
    const params = { name: 'p', uri: 'a://b' };
    const answer = client.request({ method, params });
    const call = await upstream.server.next(method);
    upstream.server.say({ id: 1, method: 'elicitation/create', params: form('name') });
    await closeWindow(harness);
    const { requestState } = (await answer).result;
    const final = client.request({
      method,
      params: { ...params, requestState, inputResponses: { name: { action: 'cancel' } } },
    });
    expect((await upstream.server.answerTo(1)).result).toEqual({ action: 'cancel' });
    upstream.server.answer(call, { messages: [], contents: [] });
    expect((await final).result.resultType).toBe('complete');
  });
});
