import { describe, expect, it } from 'vitest';
import { Bridge } from '../../src/bridge/bridge.ts';
import { parseKeyRing } from '../../src/continuation/key-ring.ts';
import { accept, askedCall, retry } from '../support/asked-call.ts';
import { requestWith } from '../support/frames.ts';
import { form, openHarness, settled, StdioClient } from '../support/harness.ts';
import { ScriptedUpstream } from '../support/scripted-upstream.ts';

describe('the same retry', () => {
  // Field bug 99; rule 4.6: idempotent.
  it('gets the same outcome, at once or later, and the server one answer', async () => {
    const harness = await openHarness();
    const { client, upstream, clock } = harness;
    const { call, shown } = await askedCall(harness);
    const responses = { name: accept({ name: 'Ada' }) };
    const first = retry(client, shown, responses);
    const second = retry(client, shown, responses);
    const other = await retry(client, shown, { name: accept({ name: 'Eve' }) });
    expect(other.error.data.reason).toBe('request_state_mismatch');
    await upstream.server.answerTo('q');
    upstream.server.text(call, 'done');
    expect((await first).result).toEqual((await second).result);
    expect((await retry(client, shown, responses)).result).toEqual((await first).result);
    expect(upstream.server.rawReceived.filter((line) => line.includes('"id":"q"'))).toHaveLength(1);
    expect(upstream.server.count('tools/call')).toBe(1);
    clock.advance(60_001);
    expect((await retry(client, shown, responses)).error.data.reason).toBe('call_lost');
  });

  it('finds large outcomes only as long as there is room for them', async () => {
    const harness = await openHarness();
    const { client, upstream } = harness;
    const responses = { name: accept({ name: 'Ada' }) };
    const ended = [];
    for (let count = 0; count < 5; count += 1) {
      const { call, shown } = await askedCall(harness);
      const answer = retry(client, shown, responses);
      await upstream.server.answerTo('q');
      upstream.server.text(call, 'x'.repeat(10 * 1024 * 1024));
      await answer;
      ended.push(shown);
    }
    expect((await retry(client, ended[0]!, responses)).error.data.reason).toBe('call_lost');
    expect((await retry(client, ended[4]!, responses)).result.content[0].text).toHaveLength(10 * 1024 * 1024);
  });

  it('lives on when one of those who presented it gives up', async () => {
    const harness = await openHarness();
    const { client, upstream } = harness;
    const { call, shown } = await askedCall(harness);
    const responses = { name: accept({ name: 'Ada' }) };
    const { requestState } = shown.result;
    const params = { name: 'greet', arguments: { a: 1 }, requestState, inputResponses: responses };
    const { id } = client.send({ method: 'tools/call', params });
    const second = retry(client, shown, responses);
    client.cancel(id);
    upstream.server.text(call, 'done');
    expect((await second).result.content[0].text).toBe('done');
    expect(upstream.server.count('notifications/cancelled')).toBe(0);
  });
});

