// A story for each rung of the ladder, through the whole bridge: two parties on one legacy session.
import { describe, expect, it } from 'vitest';
import { retryAs, serveAs } from '../support/callers.ts';
import { closeWindow, form, openHarness, settled, type Harness } from '../support/harness.ts';
import type { Message } from '../support/scripted-upstream.ts';

function ask({ upstream }: Harness, id: string, origin?: number): void {
  upstream.server.say({ id, method: 'elicitation/create', params: form(id) }, origin);
}

async function written({ upstream }: Harness): Promise<Message> {
  return upstream.server.next('tools/call');
}

const keys = (message: Message): string[] => Object.keys(message.result.inputRequests);

describe('whose question is it', () => {
  it('1, exact: the call on whose stream it came, though others of other parties run', async () => {
    const harness = await openHarness();
    const alice = serveAs(harness.bridge, 'alice', 'a');
    const call = await written(harness);
    const bob = serveAs(harness.bridge, 'bob', 'b');
    const other = await written(harness);
    ask(harness, 'q', call.id);
    await closeWindow(harness);
    expect(keys(await alice.outcome)).toEqual(['q']);
    harness.upstream.server.text(other, 'untouched');
    expect((await bob.outcome).result.content[0].text).toBe('untouched');
  });

  it('1, exact: who asks on its own stream is not made to take turns', async () => {
    const harness = await openHarness();
    for (const round of ['first', 'second']) {
      const callers = ['alice', 'bob'].map((domain) => serveAs(harness.bridge, domain, 'a'));
      // Both are written at once, also when the tool has been seen asking.
      const calls = [await written(harness), await written(harness)];
      for (const { id } of calls) ask(harness, `${round}-${String(id)}`, id);
      await closeWindow(harness);
      const shown = await Promise.all(callers.map(({ outcome }) => outcome));
      expect(shown.map(keys)).toEqual(calls.map(({ id }) => [`${round}-${String(id)}`]));
      for (const call of calls) harness.upstream.server.text(call, 'done');
    }
  });

  it('2, one party: any of its calls carries it, and a result that comes meanwhile is kept', async () => {
    const harness = await openHarness();
    const { bridge, upstream } = harness;
    const first = serveAs(bridge, 'alice', 'a');
    const asker = await written(harness);
    const second = serveAs(bridge, 'alice', 'b');
    const carrier = await written(harness);
    ask(harness, 'q');
    await closeWindow(harness);
    const shown = await second.outcome;
    upstream.server.text(carrier, 'result of b');
    await settled();
    const retried = retryAs(bridge, 'alice', 'b', shown, { q: { action: 'accept', content: { q: 'x' } } });
    expect((await upstream.server.answerTo('q')).result.content).toEqual({ q: 'x' });
    expect((await retried.outcome).result.content[0].text).toBe('result of b');
    upstream.server.text(asker, 'result of a');
    expect((await first.outcome).result.content[0].text).toBe('result of a');
  });

  it('2, one party: a question that finds only parked calls is asked in the next round of one', async () => {
    const harness = await openHarness();
    const { bridge, upstream } = harness;
    const only = serveAs(bridge, 'alice', 'a');
    const call = await written(harness);
    ask(harness, 'q1');
    await closeWindow(harness);
    const shown = await only.outcome;
    ask(harness, 'q2');
    await closeWindow(harness);
    const next = await retryAs(bridge, 'alice', 'a', shown, { q1: { action: 'cancel' } }).outcome;
    expect(keys(next)).toEqual(['q2']);
    const final = retryAs(bridge, 'alice', 'a', next, { q2: { action: 'cancel' } });
    await upstream.server.answerTo('q2');
    upstream.server.text(call, 'done');
    expect((await final.outcome).result.content[0].text).toBe('done');
  });

  it('3, one that does not wait: parked calls of others are set aside', async () => {
    const harness = await openHarness();
    const { bridge } = harness;
    const alice = serveAs(bridge, 'alice', 'a');
    await written(harness);
    ask(harness, 'qa');
    await closeWindow(harness);
    expect(keys(await alice.outcome)).toEqual(['qa']);
    const bob = serveAs(bridge, 'bob', 'b');
    await written(harness);
    ask(harness, 'qb');
    await closeWindow(harness);
    expect(keys(await bob.outcome)).toEqual(['qb']);
  });

  it('3, but not those whose question was withdrawn: they may be asking again', async () => {
    const harness = await openHarness();
    const { bridge, upstream, clock } = harness;
    const alice = serveAs(bridge, 'alice', 'a');
    await written(harness);
    ask(harness, 'qa');
    await closeWindow(harness);
    await alice.outcome;
    upstream.server.say({ method: 'notifications/cancelled', params: { requestId: 'qa' } });
    const bob = serveAs(bridge, 'bob', 'b');
    const call = await written(harness);
    ask(harness, 'qa2');
    await closeWindow(harness);
    upstream.server.text(call, 'bob is done');
    expect((await bob.outcome).result.content[0].text).toBe('bob is done');
    await settled();
    clock.advance(25);
    expect(upstream.server.rawReceived.some((line) => line.includes('"id":"qa2"'))).toBe(false);
  });

  it('3, but not those that may be asking several questions together', async () => {
    const harness = await openHarness();
    const { bridge, upstream } = harness;
    const alice = serveAs(bridge, 'alice', 'a');
    await written(harness);
    ask(harness, 'qa');
    await closeWindow(harness);
    const shown = await alice.outcome;
    const bob = serveAs(bridge, 'bob', 'a');
    const call = await written(harness);
    upstream.server.text(call, 'bob is done');
    await bob.outcome;
    upstream.server.say({ method: 'notifications/cancelled', params: { requestId: 'qa' } });
    const carol = serveAs(bridge, 'carol', 'a');
    await settled();
    ask(harness, 'qa2');
    ask(harness, 'qa3');
    await closeWindow(harness);
    const next = await retryAs(bridge, 'alice', 'a', shown, {}).outcome;
    expect(keys(next)).toEqual(['qa2', 'qa3']);
    upstream.server.text(await written(harness), 'carol is done');
    expect((await carol.outcome).result.content[0].text).toBe('carol is done');
  });

  it('4, held: a call that has lost its answer may have asked all the same', async () => {
    const harness = await openHarness();
    const { bridge, upstream, clock } = harness;
    const alice = serveAs(bridge, 'alice', 'a');
    const asker = await written(harness);
    const bob = serveAs(bridge, 'bob', 'b');
    const other = await written(harness);
    ask(harness, 'q');
    await closeWindow(harness);
    upstream.server.endStream(asker);
    expect((await alice.outcome).error.data.reason).toBe('upstream_no_answer');
    await closeWindow(harness);
    clock.advance(10_000);
    expect((await upstream.server.answerTo('q')).error.code).toBe(-32601);
    upstream.server.text(other, 'not asked');
    expect((await bob.outcome).result.content[0].text).toBe('not asked');
  });

  it('4, elimination: held until the others have ended, and nobody new starts meanwhile', async () => {
    const harness = await openHarness();
    const { bridge, upstream } = harness;
    const alice = serveAs(bridge, 'alice', 'a');
    await written(harness);
    const bob = serveAs(bridge, 'bob', 'b');
    const other = await written(harness);
    ask(harness, 'q');
    const carol = serveAs(bridge, 'carol', 'c');
    await closeWindow(harness);
    expect(upstream.server.count('tools/call')).toBe(2);
    upstream.server.text(other, 'bob is done');
    expect((await bob.outcome).result.content[0].text).toBe('bob is done');
    await closeWindow(harness);
    expect(keys(await alice.outcome)).toEqual(['q']);
    upstream.server.text(await written(harness), 'carol is done');
    expect((await carol.outcome).result.content[0].text).toBe('carol is done');
  });

  it('5, fail closed: the server is told, no client is, and all go on', async () => {
    const harness = await openHarness({}, { attributionTimeoutMs: 10_000 });
    const { bridge, upstream, clock } = harness;
    const alice = serveAs(bridge, 'alice', 'a');
    const first = await written(harness);
    const bob = serveAs(bridge, 'bob', 'b');
    const second = await written(harness);
    ask(harness, 'q');
    await settled();
    clock.advance(10_000);
    expect((await upstream.server.answerTo('q')).error.code).toBe(-32601);
    upstream.server.text(first, 'a');
    upstream.server.text(second, 'b');
    expect((await alice.outcome).result.content[0].text).toBe('a');
    expect((await bob.outcome).result.content[0].text).toBe('b');
  });
});

