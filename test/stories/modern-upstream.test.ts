// A server that is modern itself: the bridge passes its clients' requests on as they are.
import { describe, expect, it } from 'vitest';
import type { BridgeParts } from '../../src/bridge/bridge.ts';
import {
  closeWindow,
  createHarness,
  metadata,
  settled,
  StdioClient,
  type Harness,
} from '../support/harness.ts';
import type { Message, ScriptedServer } from '../support/scripted-upstream.ts';

const refusal = { supported: ['2026-07-28'], requested: '2025-11-25' };

function modern(options: BridgeParts['options'] = {}): Harness {
  const refuse = (message: Message, server: ScriptedServer): boolean => {
    if (message.method === 'initialize')
      server.fail(message, -32022, 'Unsupported protocol version', refusal);
    return true;
  };
  return createHarness({ on: refuse }, options);
}

/** One that is known to be modern. */
async function open(options?: BridgeParts['options']): Promise<Harness> {
  const harness = modern(options);
  const first = harness.client.request({ method: 'server/discover' });
  await settled();
  const { server } = harness.upstream;
  server.answer(await server.next('server/discover'), {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: {},
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'm', version: '1' } },
  });
  await first;
  return harness;
}

/** A server that is of another era when it is started again. */
function changing(first: 'modern' | 'legacy'): {
  readonly harness: Harness;
  readonly become: (era: 'modern' | 'legacy') => void;
} {
  let era = first;
  const harness = createHarness({
    on: (message, server) => {
      const isModern = era === 'modern';
      if (message.method === 'initialize' && isModern) server.fail(message, -32022, 'no', refusal);
      return isModern;
    },
  });
  return {
    harness,
    become: (next) => {
      era = next;
    },
  };
}

