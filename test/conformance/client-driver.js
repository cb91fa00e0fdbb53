// What the official suite runs as its client: the bridge's own command line, with the suite's legacy server behind it,
// driven through its modern face. Usage: client-driver.js <server url>, the scenario in the environment.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const url = process.argv[2];
const bridge = fileURLToPath(new URL('../../bin/mcp-bridge.js', import.meta.url));
const follow = fileURLToPath(new URL('./follow-redirects.js', import.meta.url));
const state = mkdtempSync(join(tmpdir(), 'mcp-bridge-client-'));

const args = ['--upstream', url, '--log-level', 'warn'];
// The id under which the suite expects a client that has a metadata document.
if (scenario === 'auth/basic-cimd')
  args.push('--oauth-client-metadata-url', 'https://conformance-test.local/client-metadata.json');
if (context.client_id !== undefined) args.push('--oauth-client-id', context.client_id);
if (context.client_secret !== undefined) {
  const file = join(state, 'secret');
  writeFileSync(file, context.client_secret);
  args.push('--oauth-client-secret-file', file);
}
if (scenario.startsWith('auth/client-credentials')) args.push('--oauth', 'client-credentials');

// The user's browser is a program that says yes to everything.
const env = { ...process.env, XDG_STATE_HOME: state, BROWSER: `${process.execPath} ${follow}` };
const child = spawn(process.execPath, [bridge, ...args], { env, stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map();
createInterface({ input: child.stdout }).on('line', (line) => {
  const frame = JSON.parse(line);
  waiting.get(frame.id)?.(frame);
});
let nextId = 0;

function request(method, params = {}) {
  const id = nextId++;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };
  const answer = new Promise((resolve) => waiting.set(id, resolve));
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } })}\n`);
  return answer;
}

/** Calls a tool; what it asks is accepted with the defaults of its schema. */
async function call(name, given, more = {}) {
  const answer = await request('tools/call', { name, arguments: given, ...more });
  if (answer.result?.resultType !== 'input_required') return answer;
  const { inputRequests, requestState } = answer.result;
  const inputResponses = Object.fromEntries(
    Object.entries(inputRequests).map(([key, { params }]) => {
      const defaults = Object.entries(params.requestedSchema.properties)
        .filter(([, schema]) => schema.default !== undefined)
        .map(([property, schema]) => [property, schema.default]);
      return [key, { action: 'accept', content: Object.fromEntries(defaults) }];
    }),
  );
  return call(name, given, { inputResponses, requestState });
}

async function drive() {
  const discovered = await request('server/discover');
  if (discovered.error) return discovered;
  const { result, error } = await request('tools/list');
  if (error) return { error };
  const args = {
    add_numbers: { a: 5, b: 3 },
    json_schema_echo: {
      schema: result.tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema,
    },
  };
  for (const { name } of result.tools) {
    const answer = await call(name, args[name] ?? {});
    if (answer.error) return answer;
  }
  return { result: 'done' };
}

const { error } = await drive();
child.stdin.end();
await new Promise((resolve) => child.once('exit', resolve));
rmSync(state, { recursive: true, force: true });
if (error) console.error(`${scenario}: ${error.message}`);
process.exit(error ? 1 : 0);
