#!/usr/bin/env node
// The main job, frame by frame on both sides: a modern client, the bridge, and a legacy server that asks its user
// something in the middle of a call. Exits with 1 if the job was not done.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { metadata } from './answer.js';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'mcp-bridge-demo-'));
const tapLog = join(folder, 'frames.jsonl');
writeFileSync(tapLog, '');

const server = [process.execPath, path('./tap.js'), process.execPath, path('./old-server.js')];
const options = ['--log-level', 'warn', '--env', `TAP_LOG=${tapLog}`];
const args = [path('../bin/mcp-bridge.js'), ...options, '--', ...server];
const bridge = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });

const colour = (code, text) => (process.stdout.isTTY ? `\x1b[${code}m${text}\x1b[0m` : text);
const title = (text) => console.log(`\n${colour(1, text)}\n`);
const shown = { client: 36, modern: 32, bridge: 33, server: 35 };
const arrows = {
  client: 'client ──▶ bridge           ',
  bridge: '           bridge ──▶ legacy',
  server: '           bridge ◀── legacy',
  modern: 'client ◀── bridge           ',
};
const show = (from, line) => console.log(`${colour(shown[from], arrows[from])}  ${line}`);

let tapped = 0;
function showLegacySide() {
  const lines = readFileSync(tapLog, 'utf8').split('\n').slice(0, -1);
  for (const line of lines.slice(tapped)) {
    const frame = JSON.parse(line);
    show(frame.from, frame.line);
  }
  tapped = lines.length;
}

const answers = createInterface({ input: bridge.stdout })[Symbol.asyncIterator]();
let lastId = 0;

async function request(method, params) {
  lastId += 1;
  const line = JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params: { ...params, _meta: metadata } });
  show('client', line);
  bridge.stdin.write(`${line}\n`);
  const { value } = await answers.next();
  showLegacySide();
  show('modern', value);
  return JSON.parse(value).result;
}

title('1. What can you do? The bridge opens a session with the old server and answers from what it said.');
await request('server/discover', {});

title('2. Which tools are there? The request goes through; its metadata stays on the modern side.');
await request('tools/list', {});

title('3. Delete a note. The server asks its user first: its question becomes the answer of the call.');
const call = { name: 'delete_note', arguments: { name: 'shopping' } };
const asked = await request('tools/call', call);

title(
  '4. The user says yes. The same call again, with the answer: the old server goes on where it was waiting.',
);
const inputResponses = { sure: { action: 'accept', content: { sure: true } } };
const done = await request('tools/call', { ...call, inputResponses, requestState: asked.requestState });

bridge.stdin.end();
await new Promise((resolve) => bridge.once('exit', resolve));
rmSync(folder, { recursive: true });

const isDone = done.content?.[0]?.text === 'Deleted "shopping".';
title(
  isDone ? 'Done: a stateless modern client, a stateful old server, and neither had to change.' : 'Not done.',
);
process.exit(isDone ? 0 : 1);
