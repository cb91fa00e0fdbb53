import { describe, expect, it } from 'vitest';
import { serveAs } from '../support/callers.ts';
import { openHarness, settled } from '../support/harness.ts';

describe('when the legacy server dies', () => {
  // Rule 9; field bugs 34 and 52.
  it('what is in flight fails at once, nothing is sent again, and the next call starts a new session', async () => {
    const { client, upstream, clock } = await openHarness();
    const inFlight = [client.call('a'), client.call('b'), client.request({ method: 'tools/list' })];
    await upstream.server.next('tools/list');
    upstream.server.exit('server exited (code 3)');
    for (const { error } of await Promise.all(inFlight)) {
      expect(error).toMatchObject({
        code: -32603,
        data: { source: 'mcp-bridge', reason: 'upstream_exited' },
      });
      expect(error.message).toContain('server exited (code 3)');
    }
    const next = client.call('c');
    await settled();
    expect(upstream.servers).toHaveLength(1);
    clock.advance(250);
    await settled();
    const call = await upstream.server.next('tools/call');
    expect(call.params.name).toBe('c');
    upstream.server.text(call, 'ok');
    expect((await next).result.content[0].text).toBe('ok');
    expect(upstream.servers).toHaveLength(2);
  });

  // Field bug 35.
  it('again and again, it is started less and less often, with clear errors in between, and recovers', async () => {
    let startCount = 0;
    let isBroken = false;
    const { client, upstream, clock } = await openHarness({
      on: (message, server) => {
        if (message.method !== 'initialize') return false;
        startCount += 1;
        if (isBroken) server.exit();
        return isBroken;
      },
    });
    const callOnce = async (): Promise<{ answer: ReturnType<typeof client.call> }> => {
      const answer = client.call('a');
      await settled();
      clock.advance(1000);
      await settled();
      return { answer };
    };
    isBroken = true;
    upstream.server.exit();
    for (let second = 0; second < 200; second += 1)
      expect((await (await callOnce()).answer).error.data.reason).toBe('upstream_unavailable');
    expect(startCount).toBeLessThan(20);
    isBroken = false;
    clock.advance(30_000);
    const { answer } = await callOnce();
    upstream.server.text(await upstream.server.next('tools/call'), 'ok');
    expect((await answer).result.content[0].text).toBe('ok');
  });

  it('after a minute of health, the next start comes soon again', async () => {
    const { client, upstream, clock } = await openHarness();
    for (let round = 0; round < 3; round += 1) {
      clock.advance(60_000);
      upstream.server.exit();
      const answer = client.call('a');
      await settled();
      clock.advance(250);
      await settled();
      upstream.server.text(await upstream.server.next('tools/call'), 'ok');
      await answer;
    }
    expect(upstream.servers).toHaveLength(4);
  });

  it('while calls wait for their turn, those fail too', async () => {
    const { bridge, upstream } = await openHarness();
    const alice = serveAs(bridge, 'alice', 'asks');
    const call = await upstream.server.next('tools/call');
    upstream.server.say({ id: 1, method: 'elicitation/create', params: { message: 'm' } });
    const bob = serveAs(bridge, 'bob', 'asks');
    await settled();
    expect(upstream.server.count('tools/call')).toBe(1);
    expect(call.params.name).toBe('asks');
    upstream.server.exit();
    expect((await alice.outcome).error.data.reason).toBe('upstream_exited');
    expect((await bob.outcome).error.data.reason).toBe('upstream_exited');
  });
});
