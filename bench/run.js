// What the bridge costs against relays that do nothing, in one run on one machine: interleaved rounds, medians, ratios.
// See bench/README.md for how to read it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { fileURLToPath } from 'node:url';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const node = process.execPath;
const server = [node, path('./server.js')];
const bridge = [path('../bin/mcp-bridge.js'), '--log-level', 'error'];
const rounds = Number(process.env.ROUNDS ?? 5);

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};
const body = (id, size) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'a', arguments: { size }, _meta: meta },
  });

/** CPU time of a process in µs, as Linux tells it. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

/** Makes `count` calls, `inFlight` at a time. */
async function drive(call, count, inFlight) {
  let next = 0;
  const one = async () => {
    while (next < count) {
      next += 1;
      await call(next);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, one));
}

async function overStdio(command, { count, inFlight, size }) {
  const child = spawn(node, command, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  let parts = [];
  child.stdout.on('data', (chunk) => {
    for (;;) {
      const end = chunk.indexOf(10);
      if (end === -1) break;
      parts.push(chunk.subarray(0, end));
      const head = parts[0].subarray(0, 100).toString('latin1');
      waiting.get(Number(/"id":(\d+)/.exec(head)[1]))();
      parts = [];
      chunk = chunk.subarray(end + 1);
    }
    if (chunk.length > 0) parts.push(chunk);
  });
  const call = (id) => {
    child.stdin.write(`${body(id, size)}\n`);
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  const result = await measure(child.pid, call, count, inFlight);
  child.stdin.end();
  await once(child, 'exit');
  return result;
}

async function overHttp(command, { count, inFlight, size }) {
  const child = spawn(node, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const { hostname, port, pathname } = new URL(String(line).trim().split(' ').pop());
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': 'a',
  };
  const call = (id) =>
    new Promise((resolve) => {
      const sent = httpRequest(
        { hostname, port, path: pathname, method: 'POST', headers, agent },
        (response) => {
          response.resume().on('end', resolve);
        },
      );
      sent.end(body(id, size));
    });
  const result = await measure(child.pid, call, count, inFlight);
  agent.destroy();
  child.kill('SIGTERM');
  await once(child, 'exit');
  return result;
}

async function measure(pid, call, count, inFlight) {
  await drive(call, Math.ceil(count / 4), inFlight);
  const cpu = cpuOf(pid);
  const from = performance.now();
  await drive((id) => call(id + count), count, inFlight);
  return { cpu: (cpuOf(pid) - cpu) / count, wall: ((performance.now() - from) * 1000) / count };
}

const small = { count: 6000, inFlight: 8, size: 100 };
/** Name, face, load, and for a server at a URL how it answers. */
const shapes = [
  ['stdio → stdio, one at a time', 'stdio', { count: 5000, inFlight: 1, size: 100 }],
  ['stdio → stdio, 32 in flight', 'stdio', { count: 30_000, inFlight: 32, size: 100 }],
  ['stdio → stdio, 1 MB', 'stdio', { count: 100, inFlight: 1, size: 1_000_000 }],
  ['stdio → stdio, 10 MB', 'stdio', { count: 20, inFlight: 1, size: 10_000_000 }],
  ['HTTP → stdio, 8 in flight', 'http', small],
  ['HTTP → stdio, 1 MB', 'http', { count: 100, inFlight: 1, size: 1_000_000 }],
  ['HTTP → HTTP (JSON), 8 in flight', 'http', small, 'json'],
  ['HTTP → HTTP (events), 8 in flight', 'http', small, 'events'],
  ['HTTP → HTTP (JSON), 1 MB', 'http', { count: 100, inFlight: 1, size: 1_000_000 }, 'json'],
].filter(([name]) => name.includes(process.env.ONLY ?? ''));

/** Starts the server at a URL. */
async function startServer(answers) {
  const child = spawn(node, [path('./http-server.js'), answers], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return { child, url: String(line).trim() };
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const micros = (value) => (value >= 1000 ? `${(value / 1000).toFixed(1)} ms` : `${value.toFixed(1)} µs`);

console.log('| shape | floor, CPU | bridge, CPU | ratio | floor, wall | bridge, wall | ratio |');
console.log('|---|---|---|---|---|---|---|');
for (const [name, face, load, answers] of shapes) {
  const run = face === 'stdio' ? overStdio : overHttp;
  const legacy = answers && (await startServer(answers));
  const behind = legacy ? ['--upstream', legacy.url] : ['--', ...server];
  const floor = legacy
    ? [path('./http-relay.js'), legacy.url]
    : [path(face === 'stdio' ? './pipe.js' : './relay.js'), ...server];
  const ours = [...bridge, ...(face === 'http' ? ['--port', '0'] : []), ...behind];
  const results = { floor: [], ours: [] };
  for (let round = 0; round < rounds; round += 1) {
    results.floor.push(await run(floor, load));
    results.ours.push(await run(ours, load));
  }
  const cells = ['cpu', 'wall'].flatMap((what) => {
    const [low, own] = [results.floor, results.ours].map((list) => median(list.map((each) => each[what])));
    return [micros(low), micros(own), `${(own / low).toFixed(1)}×`];
  });
  console.log(`| ${name} | ${cells.join(' | ')} |`);
  legacy?.child.kill();
}
