// A legacy server over Streamable HTTP. spec 2025-11-25 basic/transports#streamable-http
import { describe, expect, it } from 'vitest';
import { setupHttp, textOf } from '../support/upstream-harness.ts';

describe('a session over Streamable HTTP', () => {
  it('initializes once, says the version from then on, and ends the session at the end', async () => {
    const { client, server, bridge } = await setupHttp();
    expect(textOf(await client.call('one'))).toBe('one has run');
    expect(textOf(await client.call('two'))).toBe('two has run');
    await bridge.close(0);
    expect(server.count('initialize')).toBe(1);
    const [first, ...later] = server.requests;
    expect(first!.headers['mcp-protocol-version']).toBeUndefined();
    expect(first!.headers['mcp-session-id']).toBeUndefined();
    for (const { headers } of later) {
      expect(headers['mcp-protocol-version']).toBe('2025-11-25');
      expect(headers['mcp-session-id']).toBe('session-1');
    }
    expect(server.requests.at(-1)!.method).toBe('DELETE');
    expect(server.sessions.size).toBe(0);
  });

  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('accepts %s', async (version) => {
    const { client, server } = await setupHttp({ version });
    expect(textOf(await client.call('one'))).toBe('one has run');
    expect(server.requests.at(-1)!.headers['mcp-protocol-version']).toBe(version);
  });

  it('does without a session id, and deletes nothing then', async () => {
    const { client, server, bridge } = await setupHttp({ hasSessions: false });
    expect(textOf(await client.call('one'))).toBe('one has run');
    await bridge.close(0);
    expect(server.count('DELETE')).toBe(0);
    expect(server.requests.every(({ headers }) => headers['mcp-session-id'] === undefined)).toBe(true);
  });

  it('reads answers from event streams as well as from JSON', async () => {
    const { client } = await setupHttp({ streams: true });
    expect(textOf(await client.call('one'))).toBe('one has run');
  });

  it('refuses a session id that no header can carry', async () => {
    const { client, server } = await setupHttp({
      on: ({ message, json, response }) => {
        if (message.method !== 'initialize') return false;
        response.setHeader('mcp-session-id', 'a b\u00e9');
        json({ id: message.id, result: { protocolVersion: '2025-11-25', capabilities: {} } });
        return true;
      },
    });
    const { error } = await client.call('one');
    expect(error.message).toContain('session id');
    expect(server.requests).toHaveLength(1);
  });

  it('sends initialized before any request, however long the server takes over it', async () => {
    let accept = (): void => undefined;
    const { client, server } = await setupHttp({
      on: ({ message, response }) => {
        if (message.method !== 'notifications/initialized') return false;
        accept = () => response.writeHead(202).end();
        return true;
      },
    });
    const answer = client.call('one');
    await server.until(() => server.count('notifications/initialized') === 1);
    expect(server.requests).toHaveLength(2);
    accept();
    expect(textOf(await answer)).toBe('one has run');
  });
});
