import { describe, expect, it } from 'vitest';
import { openHarness, settled } from '../support/harness.ts';

const tools = (name: string): object => ({ tools: [{ name, inputSchema: { type: 'object' } }] });
const list = { method: 'tools/list' };

describe('lists', () => {
  // Rule 8; field bug 92.
  it('are kept in memory until the server says that they have changed', async () => {
    const { client, upstream } = await openHarness();
    const first = client.request(list);
    upstream.server.answer(await upstream.server.next('tools/list'), tools('a'));
    expect((await first).result).toMatchObject({
      ttlMs: 60_000,
      cacheScope: 'private',
      tools: [{ name: 'a' }],
    });
    expect((await client.request(list)).result).toEqual((await first).result);
    expect(upstream.server.count('tools/list')).toBe(1);
    upstream.server.say({ method: 'notifications/tools/list_changed' });
    const second = client.request(list);
    upstream.server.answer(await upstream.server.next('tools/list'), tools('b'));
    expect((await second).result.tools[0].name).toBe('b');
  });

  // Field bug 128.
  it.each(['x'.repeat(200), 'with spaces', 'a/b/../c', '🧪é中', '__proto__', 'constructor', 'a"b\\c', ''])(
    'and calls have names as they are: %s',
    async (name) => {
      const { client, upstream } = await openHarness();
      const listed = client.request(list);
      // Two with one name are the server's own affair.
      const both = { tools: [name, name].map((each) => ({ name: each, inputSchema: { type: 'object' } })) };
      upstream.server.answer(await upstream.server.next('tools/list'), both);
      expect((await listed).result.tools.map((tool: { name: string }) => tool.name)).toEqual([name, name]);
      const called = client.call(name);
      const call = await upstream.server.next('tools/call');
      expect(call.params.name).toBe(name);
      upstream.server.text(call, 'ok');
      expect((await called).result.content[0].text).toBe('ok');
    },
  );

  it('that were asked for before a change are not kept after it', async () => {
    const { client, upstream } = await openHarness();
    const first = client.request(list);
    const request = await upstream.server.next('tools/list');
    upstream.server.say({ method: 'notifications/tools/list_changed' });
    upstream.server.answer(request, tools('old'));
    await first;
    const second = client.request(list);
    upstream.server.answer(await upstream.server.next('tools/list'), tools('new'));
    expect((await second).result.tools[0].name).toBe('new');
  });

  it('are kept page by page, with cursors as they are', async () => {
    const { client, upstream } = await openHarness();
    const page = async (cursor?: string): Promise<any> =>
      client.request({ ...list, params: cursor === undefined ? {} : { cursor } });
    const first = page();
    upstream.server.answer(await upstream.server.next('tools/list'), { ...tools('a'), nextCursor: 'c/é=' });
    const { nextCursor } = (await first).result;
    const second = page(nextCursor);
    const request = await upstream.server.next('tools/list');
    expect(request.params.cursor).toBe('c/é=');
    upstream.server.answer(request, tools('b'));
    expect((await second).result.tools[0].name).toBe('b');
    expect((await page(nextCursor)).result.tools[0].name).toBe('b');
    expect((await page()).result.tools[0].name).toBe('a');
    expect(upstream.server.count('tools/list')).toBe(2);
  });

  it('are asked for each time of a server that promises nothing', async () => {
    const { client, upstream } = await openHarness({ capabilities: { tools: {} } });
    for (const name of ['a', 'b']) {
      const answer = client.request(list);
      upstream.server.answer(await upstream.server.next('tools/list'), tools(name));
      expect((await answer).result).toMatchObject({ ttlMs: 0, tools: [{ name }] });
    }
  });

  it('are forgotten with the session that gave them', async () => {
    const { client, upstream, clock } = await openHarness();
    const first = client.request(list);
    upstream.server.answer(await upstream.server.next('tools/list'), tools('a'));
    await first;
    upstream.server.exit();
    const opened = upstream.nextServer();
    const second = client.request(list);
    await settled();
    clock.advance(250);
    const server = await opened;
    server.answer(await server.next('tools/list'), tools('b'));
    expect((await second).result.tools[0].name).toBe('b');
  });
});
