// How long it takes from the start of a process to its first answer, and to its end where it only says something.
import { once } from 'node:events';
import { bridge, path, stdioServer } from './contenders.js';
import { end, median, start } from './processes.js';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const call = { method: 'tools/call', params: { name: 'a', arguments: {}, _meta: meta } };
const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'b', version: '1' } };
const initialize = { method: 'initialize', params };

async function untilAnswer(command, message) {
  const from = performance.now();
  const child = start(command);
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })}\n`);
  await once(child.stdout, 'data');
  const ms = performance.now() - from;
  await end(child);
  return ms;
}

async function untilEnd(command) {
  const from = performance.now();
  const child = start(command);
  child.stdout.resume();
  await once(child, 'exit');
  return performance.now() - from;
}

const behind = [process.execPath, ...stdioServer];
const starts = {
  'the server alone': () => untilAnswer(stdioServer, initialize),
  'a pipe in front of it': () => untilAnswer([path('./pipe.js'), ...behind], initialize),
  'the bridge in front of it': () => untilAnswer([...bridge, '--', ...behind], call),
  'an empty program': () => untilEnd(['--input-type=module', '--eval', '']),
  'mcp-bridge --version': () => untilEnd([bridge[0], '--version']),
};

/** Medians in ms by name. */
export async function measureStarts(rounds) {
  const samples = Object.fromEntries(Object.keys(starts).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const [name, run] of Object.entries(starts)) samples[name].push(await run());
  return Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, median(values)]));
}
