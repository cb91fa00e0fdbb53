// Runs every example and fails if one of them does.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('./', import.meta.url));
const scripts = ['demo.js', 'stdio-client.js', 'http-client.js', 'sidecar.js'];
const snippets = readdirSync(folder).filter((name) => name.endsWith('.json'));
let failedCount = 0;

for (const name of scripts) {
  const child = spawn(process.execPath, [`${folder}${name}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 30_000,
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  const isGood = code === 0 && output.includes('Deleted');
  if (!isGood) failedCount += 1;
  console.log(`${isGood ? 'ok' : 'FAILED'} examples/${name}`);
}

for (const name of snippets) {
  const { mcpServers, servers } = JSON.parse(readFileSync(`${folder}${name}`, 'utf8'));
  const entries = Object.values(mcpServers ?? servers);
  const isGood = entries.every(
    ({ command, args, url }) =>
      url ?? (command === 'mcp-bridge' && (args.includes('--') || args.includes('--upstream'))),
  );
  if (!isGood) failedCount += 1;
  console.log(`${isGood ? 'ok' : 'FAILED'} examples/${name}`);
}

console.log(`${scripts.length + snippets.length - failedCount} passed, ${failedCount} failed, 0 skipped`);
process.exit(failedCount === 0 ? 0 : 1);
