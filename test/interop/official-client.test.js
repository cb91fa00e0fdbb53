// The official modern client, pinned and in auto mode, over both faces, in front of a server without any SDK and one on
// the official SDK v1, behind every wire: every feature.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { callText, connect, faces, heardProgress, modes } from './bridged.js';
import { features, servers } from './legacy-servers.js';

const combinations = Object.keys(servers).flatMap((server) =>
  faces.flatMap((face) => Object.keys(modes).map((mode) => [face, server, mode])),
);

describe.each(combinations)('over %s, %s, the client %s', (face, server, mode) => {
  let bridged;
  let legacy;
  beforeAll(async () => {
    legacy = await servers[server]();
    bridged = await connect(face, legacy.server, modes[mode]);
  });
  afterAll(async () => {
    await bridged?.end();
    await legacy?.stop();
  });
  const text = (name, args, options) => callText(bridged.client, name, args, options);

  it('speaks the modern revision and lists', async () => {
    const { client } = bridged;
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect((await client.listTools()).tools).toHaveLength(11);
    expect((await client.listResources()).resources[0].uri).toBe('test://one');
    expect((await client.readResource({ uri: 'test://one' })).contents[0].text).toBe('content');
    expect((await client.listPrompts()).prompts[0].name).toBe('greet');
    expect((await client.getPrompt({ name: 'greet' })).messages).toHaveLength(1);
  });

  it('calls, with progress', async () => {
    expect(await text('add', { a: 1, b: 2 })).toBe('3');
    // An SDK server that answers in JSON has no way to send progress.
    const isSilent = server.endsWith('in JSON');
    expect(await heardProgress(bridged.client, !isSilent)).toEqual(isSilent ? [] : [1, 2, 3]);
  });

  it('is asked, by form, by URL, for a sample, for roots, and in two rounds', async () => {
    expect(await text('elicit-form')).toBe('Hello my name');
    expect(await text('elicit-url')).toBe('accept');
    expect(await text('sample')).toBe('Paris');
    expect(await text('roots')).toBe('file:///interop');
    expect(await text('rounds')).toBe('my first my second');
  });

  it('is told of changes', async () => {
    const { client } = bridged;
    const heard = [];
    client.setNotificationHandler('notifications/tools/list_changed', () => void heard.push('tools'));
    client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void heard.push(params.uri),
    );
    const subscription = await client.listen({
      toolsListChanged: true,
      resourceSubscriptions: ['test://one'],
    });
    expect(subscription.honoredFilter).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ['test://one'],
    });
    await text('change-tools');
    await text('update-resource');
    await vi.waitFor(() => expect(heard).toEqual(['tools', 'test://one']), { timeout: 3000 });
    await subscription.close();
  });

  // Last, as over HTTP a cancelled call of somebody makes the questions of others wait for its quarantine.
  it('cancels', async () => {
    const abort = new AbortController();
    const call = text('slow', { ms: 5000 }, { signal: abort.signal });
    setTimeout(() => abort.abort(), 50);
    await expect(call).rejects.toThrow();
    await vi.waitFor(async () => expect(Number(await text('cancelled'))).toBeGreaterThan(0), {
      timeout: 3000,
    });
  });
});

describe.each(faces)('over %s', (face) => {
  const command = [process.execPath, features];

  it('64 calls of 50 ms run in parallel, and a parked call holds up none', async () => {
    const { client, end } = await connect(face, command, modes.pinned);
    let answer;
    client.setRequestHandler('elicitation/create', () => new Promise((resolve) => (answer = resolve)));
    const parked = callText(client, 'elicit-form');
    await vi.waitFor(() => expect(answer).toBeDefined(), { timeout: 3000 });
    const from = performance.now();
    await Promise.all(Array.from({ length: 64 }, () => callText(client, 'slow', { ms: 50 })));
    const took = performance.now() - from;
    answer({ action: 'accept', content: { name: 'Ada' } });
    expect(await parked).toBe('Hello Ada');
    await end();
    // One after the other they would take 3.2 s; what the client itself costs is not the bridge's.
    expect(took).toBeLessThan(1000);
  });

  it('a client that cannot be asked is told what it lacks', async () => {
    const { client, end } = await connect(face, command, modes.pinned, { capabilities: {} });
    await expect(callText(client, 'elicit-form')).rejects.toMatchObject({ code: -32021 });
    await end();
  });
});
