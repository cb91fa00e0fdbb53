// Rule 4.7: an error that wants a URL opened first. The server has run nothing; the retry runs the call.
import { describe, expect, it } from 'vitest';
import { closeWindow, openHarness, settled, type Harness } from '../support/harness.ts';
import type { Message } from '../support/scripted-upstream.ts';

const elicitation = (n: number): object => ({
  mode: 'url',
  elicitationId: `e${String(n)}`,
  url: `https://a.test/${String(n)}`,
  message: `Open ${String(n)}`,
});
const wanted = { elicitations: [elicitation(1), elicitation(2)] };
const both = { elicitation: { action: 'accept' }, 'elicitation-2': { action: 'accept' } };

async function refusedCall(
  harness: Harness,
  data: object = wanted,
  more: object = {},
): Promise<{ shown: Promise<Message>; call: Message }> {
  const shown = harness.client.call('t', { a: 1 }, more);
  const call = await harness.upstream.server.next('tools/call');
  harness.upstream.server.fail(call, -32042, 'open it', data);
  await closeWindow(harness);
  return { shown, call };
}

describe('a server that wants a URL opened first', () => {
  it('has its client asked, and the call run when that is done', async () => {
    const harness = await openHarness();
    const { client, upstream } = harness;
    const shown = await (await refusedCall(harness)).shown;
    expect(shown.result.inputRequests).toEqual({
      elicitation: {
        method: 'elicitation/create',
        params: { mode: 'url', url: 'https://a.test/1', message: 'Open 1' },
      },
      'elicitation-2': {
        method: 'elicitation/create',
        params: { mode: 'url', url: 'https://a.test/2', message: 'Open 2' },
      },
    });
    const final = client.retry(shown, 't', { a: 1 }, both, { meta: { progressToken: 'p' } });
    const again = await upstream.server.next('tools/call');
    expect(again.params).toMatchObject({ name: 't', arguments: { a: 1 } });
    expect(Object.keys(again.params)).not.toContain('inputResponses');
    upstream.server.say({
      method: 'notifications/progress',
      params: { progressToken: again.params._meta.progressToken, progress: 1 },
    });
    upstream.server.text(again, 'done');
    expect((await final).result).toMatchObject({ resultType: 'complete', content: [{ text: 'done' }] });
    expect((await client.notification('notifications/progress')).params.progressToken).toBe('p');
    expect(upstream.server.count('tools/call')).toBe(2);
    // The server was told nothing else: it waits for no answer.
    expect(upstream.server.received.filter(({ method }) => method === undefined)).toEqual([]);
  });

  it('may want it again, and what is missing is asked for again', async () => {
    const harness = await openHarness();
    const { client, upstream } = harness;
    const shown = await (await refusedCall(harness)).shown;
    const half = await client.retry(shown, 't', { a: 1 }, { elicitation: { action: 'accept' } });
    expect(Object.keys(half.result.inputRequests)).toEqual(['elicitation-2']);
    const again = client.retry(half, 't', { a: 1 }, { 'elicitation-2': { action: 'accept' } });
    upstream.server.fail(await upstream.server.next('tools/call'), -32042, 'once more', wanted);
    await closeWindow(harness);
    expect(Object.keys((await again).result.inputRequests)).toEqual(['elicitation-3', 'elicitation-4']);
    expect(upstream.server.count('tools/call')).toBe(2);
  });

  it.each(['decline', 'cancel'])('is not called again when the user says %s', async (action) => {
    const harness = await openHarness();
    const shown = await (await refusedCall(harness)).shown;
    const final = await harness.client.retry(shown, 't', { a: 1 }, { ...both, elicitation: { action } });
    expect(final.result).toMatchObject({ resultType: 'complete', isError: true });
    expect(harness.upstream.server.count('tools/call')).toBe(1);
  });

  it('gives no prompt and no resource that way, but an error', async () => {
    const harness = await openHarness();
    const { client, upstream } = harness;
    const read = client.request({ method: 'resources/read', params: { uri: 'a://b' } });
    upstream.server.fail(await upstream.server.next('resources/read'), -32042, 'open it', {
      elicitations: [elicitation(1)],
    });
    await closeWindow(harness);
    const { requestState } = (await read).result;
    const inputResponses = { elicitation: { action: 'decline' } };
    const final = await client.request({
      method: 'resources/read',
      params: { uri: 'a://b', requestState, inputResponses },
    });
    expect(final.error).toMatchObject({ code: -32603, data: { reason: 'input_declined' } });
  });

  it('is told of nobody who cannot open URLs: the client hears what it lacks', async () => {
    const harness = await openHarness();
    const { shown } = await refusedCall(harness, wanted, { capabilities: { elicitation: {} } });
    expect((await shown).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    });
  });

  it('that does not say which is an error like any other', async () => {
    const harness = await openHarness();
    const { shown } = await refusedCall(harness, { elicitations: [] });
    expect((await shown).error).toMatchObject({ code: -32603, data: { legacyCode: -32042 } });
  });

  it('of an older revision has no such error', async () => {
    const harness = await openHarness({ version: '2025-06-18' });
    const { shown } = await refusedCall(harness);
    expect((await shown).error).toMatchObject({ code: -32603, data: { legacyCode: -32042 } });
  });

  it('is called on its next session if it dies meanwhile', async () => {
    const harness = await openHarness();
    const { client, upstream, clock } = harness;
    const shown = await (await refusedCall(harness)).shown;
    upstream.server.exit();
    const final = client.retry(shown, 't', { a: 1 }, both);
    await settled();
    clock.advance(250);
    const server = await expect
      .poll(() => upstream.servers[1])
      .toBeDefined()
      .then(() => upstream.servers[1]!);
    server.text(await server.next('tools/call'), 'done');
    expect((await final).result.content[0].text).toBe('done');
  });

  it('is not called again for a client that has gone', async () => {
    const harness = await openHarness();
    const { client, upstream, clock, bridge } = harness;
    const shown = await (await refusedCall(harness)).shown;
    clock.advance(600_000);
    expect(bridge.counts).toEqual({ calls: 0, listens: 0, parked: 0, upstream: 0 });
    const late = await client.retry(shown, 't', { a: 1 }, both);
    expect(late.error.data.reason).toMatch(/call_lost|request_state_expired/);
    expect(upstream.server.count('tools/call')).toBe(1);
    expect(upstream.server.count('notifications/cancelled')).toBe(0);
  });

  it('holds a log level no longer than its call', async () => {
    const harness = await openHarness();
    const { client, upstream } = harness;
    const meta = { 'io.modelcontextprotocol/logLevel': 'debug' };
    const shown = await (await refusedCall(harness, wanted, { meta })).shown;
    const final = client.retry(shown, 't', { a: 1 }, both, { meta });
    upstream.server.text(await upstream.server.next('tools/call'), 'done');
    await final;
    await settled();
    const levels = upstream.server.received.filter(({ method }) => method === 'logging/setLevel');
    expect(levels.map(({ params }) => params.level).at(-1)).toBe('warning');
  });
});
