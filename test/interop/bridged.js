// The built command line in front of a legacy server, and official modern clients that reach it over either face.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export const cli = fileURLToPath(new URL('../../bin/mcp-bridge.js', import.meta.url));
export const modes = { pinned: { pin: '2026-07-28' }, auto: 'auto' };
export const faces = ['stdio', 'http'];

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
  const args = [cli, '--port', '0', '--log-level', 'error', ...options, ...upstream(server)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = String((await once(child.stdout, 'data'))[0]);
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { url: new URL(line.trim().split(' ').pop()), stop };
}

/** The same as the arguments of a stdio client. */
export function stdioCommand(server, options = []) {
  return { command: process.execPath, args: [cli, '--log-level', 'error', ...options, ...upstream(server)] };
}

/** An official client that can be asked everything, connected over a face. Resolves to it and how to end all. */
export async function connect(face, server, mode, { options = [], capabilities, answers = {} } = {}) {
  const all = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
  const client = new Client(
    { name: 'interop', version: '1.0.0' },
    { versionNegotiation: { mode }, capabilities: capabilities ?? all },
  );
  const asked = capabilities ?? all;
  if (asked.elicitation)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      if (params.mode === 'url') return { action: 'accept' };
      const names = Object.keys(params.requestedSchema.properties);
      const content = Object.fromEntries(names.map((name) => [name, answers[name] ?? `my ${name}`]));
      return { action: 'accept', content };
    });
  if (asked.sampling)
    client.setRequestHandler('sampling/createMessage', () => ({
      role: 'assistant',
      content: { type: 'text', text: 'Paris' },
      model: 'test',
    }));
  if (asked.roots) client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///interop' }] }));
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

/** The text of the first block of a tool's result. */
export async function callText(client, name, args = {}, options = undefined) {
  const { content } = await client.callTool({ name, arguments: args }, options);
  return content[0].text;
}
