#!/usr/bin/env node
// A modern client without any SDK: starts the bridge as its server and speaks lines with it.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { metadata, visit } from './answer.js';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const args = [
  path('../bin/mcp-bridge.js'),
  '--log-level',
  'warn',
  '--',
  process.execPath,
  path('./old-server.js'),
];
const bridge = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });

const waiting = new Map();
let lastId = 0;

createInterface({ input: bridge.stdout }).on('line', (line) => {
  const { id, result, error } = JSON.parse(line);
  const { resolve, reject } = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) resolve(result);
  else reject(new Error(error.message));
});

function request(method, params) {
  lastId += 1;
  const frame = { jsonrpc: '2.0', id: lastId, method, params: { ...params, _meta: metadata } };
  bridge.stdin.write(`${JSON.stringify(frame)}\n`);
  return new Promise((resolve, reject) => waiting.set(frame.id, { resolve, reject }));
}

try {
  await visit(request);
} finally {
  bridge.stdin.end();
}
