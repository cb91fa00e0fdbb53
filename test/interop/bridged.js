// The built command line in front of a legacy server, and official modern clients that reach it over either face.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import * as legacyTypes from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'vitest';

export const cli = fileURLToPath(new URL('../../bin/mcp-bridge.js', import.meta.url));
export const modes = { pinned: { pin: '2026-07-28' }, auto: 'auto' };
export const faces = ['stdio', 'http'];

/** Without what earlier runs have left. */
const quiet = ['--log-level', 'error', '--no-discover-cache'];
const preload = fileURLToPath(new URL('./listen-locally.js', import.meta.url));

/** How the bridge is told of a server: the words of a command, or a URL. */
const upstream = (server) => (typeof server === 'string' ? ['--upstream', server] : ['--', ...server]);

/** Starts a legacy server that listens, on a free port; resolves to its URL with that path, and how to stop it. */
export async function startLegacy(args, path, { env = {}, protocol = 'http' } = {}) {
  const child = spawn(process.execPath, ['--import', preload, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  const port = await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const found = /listening locally on (\d+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`the legacy server exited with ${code}`)));
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { url: `${protocol}://127.0.0.1:${port}${path}`, stop };
}

/** Starts the HTTP face; resolves to its URL and how to stop it. */
export async function startHttp(server, options = []) {
  const args = [cli, '--port', '0', ...quiet, ...options, ...upstream(server)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((resolve, reject) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk)));
    child.once('exit', (code) => reject(new Error(`the bridge exited with ${code}`)));
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { url: new URL(line.trim().split(' ').pop()), stop };
}

/** The same as the arguments of a stdio client. */
export function stdioCommand(server, options = []) {
  return { command: process.execPath, args: [cli, ...quiet, ...options, ...upstream(server)] };
}

const everything = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** How this client answers a question, whatever SDK it is on. */
const answering = (answers = {}) => ({
  'elicitation/create': ({ params }) => {
    if (params.mode === 'url') return { action: 'accept' };
    const names = Object.keys(params.requestedSchema.properties);
    const content = Object.fromEntries(names.map((name) => [name, answers[name] ?? `my ${name}`]));
    return { action: 'accept', content };
  },
  'sampling/createMessage': () => ({
    role: 'assistant',
    content: { type: 'text', text: 'Paris' },
    model: 'test',
  }),
  'roots/list': () => ({ roots: [{ uri: 'file:///interop' }] }),
});
const needs = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

/** The official client, in a mode or, with none, as it is by default; it can be asked everything. */
export function officialClient(mode, { capabilities = everything, answers } = {}) {
  const client = new Client(
    { name: 'interop', version: '1.0.0' },
    { capabilities, ...(mode !== undefined && { versionNegotiation: { mode } }) },
  );
  for (const [method, answer] of Object.entries(answering(answers)))
    if (capabilities[needs[method]]) client.setRequestHandler(method, answer);
  return client;
}

/** The client of the official SDK v1, which is a legacy one; it can be asked everything. */
export function sdkV1Client(answers) {
  const client = new LegacyClient({ name: 'interop-v1', version: '1.0.0' }, { capabilities: everything });
  const schemas = {
    'elicitation/create': legacyTypes.ElicitRequestSchema,
    'sampling/createMessage': legacyTypes.CreateMessageRequestSchema,
    'roots/list': legacyTypes.ListRootsRequestSchema,
  };
  for (const [method, answer] of Object.entries(answering(answers)))
    client.setRequestHandler(schemas[method], answer);
  return client;
}

/** An official client, connected over a face. Resolves to it and how to end all. */
export async function connect(face, server, mode, { options = [], ...more } = {}) {
  const client = officialClient(mode, more);
  if (face === 'stdio') {
    await client.connect(new StdioClientTransport({ ...stdioCommand(server, options), stderr: 'inherit' }));
    return { client, end: () => client.close() };
  }
  const { url, stop } = await startHttp(server, options);
  await client.connect(new StreamableHTTPClientTransport(url));
  const end = async () => {
    await client.close();
    await stop();
  };
  return { client, end };
}

/**
 * The progress that a client hears of a call of the tool `progress`, which answers once all of it has come: clients lose
 * what they read in one go with the answer, without a bridge as well.
 */
export async function heardProgress(client, hasProgress = true) {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-bridge-progress-'));
  const until = join(folder, 'heard');
  const heard = [];
  const onprogress = ({ progress }) => {
    heard.push(progress);
    if (heard.length === 3) writeFileSync(until, '');
  };
  try {
    expect(await callText(client, 'progress', hasProgress ? { until } : {}, { onprogress })).toBe('done');
    return heard;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The text of the first block of a tool's result. */
export async function callText(client, name, args = {}, options = undefined) {
  const params = { name, arguments: args };
  const { content } = await (client instanceof LegacyClient
    ? client.callTool(params, undefined, options)
    : client.callTool(params, options));
  return content[0].text;
}