describe('a request state', () => {
  // Rule 4.6: wrong in any way, it is refused, and the parked call lives on.
  it('is refused when changed or moved, and the call goes on with the right one', async () => {
    const harness = await openHarness();
    const { client, upstream } = harness;
    const { call, shown } = await askedCall(harness);
    const { requestState } = shown.result as { requestState: string };
    const inputResponses = { name: accept({ name: 'Ada' }) };
    const present = async (params: object, method = 'tools/call'): Promise<string> => {
      const { error } = await client.request({ method, params: { inputResponses, requestState, ...params } });
      expect(error.code).toBe(-32602);
      return error.data.reason;
    };
    const right = { name: 'greet', arguments: { a: 1 } };
    const at = requestState.length - 9;
    const other = requestState[at] === 'A' ? 'B' : 'A';
    expect(
      await present({
        ...right,
        requestState: requestState.slice(0, at) + other + requestState.slice(at + 1),
      }),
    ).toBe('request_state_invalid');
    expect(await present({ ...right, requestState: `${requestState}-TAMPERED` })).toBe(
      'request_state_invalid',
    );
    expect(await present({ ...right, requestState: '' })).toBe('request_state_invalid');
    expect(await present({ name: 'other', arguments: { a: 1 } })).toBe('request_state_mismatch');
    expect(await present({ name: 'greet', arguments: { a: 2 } })).toBe('request_state_mismatch');
    expect(await present({ name: 'greet' })).toBe('request_state_mismatch');
    expect(await present({ name: 'greet' }, 'prompts/get')).toBe('request_state_mismatch');
    const final = retry(client, shown, inputResponses);
    await upstream.server.answerTo('q');
    upstream.server.text(call, 'done');
    expect((await final).result.content[0].text).toBe('done');
    expect(upstream.server.count('tools/call')).toBe(1);
  });

  it('is refused from another principal', async () => {
    const harness = await openHarness();
    const { bridge, client } = harness;
    const { shown } = await askedCall(harness);
    const outcome = await new Promise<any>((resolve) => {
      const state = JSON.stringify(shown.result.requestState);
      const request = requestWith(
        'tools/call',
        `"name":"greet","arguments":{"a":1},"requestState":${state},"inputResponses":{}`,
      );
      const responder = {
        notify: () => undefined,
        answer: resolve,
        canTakeMore: () => true,
        onceDrained: () => undefined,
      };
      bridge.serve(request, { domain: 'mallory', principal: 'mallory' }, responder);
    });
    expect(JSON.parse(Buffer.concat(outcome.body).toString()).data.reason).toBe('request_state_mismatch');
    expect((await retry(client, shown, {})).result.resultType).toBe('input_required');
  });

  it('may come back with other white space in its arguments, and other metadata', async () => {
    const harness = await openHarness();
    const { client, upstream } = harness;
    const { call, shown } = await askedCall(harness);
    const meta = JSON.stringify({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      progressToken: 'new',
    });
    client.write(
      `{"jsonrpc":"2.0","id":"w","method":"tools/call","params":{"arguments":{ "a" : 1 },"name":"greet","requestState":"${shown.result.requestState as string}","inputResponses":{"name":{"action":"decline"}},"_meta":${meta}}}\n`,
    );
    await upstream.server.answerTo('q');
    upstream.server.say({
      method: 'notifications/progress',
      params: { progressToken: call.id, progress: 1 },
    });
    upstream.server.text(call, 'done');
    expect((await client.notification('notifications/progress')).params.progressToken).toBe('new');
  });

  // Rule 4.5: expiry.
  it('expires: the server is told that nobody will answer', async () => {
    const harness = await openHarness({}, { inputTtlMs: 600_000 });
    const { client, upstream, clock, bridge } = harness;
    const { call, shown } = await askedCall(harness);
    expect(bridge.counts.parked).toBe(1);
    clock.advance(600_000);
    expect((await upstream.server.answerTo('q')).result).toEqual({ action: 'cancel' });
    expect((await upstream.server.next('notifications/cancelled')).params.requestId).toBe(call.id);
    expect((await retry(client, shown, {})).error.data.reason).toBe('request_state_expired');
    expect(bridge.counts.parked).toBe(0);
  });

  // Field bug 104.
  it('of a session that has died leads nowhere, and nothing is run again', async () => {
    const harness = await openHarness();
    const { client, upstream, clock, bridge } = harness;
    const { shown } = await askedCall(harness);
    upstream.server.exit();
    clock.advance(1000);
    expect((await retry(client, shown, { name: accept({ name: 'A' }) })).error.data.reason).toBe('call_lost');
    expect(bridge.counts.parked).toBe(0);
    expect(upstream.servers).toHaveLength(1);
  });

  it('of a bridge that was restarted with the same keys leads nowhere', async () => {
    const parsed = parseKeyRing(`k:${Buffer.alloc(32, 7).toString('base64')}`);
    if (!parsed.ok) throw new Error(parsed.reason);
    const start = (): { client: StdioClient; upstream: ScriptedUpstream } => {
      const upstream = new ScriptedUpstream();
      const bridge = new Bridge({ upstream, keyRing: parsed.ring, options: { parkingWindowMs: 0 } });
      return { client: new StdioClient(bridge), upstream };
    };
    const before = start();
    const answer = before.client.call('greet', { a: 1 });
    await settled();
    await before.upstream.server.next('tools/call');
    before.upstream.server.say({ id: 'q', method: 'elicitation/create', params: form('name') });
    const shown = await answer;
    const after = start();
    expect((await retry(after.client, shown, { name: accept({ name: 'A' }) })).error.data.reason).toBe(
      'call_lost',
    );
    expect(after.upstream.servers).toHaveLength(0);
  });
});
