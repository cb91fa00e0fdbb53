#!/usr/bin/env node
// A bridge in front of a legacy server at a URL, as a sidecar or a gateway has it, and a modern client before it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

/** Starts a process and resolves to it and the URL that its first line ends with. */
async function start(...args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return { child, url: String(line).trim().split(' ').pop() };
}

const server = await start(path('./old-http-server.js'));
const bridge = await start(
  path('../bin/mcp-bridge.js'),
  '--port',
  '0',
  '--log-level',
  'warn',
  '--upstream',
  server.url,
);
const client = spawn(process.execPath, [path('./http-client.js'), bridge.url], { stdio: 'inherit' });
const [code] = await once(client, 'exit');
bridge.child.kill();
await once(bridge.child, 'exit');
server.child.kill();
process.exitCode = code;
