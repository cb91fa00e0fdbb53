// A client that tries the modern era first, in front of a server that takes its time to start.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it } from 'vitest';
import { callText, cli, modes, officialClient } from './bridged.js';

const server = fileURLToPath(new URL('../fixtures/counting-starts.js', import.meta.url));
const startMs = 20_000;

/** Connects, calls, and says which version was spoken. */
async function visit(cache) {
  const client = officialClient(modes.auto);
  const args = [cli, '--log-level', 'error', '--env', `SLOW=${startMs}`, '--', process.execPath, server];
  const env = { ...process.env, XDG_CACHE_HOME: cache };
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'inherit' }));
  const version = client.getNegotiatedProtocolVersion();
  expect(await callText(client, 'hello')).toBe('Hello');
  await client.close();
  return version;
}

it('it stays modern on its second run, whatever it takes the server for on its first', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'mcp-bridge-slow-'));
  await visit(cache);
  expect(await visit(cache)).toBe('2026-07-28');
  rmSync(cache, { recursive: true });
}, 120_000);