describe('a server that refuses initialize as a modern one does', () => {
  it('is asked once, and gets the request that came first', async () => {
    const { client, upstream } = modern();
    const answer = client.call('t', { a: 1 });
    await settled();
    const call = await upstream.server.next('tools/call');
    expect(upstream.server.rawReceived.map((line) => JSON.parse(line).method)).toEqual([
      'initialize',
      'tools/call',
    ]);
    expect(call.params).toEqual({ name: 't', arguments: { a: 1 }, _meta: metadata() });
    upstream.server.answer(call, { resultType: 'complete', content: [] });
    expect((await answer).result).toEqual({ resultType: 'complete', content: [] });
  });

  it('has every byte carried, but for ids', async () => {
    const { client, upstream } = await open();
    const payload = '{"big":12345678901234567890,"one":1.0,"a":1,"a":2,"u":"\\u00e9\\/\\ud83d","n":null}';
    const params = `{"_meta":${JSON.stringify(metadata())},"name":"t","arguments":${payload},"requestState":"s","inputResponses":{"k":${payload}},"more":${payload}}`;
    client.write(`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":${params}}\n`);
    const call = await upstream.server.next('tools/call');
    expect(upstream.server.rawReceived.at(-1)).toBe(
      `{"jsonrpc":"2.0","id":${String(call.id)},"method":"tools/call","params":${params}}`,
    );
    const result = `{"resultType":"complete","content":[],"structuredContent":${payload},"_meta":{"k":${payload}}}`;
    upstream.server.sayRaw(`{"id":${String(call.id)},"result":${result},"jsonrpc":"2.0"}`);
    await settled();
    expect(client.lines.at(-1)).toBe(`{"jsonrpc":"2.0","id":"x","result":${result}}`);
  });

  it('asks by input_required with a state of its own, which the bridge leaves alone', async () => {
    const { client, upstream } = await open();
    const inputRequests = { k: { method: 'roots/list' } };
    const first = client.call('t');
    upstream.server.answer(await upstream.server.next('tools/call'), {
      resultType: 'input_required',
      inputRequests,
      requestState: 'state of the server',
    });
    const { result } = await first;
    expect(result).toEqual({
      resultType: 'input_required',
      inputRequests,
      requestState: 'state of the server',
    });
    const second = client.retry(await first, 't', {}, { k: { roots: [] } });
    const again = await upstream.server.next('tools/call');
    expect(again.params).toMatchObject({
      requestState: 'state of the server',
      inputResponses: { k: { roots: [] } },
    });
    upstream.server.answer(again, { resultType: 'complete', content: [] });
    expect((await second).result.resultType).toBe('complete');
  });

  it('may have methods that the bridge does not know, and refuse versions and methods itself', async () => {
    const { client, upstream } = await open();
    const answer = client.request({ method: 'tasks/get', params: { taskId: 't' } });
    upstream.server.answer(await upstream.server.next('tasks/get'), {
      resultType: 'complete',
      ...{ taskId: 't', status: 'working', createdAt: 'c', lastUpdatedAt: 'l', ttlMs: null },
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'm', version: '1' } },
    });
    expect((await answer).result.taskId).toBe('t');
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2027-01-01' };
    const noSuch = { supported: ['2026-07-28'], requested: '2027-01-01' };
    const other = client.request({ method: 'tools/list', meta });
    upstream.server.fail(await upstream.server.next('tools/list'), -32022, 'no', noSuch);
    expect((await other).error).toEqual({ code: -32022, message: 'no', data: noSuch });
  });

  it('sees clients apart that use the same ids and tokens', async () => {
    const harness = await open();
    const { upstream, client } = harness;
    const other = new StdioClient(harness.bridge);
    const calls = [client, other].map((each) =>
      each.send({ method: 'tools/call', params: { name: 't' }, meta: { progressToken: 5 }, id: 7 }),
    );
    const requests = [await upstream.server.next('tools/call'), await upstream.server.next('tools/call')];
    expect(new Set(requests.map(({ id }) => id as number)).size).toBe(2);
    for (const [at, { id, params }] of requests.entries()) {
      expect(params._meta.progressToken).toBe(id);
      upstream.server.say({
        method: 'notifications/progress',
        params: { progressToken: id, progress: at, x: at },
      });
    }
    for (const [at, request] of requests.entries())
      upstream.server.answer(request, { resultType: 'complete', content: [], at });
    expect((await calls[0]!.answer).result.at).toBe(0);
    expect((await calls[1]!.answer).result.at).toBe(1);
    expect((await other.notification('notifications/progress')).params).toEqual({
      progressToken: 5,
      progress: 1,
      x: 1,
    });
  });

  it('has its subscriptions passed on, each under the id of its own listen request', async () => {
    const { client, upstream } = await open();
    const listens = ['a', 'b'].map((id) =>
      client.send({
        method: 'subscriptions/listen',
        params: { notifications: { toolsListChanged: true } },
        id,
      }),
    );
    const requests = [
      await upstream.server.next('subscriptions/listen'),
      await upstream.server.next('subscriptions/listen'),
    ];
    for (const { id } of requests)
      upstream.server.say({
        method: 'notifications/subscriptions/acknowledged',
        params: {
          _meta: { 'io.modelcontextprotocol/subscriptionId': id },
          notifications: { toolsListChanged: true },
        },
      });
    const tag = (id: unknown): object => ({ _meta: { k: 1, 'io.modelcontextprotocol/subscriptionId': id } });
    upstream.server.say({ method: 'notifications/tools/list_changed', params: tag(requests[1]!.id) });
    await settled();
    const heard = client.received.filter(({ method }) => method?.startsWith('notifications/') === true);
    expect(
      heard.map(({ method, params }) => [method, params._meta['io.modelcontextprotocol/subscriptionId']]),
    ).toEqual([
      ['notifications/subscriptions/acknowledged', 'a'],
      ['notifications/subscriptions/acknowledged', 'b'],
      ['notifications/tools/list_changed', 'b'],
    ]);
    upstream.server.answer(requests[0]!, { resultType: 'complete', ...tag(requests[0]!.id) });
    expect((await listens[0]!.answer).result).toEqual({ resultType: 'complete', ...tag('a') });
    client.cancel('b');
    expect((await upstream.server.next('notifications/cancelled')).params.requestId).toBe(requests[1]!.id);
  });

  it('is told when a client gives up', async () => {
    const { client, upstream } = await open();
    const { id } = client.send({ method: 'tools/call', params: { name: 't' } });
    const call = await upstream.server.next('tools/call');
    client.cancel(id);
    expect((await upstream.server.next('notifications/cancelled')).params.requestId).toBe(call.id);
  });

  it('is asked anew when it has been restarted, and may be legacy then', async () => {
    const { harness, become } = changing('modern');
    const { client, upstream, clock } = harness;
    const first = client.call('t');
    await settled();
    await upstream.server.next('tools/call');
    upstream.server.exit();
    expect((await first).error.data.reason).toBe('upstream_exited');
    become('legacy');
    const second = client.call('t');
    await settled();
    clock.advance(250);
    await expect.poll(() => upstream.servers.length).toBe(2);
    const call = await upstream.server.next('tools/call');
    expect(call.params._meta).toEqual({ progressToken: call.id });
    upstream.server.text(call, 'legacy');
    expect((await second).result).toMatchObject({ resultType: 'complete', content: [{ text: 'legacy' }] });
  });

  it('may come to stand where a legacy one was', async () => {
    const { harness, become } = changing('legacy');
    const { client, upstream, clock } = harness;
    await client.request({ method: 'server/discover' });
    become('modern');
    upstream.server.exit();
    const answers = [client.call('t'), client.request({ method: 'tools/list' })];
    await settled();
    clock.advance(250);
    await expect.poll(() => upstream.servers.length).toBe(2);
    const call = await upstream.server.next('tools/call');
    expect(call.params._meta).toEqual(metadata());
    upstream.server.answer(call, { resultType: 'complete', content: [] });
    const list = await upstream.server.next('tools/list');
    upstream.server.answer(list, { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' });
    expect((await answers[0]!).result.content).toEqual([]);
    expect((await answers[1]!).result.tools).toEqual([]);
  });

  it('may come to stand where a legacy one was that wanted a URL opened first: then the retry is answered', async () => {
    const { harness, become } = changing('legacy');
    const { client, upstream, clock } = harness;
    const first = client.call('t');
    await settled();
    const elicitations = [{ mode: 'url', elicitationId: 'e', url: 'https://a.test/', message: 'Open' }];
    upstream.server.fail(await upstream.server.next('tools/call'), -32042, 'open it', { elicitations });
    await closeWindow(harness);
    const shown = await first;
    upstream.server.exit();
    become('modern');
    const final = client.retry(shown, 't', {}, { elicitation: { action: 'accept' } });
    await settled();
    clock.advance(250);
    await expect.poll(() => upstream.servers.length).toBe(2);
    await settled();
    const call = await upstream.server.next('tools/call');
    upstream.server.answer(call, { resultType: 'complete', content: [{ type: 'text', text: 'modern' }] });
    expect((await final).result.content).toEqual([{ type: 'text', text: 'modern' }]);
  });
});

describe('the protocol of the server', () => {
  it('is not asked for where the user says that it is modern', async () => {
    const { client, upstream } = createHarness({ on: () => true }, { protocol: 'modern' });
    void client.request({ method: 'tools/list' });
    await settled();
    expect(upstream.server.rawReceived.map((line) => JSON.parse(line).method)).toEqual(['tools/list']);
  });

  it('must be legacy where the user says so', async () => {
    const { client } = modern({ protocol: 'legacy' });
    const { error } = await client.request({ method: 'server/discover' });
    expect(error).toMatchObject({ data: { reason: 'upstream_unavailable' } });
    expect(error.message).toContain('modern');
  });
});
