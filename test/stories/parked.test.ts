import { describe, expect, it } from 'vitest';
import { accept, askedCall, retry } from '../support/asked-call.ts';
import { closeWindow, form, openHarness, settled } from '../support/harness.ts';

describe('while a call is parked', () => {
  it('other calls go on, however many questions are open', async () => {
    const harness = await openHarness();
    const { client, upstream, bridge } = harness;
    await askedCall(harness);
    const other = client.call('other');
    upstream.server.text(await upstream.server.next('tools/call'), 'ok');
    expect((await other).result.content[0].text).toBe('ok');
    expect(bridge.counts.parked).toBe(1);
  });

  it('more than the limit are not taken', async () => {
    const harness = await openHarness({}, { maxParked: 1 });
    const { client, upstream } = harness;
    await askedCall(harness);
    const answer = client.call('second');
    const call = await upstream.server.next('tools/call');
    upstream.server.say({ id: 'q2', method: 'elicitation/create', params: form('b') });
    await closeWindow(harness);
    expect((await answer).error).toMatchObject({ code: -32603, data: { reason: 'too_many_parked' } });
    expect((await upstream.server.answerTo('q2')).result).toEqual({ action: 'cancel' });
    expect((await upstream.server.next('notifications/cancelled')).params.requestId).toBe(call.id);
  });

  // Field bug 105.
  it('a cancel of its first request means nothing: that request has its answer', async () => {
    const harness = await openHarness();
    const { client, upstream } = harness;
    const { call, shown } = await askedCall(harness);
    client.cancel(shown.id as number);
    await settled();
    expect(upstream.server.count('notifications/cancelled')).toBe(0);
    const final = retry(client, shown, { name: accept({ name: 'A' }) });
    await upstream.server.answerTo('q');
    upstream.server.text(call, 'done');
    expect((await final).result.content[0].text).toBe('done');
  });

  it('and the server withdraws its question, the retry gets what the call ends with', async () => {
    const harness = await openHarness();
    const { client, upstream } = harness;
    const { call, shown } = await askedCall(harness);
    upstream.server.say({ method: 'notifications/cancelled', params: { requestId: 'q' } });
    upstream.server.text(call, 'went on without');
    await settled();
    const final = await retry(client, shown, { name: accept({ name: 'A' }) });
    expect(final.result.content[0].text).toBe('went on without');
    await settled();
    expect(upstream.server.rawReceived.some((line) => line.includes('"id":"q"'))).toBe(false);
  });

  it('and the call is given up in its retry, the server is told', async () => {
    const harness = await openHarness();
    const { client, upstream } = harness;
    const { call, shown } = await askedCall(harness);
    const { requestState } = shown.result;
    const params = {
      name: 'greet',
      arguments: { a: 1 },
      requestState,
      inputResponses: { name: { action: 'cancel' } },
    };
    const { id } = client.send({ method: 'tools/call', params });
    await upstream.server.answerTo('q');
    client.cancel(id);
    expect((await upstream.server.next('notifications/cancelled')).params.requestId).toBe(call.id);
    expect((await retry(client, shown, { name: { action: 'cancel' } })).error).toBeDefined();
  });

  it('and the bridge shuts down, its question is answered as cancelled', async () => {
    const harness = await openHarness();
    const { upstream, bridge } = harness;
    const { call } = await askedCall(harness);
    const closed = bridge.close(1000);
    expect((await upstream.server.answerTo('q')).result).toEqual({ action: 'cancel' });
    expect((await upstream.server.next('notifications/cancelled')).params.requestId).toBe(call.id);
    await closed;
  });
});
