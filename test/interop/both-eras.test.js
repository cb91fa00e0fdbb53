// Clients of both eras before one bridge, all at once over HTTP and each over stdio, in front of every server.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  callText,
  heardProgress,
  modes,
  officialClient,
  sdkV1Client,
  startHttp,
  stdioCommand,
} from './bridged.js';
import { servers } from './legacy-servers.js';

const withToken = (name) => ({ requestInit: { headers: { Authorization: `Bearer secret-${name}` } } });
const official = (mode) => ({
  create: (answers) => officialClient(mode, { answers }),
  http: (url, name) => new StreamableHTTPClientTransport(url, withToken(name)),
  stdio: (command) => new StdioClientTransport({ ...command, stderr: 'inherit' }),
});
const clients = {
  default: official(undefined),
  auto: official(modes.auto),
  pinned: official(modes.pinned),
  v1: {
    create: sdkV1Client,
    http: (url, name) => new LegacyHttp(url, withToken(name)),
    stdio: (command) => new LegacyStdio({ ...command, stderr: 'inherit' }),
  },
  'v1-sse': {
    create: sdkV1Client,
    http: (url, name) => new SSEClientTransport(new URL('/sse', url), withToken(name)),
  },
};
const overStdio = Object.keys(clients).filter((name) => clients[name].stdio !== undefined);
const names = Object.keys(clients);

/** All that a client does; it has answers of its own, which must come back to it and nobody else. */
async function story(client, name, server) {
  expect((await client.listTools()).tools).toHaveLength(11);
  expect((await client.readResource({ uri: 'test://one' })).contents[0].text).toBe('content');
  expect(await callText(client, 'add', { a: 1, b: 2 })).toBe('3');
  // An SDK server that answers in JSON has no way to send progress.
  const isSilent = server.endsWith('in JSON');
  expect(await heardProgress(client, !isSilent)).toEqual(isSilent ? [] : [1, 2, 3]);
  expect(await callText(client, 'elicit-form')).toBe(`Hello ${name}`);
  expect(await callText(client, 'elicit-url')).toBe('accept');
  expect(await callText(client, 'sample')).toBe('Paris');
  expect(await callText(client, 'roots')).toBe('file:///interop');
  expect(await callText(client, 'rounds')).toBe(`${name} 1 ${name} 2`);
}

const answersOf = (name) => ({ name, first: `${name} 1`, second: `${name} 2` });

async function cancels(client) {
  const abort = new AbortController();
  const call = callText(client, 'slow', { ms: 5000 }, { signal: abort.signal });
  setTimeout(() => abort.abort(), 50);
  await expect(call).rejects.toThrow();
  await vi.waitFor(async () => expect(Number(await callText(client, 'cancelled'))).toBeGreaterThan(0), {
    timeout: 3000,
  });
}

describe.each(Object.keys(servers))('in front of %s', (server) => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-bridge-eras-'));
  const tokens = join(folder, 'tokens');
  writeFileSync(tokens, names.map((name) => `${name}:secret-${name}\n`).join(''));
  let legacy;
  let bridge;
  beforeAll(async () => {
    legacy = await servers[server]();
    bridge = await startHttp(legacy.server, ['--legacy-sse', '--auth-token-file', tokens]);
  });
  afterAll(async () => {
    await bridge?.stop();
    await legacy?.stop();
    rmSync(folder, { recursive: true });
  });

  it('all of them over HTTP, at once', async () => {
    const connected = await Promise.all(
      names.map(async (name) => {
        const client = clients[name].create(answersOf(name));
        await client.connect(clients[name].http(bridge.url, name));
        return [name, client];
      }),
    );
    await Promise.all(connected.map(([name, client]) => story(client, name, server)));
    await Promise.all(connected.map(([, client]) => cancels(client)));
    await Promise.all(connected.map(([, client]) => client.close()));
  });

  it.each(overStdio)('%s over stdio', async (name) => {
    const client = clients[name].create(answersOf(name));
    await client.connect(clients[name].stdio(stdioCommand(legacy.server)));
    await story(client, name, server);
    await cancels(client);
    await client.close();
  });
});
