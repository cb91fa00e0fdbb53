import { describe, expect, it } from 'vitest';
import { serveAs } from '../support/callers.ts';
import { form, openHarness, settled, type Harness } from '../support/harness.ts';
import type { Message } from '../support/scripted-upstream.ts';

const ack = 'notifications/subscriptions/acknowledged';
const tag = 'io.modelcontextprotocol/subscriptionId';

function listen({ client }: Harness, notifications: object, id: string | number = 'sub'): Promise<Message> {
  return client.request({ method: 'subscriptions/listen', params: { notifications }, id });
}

const updated = (uri: string): object => ({ method: 'notifications/resources/updated', params: { uri } });
const changed = (what: string): object => ({ method: `notifications/${what}/list_changed` });

describe('subscriptions/listen', () => {
  // Rule 6; field bugs 115, 116 and 118.
  it('acknowledges what the server promises, then tells of that and nothing else', async () => {
    const harness = await openHarness({
      capabilities: { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true } },
    });
    const { client, upstream } = harness;
    void listen(harness, {
      toolsListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: ['a://1', 'a://1'],
      x: 1,
    });
    const first = await client.notification(ack);
    expect(first.params).toEqual({
      _meta: { [tag]: 'sub' },
      notifications: { toolsListChanged: true, resourceSubscriptions: ['a://1'] },
    });
    upstream.server.say(changed('tools'));
    upstream.server.say(changed('prompts'));
    for (const uri of ['a://1', 'a://1/child', 'a://%31']) upstream.server.say(updated(uri));
    await settled();
    const events = client.received.filter(({ method }) => method !== undefined);
    expect(events.map(({ method, params }) => [method, params._meta[tag], params.uri])).toEqual([
      ['notifications/tools/list_changed', 'sub', undefined],
      ['notifications/resources/updated', 'sub', 'a://1'],
    ]);
    expect(upstream.server.count('resources/subscribe')).toBe(1);
  });

  it('says nothing before the acknowledgement, and tells afterwards what came meanwhile', async () => {
    const harness = await openHarness({ on: (message) => message.method === 'resources/subscribe' });
    const { client, upstream } = harness;
    void listen(harness, { toolsListChanged: true, resourceSubscriptions: ['a://1', 'a://2'] });
    const first = await upstream.server.next('resources/subscribe');
    const second = await upstream.server.next('resources/subscribe');
    upstream.server.say(changed('tools'));
    upstream.server.say(changed('tools'));
    upstream.server.answer(first, {});
    upstream.server.fail(second, -32602, 'no such resource');
    await settled();
    expect(client.received.slice(1).map(({ method }) => method)).toEqual([
      ack,
      'notifications/tools/list_changed',
    ]);
    expect(client.received[1]!.params.notifications.resourceSubscriptions).toEqual(['a://1']);
  });

  it('ends at once when nothing of it can be honoured', async () => {
    const harness = await openHarness({ capabilities: { tools: {} } });
    const answer = await listen(harness, { toolsListChanged: true, resourceSubscriptions: ['a://1'] }, 7);
    expect(answer.result).toMatchObject({ resultType: 'complete', _meta: { [tag]: 7 } });
    expect((await harness.client.notification(ack)).params.notifications).toEqual({});
  });

  it('subscribes once for all, and unsubscribes with the last', async () => {
    const harness = await openHarness();
    const { client, upstream } = harness;
    for (const id of ['one', 'two']) void listen(harness, { resourceSubscriptions: ['a://1'] }, id);
    await client.notification(ack);
    await client.notification(ack);
    upstream.server.say(updated('a://1'));
    await settled();
    expect(client.received.filter(({ method }) => method === 'notifications/resources/updated')).toHaveLength(
      2,
    );
    client.cancel('one');
    await settled();
    expect(upstream.server.count('resources/unsubscribe')).toBe(0);
    client.cancel('two');
    await settled();
    expect(upstream.server.count('resources/subscribe')).toBe(1);
    expect(upstream.server.count('resources/unsubscribe')).toBe(1);
  });

  // Field bug 119.
  it('says nothing after it was cancelled', async () => {
    const harness = await openHarness();
    const { client, upstream } = harness;
    void listen(harness, { toolsListChanged: true });
    await client.notification(ack);
    client.cancel('sub');
    await settled();
    for (let count = 0; count < 5; count += 1) upstream.server.say(changed('tools'));
    await settled();
    expect(client.lines).toHaveLength(2);
  });

  it('is ended gracefully when the bridge stops', async () => {
    const harness = await openHarness();
    const { client, bridge } = harness;
    const answer = listen(harness, { toolsListChanged: true });
    await client.notification(ack);
    await bridge.close(1000);
    expect((await answer).result).toMatchObject({ resultType: 'complete', _meta: { [tag]: 'sub' } });
    expect((await client.notification('notifications/cancelled')).params.requestId).toBe('sub');
  });

  it('goes on over a new session, and tells once of what may have been missed', async () => {
    const harness = await openHarness();
    const { client, upstream, clock } = harness;
    void listen(harness, { toolsListChanged: true, resourceSubscriptions: ['a://1'] });
    await client.notification(ack);
    upstream.server.exit();
    await settled();
    clock.advance(250);
    await settled();
    expect(upstream.servers).toHaveLength(2);
    expect((await upstream.server.next('resources/subscribe')).params.uri).toBe('a://1');
    await settled();
    expect(client.received.slice(1).map(({ method }) => method)).toEqual([
      'notifications/tools/list_changed',
      'notifications/resources/updated',
    ]);
    upstream.server.say(updated('a://1'));
    await settled();
    expect(client.received).toHaveLength(4);
  });

  it('moves to another session that is open when the one it was made on dies', async () => {
    const harness = await openHarness({}, { maxSessions: 2 });
    const { client, upstream, bridge } = harness;
    const [first] = upstream.servers;
    void listen(harness, { resourceSubscriptions: ['a://1'] });
    await client.notification(ack);
    const alice = serveAs(bridge, 'alice', 'asks');
    await first!.next('tools/call');
    first!.say({ id: 'q', method: 'elicitation/create', params: form('q') });
    await settled();
    const opened = upstream.nextServer();
    const bob = serveAs(bridge, 'bob', 'asks');
    const second = await opened;
    await second.next('tools/call');
    first!.exit();
    expect((await second.next('resources/subscribe')).params.uri).toBe('a://1');
    second.say(updated('a://1'));
    expect((await client.notification('notifications/resources/updated')).params.uri).toBe('a://1');
    expect((await alice.outcome).error.data.reason).toBe('upstream_exited');
    bob.cancel();
  });

  // Field bug 27.
  it('holds no memory for a client that does not read: changes are told once when it does', async () => {
    const harness = await openHarness();
    const { client, upstream } = harness;
    void listen(harness, { toolsListChanged: true, resourceSubscriptions: ['a://1', 'a://2'] });
    await client.notification(ack);
    client.output.removeAllListeners('data');
    client.output.pause();
    client.output.write('x'.repeat(100_000));
    const before = client.output.writableLength;
    for (let count = 0; count < 10_000; count += 1) {
      upstream.server.say(changed('tools'));
      upstream.server.say(updated('a://1'));
    }
    expect(client.output.writableLength).toBe(before);
    let text = '';
    client.output.on('data', (chunk: Buffer) => (text += chunk.toString()));
    client.output.resume();
    await settled();
    expect(text.match(/list_changed/g)).toHaveLength(1);
    expect(text.match(/resources\/updated/g)).toHaveLength(1);
  });
});