describe('turns', () => {
  it('keep known askers of several parties apart, and make nobody else wait', async () => {
    const harness = await openHarness();
    const { bridge, upstream } = harness;
    const alice = serveAs(bridge, 'alice', 'asks');
    const call = await written(harness);
    ask(harness, 'q');
    await settled();
    const bob = serveAs(bridge, 'bob', 'asks');
    const carol = serveAs(bridge, 'carol', 'plain');
    expect((await written(harness)).params.name).toBe('plain');
    await closeWindow(harness);
    const shown = await alice.outcome;
    const started = await written(harness);
    expect(started.params.name).toBe('asks');
    const retried = retryAs(bridge, 'alice', 'asks', shown, { q: { action: 'cancel' } });
    await settled();
    expect(upstream.server.rawReceived.some((line) => line.includes('"id":"q"'))).toBe(false);
    upstream.server.text(started, 'bob is done');
    expect((await bob.outcome).result.content[0].text).toBe('bob is done');
    await upstream.server.answerTo('q');
    upstream.server.text(call, 'alice is done');
    expect((await retried.outcome).result.content[0].text).toBe('alice is done');
    carol.cancel();
  });

  it('are waited for no longer than the queue time-out, and the parked call lives on', async () => {
    const harness = await openHarness(
      {},
      { queueTimeoutMs: 60_000, requestTimeoutMs: 1_000_000, inputTtlMs: 1_000_000 },
    );
    const { bridge, upstream, clock } = harness;
    const alice = serveAs(bridge, 'alice', 'asks');
    await written(harness);
    ask(harness, 'q');
    await closeWindow(harness);
    const shown = await alice.outcome;
    const bob = serveAs(bridge, 'bob', 'asks');
    const blocking = await written(harness);
    const responses = { q: { action: 'cancel' } };
    const early = retryAs(bridge, 'alice', 'asks', shown, responses);
    const carol = serveAs(bridge, 'carol', 'asks');
    await settled();
    clock.advance(60_000);
    for (const { outcome } of [early, carol]) expect((await outcome).error.data.reason).toBe('queue_timeout');
    upstream.server.text(blocking, 'bob is done');
    await bob.outcome;
    const late = retryAs(bridge, 'alice', 'asks', shown, responses);
    expect((await upstream.server.answerTo('q')).result).toEqual({ action: 'cancel' });
    late.cancel();
  });

  it('come when the quarantine of a cancelled asker is over', async () => {
    const harness = await openHarness({}, { quarantineMs: 30_000, queueTimeoutMs: 60_000 });
    const { bridge, upstream, clock } = harness;
    const first = serveAs(bridge, 'warm', 'asks');
    const call = await written(harness);
    ask(harness, 'q');
    await settled();
    upstream.server.text(call, 'known now');
    await first.outcome;
    const alice = serveAs(bridge, 'alice', 'asks');
    await written(harness);
    alice.cancel();
    const bob = serveAs(bridge, 'bob', 'asks');
    await settled();
    expect(upstream.server.count('tools/call')).toBe(2);
    clock.advance(30_000);
    upstream.server.text(await written(harness), 'bob is done');
    expect((await bob.outcome).result.content[0].text).toBe('bob is done');
  });

  it('are not needed where another session can be had', async () => {
    const harness = await openHarness({}, { maxSessions: 2 });
    const { bridge, upstream } = harness;
    const alice = serveAs(bridge, 'alice', 'asks');
    await written(harness);
    ask(harness, 'q');
    await settled();
    const opened = upstream.nextServer();
    const bob = serveAs(bridge, 'bob', 'asks');
    const second = await opened;
    second.text(await second.next('tools/call'), 'bob is done');
    expect((await bob.outcome).result.content[0].text).toBe('bob is done');
    await closeWindow(harness);
    expect(keys(await alice.outcome)).toEqual(['q']);
  });
});
