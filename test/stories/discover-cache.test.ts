// What a server said of itself at its last start answers for it until it is started again.
import { describe, expect, it } from 'vitest';
import { Bridge } from '../../src/bridge/bridge.ts';
import type { DiscoverStore } from '../../src/bridge/discovered.ts';
import { StdioClient } from '../support/harness.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { ScriptedUpstream, type Script } from '../support/scripted-upstream.ts';

class MemoryStore implements DiscoverStore {
  kept: Buffer | undefined;
  readonly read = (): Buffer | undefined => this.kept;
  readonly write = (answer: Buffer | undefined): void => {
    this.kept = answer;
  };
}

function start(
  discovered: DiscoverStore,
  script: Script = {},
): { client: StdioClient; upstream: ScriptedUpstream; clock: ManualClock } {
  const upstream = new ScriptedUpstream(script);
  const clock = new ManualClock();
  return { client: new StdioClient(new Bridge({ upstream, clock, discovered })), upstream, clock };
}

const discover = { method: 'server/discover' };

describe('what a server said at its last start', () => {
  it('answers server/discover without starting it, to be asked for again', async () => {
    const store = new MemoryStore();
    const first = start(store, { capabilities: { tools: {} }, hello: { instructions: 'ä' } });
    const real = await first.client.request(discover);
    expect(real.result.ttlMs).toBe(60_000);
    const { client, upstream } = start(store);
    const kept = await client.request(discover);
    expect(kept.result).toEqual({ ...real.result, ttlMs: 0, cacheScope: 'private' });
    expect(upstream.servers).toEqual([]);
  });

  it('holds for nobody once it has been started again', async () => {
    const store = new MemoryStore();
    await start(store, { capabilities: { tools: {}, prompts: {} } }).client.request(discover);
    const { client, upstream } = start(store, { capabilities: { resources: {} } });
    expect((await client.request(discover)).result.capabilities).toEqual({ tools: {}, prompts: {} });
    // The first request that needs the server starts it, and is held to what it is now.
    expect((await client.request({ method: 'prompts/list' })).error.code).toBe(-32601);
    expect((await client.request(discover)).result.capabilities).toEqual({ resources: {} });
    expect(upstream.servers).toHaveLength(1);
    expect((await start(store).client.request(discover)).result.capabilities).toEqual({ resources: {} });
  });

  it('does not hide that the server cannot be started', async () => {
    const store = new MemoryStore();
    await start(store).client.request(discover);
    const { client, clock } = start(store, { on: (_, server) => (server.exit(), true) });
    expect((await client.request(discover)).result.resultType).toBe('complete');
    expect((await client.request({ method: 'tools/list' })).error.data.reason).toBe('upstream_unavailable');
    const second = client.request(discover);
    clock.advance(250);
    expect((await second).error.data.reason).toBe('upstream_unavailable');
  });

  it('is forgotten when the server has become a modern one', async () => {
    const store = new MemoryStore();
    await start(store).client.request(discover);
    const { client, upstream } = start(store, {
      on: (message, server) => {
        if (message.method === 'initialize') server.fail(message, -32022, 'no');
        return true;
      },
    });
    void client.request({ method: 'tools/list' });
    await expect.poll(() => upstream.servers[0]?.count('tools/list')).toBe(1);
    expect(store.kept).toBeUndefined();
  });

  it.each([
    '',
    '{',
    '[]',
    '{"result":{}}',
    '{"result":{"protocolVersion":"2026-07-28"}}',
    '{"error":{"code":1,"message":"m"}}',
  ])('is not used where it reads %j', async (text) => {
    const store = new MemoryStore();
    store.kept = Buffer.from(text);
    const { client, upstream } = start(store);
    expect((await client.request(discover)).result.resultType).toBe('complete');
    expect(upstream.servers).toHaveLength(1);
  });
});
