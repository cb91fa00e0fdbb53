#!/usr/bin/env node
// A modern client over Streamable HTTP without any SDK. Give it the URL of a bridge, or it starts one for itself.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { metadata, visit } from './answer.js';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
let lastId = 0;

async function startBridge() {
  const flags = ['--port', '0', '--log-level', 'warn'];
  const args = [path('../bin/mcp-bridge.js'), ...flags, '--', process.execPath, path('./old-server.js')];
  const bridge = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(bridge.stdout, 'data');
  return { bridge, url: String(line).trim().split(' ').pop() };
}

/** The answer is a JSON object, or the last event of a stream. */
async function read(reply) {
  const text = await reply.text();
  if (reply.headers.get('content-type') === 'application/json') return JSON.parse(text);
  const events = text.split('\n\n').filter((event) => event.startsWith('data: '));
  return JSON.parse(events.pop().slice('data: '.length));
}

const { bridge, url } = process.argv[2] === undefined ? await startBridge() : { url: process.argv[2] };

async function request(method, params) {
  lastId += 1;
  const reply = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      // The headers say what the body says, so that whatever stands between can route without reading it.
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...(params.name !== undefined && { 'Mcp-Name': params.name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params: { ...params, _meta: metadata } }),
  });
  const { result, error } = await read(reply);
  if (error !== undefined) throw new Error(error.message);
  return result;
}

try {
  await visit(request);
} finally {
  bridge?.kill('SIGTERM');
}
