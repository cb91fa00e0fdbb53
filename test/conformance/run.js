// The outside referee: the official conformance suite against the bridge in front of a legacy server behind each wire,
// over the HTTP face in both eras and, through a shim, over the stdio face; and its client scenarios with the bridge as the legacy
// client. Strict: no failure and no warning in any scenario that is scored.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install, newerNode } from '../support/pinned.js';
import { startShim } from './stdio-shim.js';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const bridge = path('../../bin/mcp-bridge.js');
const fixture = path('./legacy-server.js');
const sdkServer = path('./sdk-v1-server.js');
const modernServer = path('./sdk-v2-server.js');
const taskServer = path('./task-server.js');
const work = mkdtempSync(join(tmpdir(), 'mcp-bridge-conformance-'));
const suite = '@modelcontextprotocol/conformance';
const runner = join(
  install('conformance', { [suite]: '0.2.0-alpha.12' }),
  'node_modules',
  suite,
  'dist/index.js',
);
/** How many scenarios each revision requires of a server. */
const requiredCounts = { '2026-07-28': 37, '2025-11-25': 30 };
/** Run by the suite without being scored; they are to pass all the same. */
const unscored = [
  'json-schema-2020-12',
  'http-header-validation',
  'http-custom-header-server-validation',
  'server-session-lifecycle',
];
/** Of streams that are gone on with: those of legacy sessions are not. */
const notOffered = ['server-sse-polling'];
/** What a shim answers by itself says nothing of the stdio face. */
const aboutHttp = [
  'dns-rebinding-protection',
  'http-header-validation',
  'http-custom-header-server-validation',
];

/** 18 that are required, and two more that are to pass all the same. */
const clientCount = 20;
/** A bridge follows such a task for its client, who gets the result: it need not refuse. */
const notRefused = 'tasks-required-task-error';
/** Extensions that the bridge does not have. */
const notScoredOfClients = [
  'auth/client-credentials-jwt',
  'auth/enterprise-managed-authorization',
  'auth/dpop',
  'auth/dpop-nonce',
  'auth/wif-jwt-bearer',
];

const failures = [];
let passedCount = 0;

function check(isGood, what) {
  if (isGood) passedCount += 1;
  else failures.push(what);
}

/** Runs a command to its end, without standing in the way of a server in this process. */
async function runToEnd(command, args) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const status = await new Promise((resolve) => child.once('close', resolve));
  return { status, output };
}

/** Runs the suite and returns, by scenario, the checks that it made. */
async function judge(name, url, revision, isStrict = true) {
  const results = join(work, `${name} ${revision}`);
  const strict = join(work, 'strict.yml');
  writeFileSync(strict, 'server: []\nclient: []\n');
  const args = [
    'server',
    '--url',
    url,
    '--requirements',
    revision,
    '-o',
    results,
    '--expected-failures',
    strict,
  ];
  const { status, output } = await runToEnd(newerNode(), [runner, ...args]);
  if (isStrict)
    check(status === 0, `${name}: the suite's own baseline (exit code ${status})\n${output.slice(-3000)}`);
  const statuses = new Map();
  for (const folder of readdirSync(results)) {
    const scenario = /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(folder)?.[1];
    if (scenario === undefined) continue;
    // A scenario that throws leaves no checks behind.
    const file = join(results, folder, 'checks.json');
    statuses.set(scenario, existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []);
  }
  return statuses;
}

function score(face, statuses, { revision, without = [] }) {
  const requiredCount = requiredCounts[revision];
  // Of the tasks extension, in front of a server that has tasks.
  const scored = [...statuses].filter(
    ([scenario]) => !scenario.startsWith('tasks-') && ![...without, ...notOffered].includes(scenario),
  );
  for (const [scenario, checks] of scored) {
    const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    const told = bad.map(({ id, errorMessage }) => `${id}: ${errorMessage}`).join('; ');
    check(checks.length > 0 && bad.length === 0, `${face}: ${scenario}: ${told}`);
  }
  const required = scored.filter(([scenario]) => !unscored.includes(scenario)).length;
  const expected = requiredCount - without.filter((scenario) => !unscored.includes(scenario)).length;
  check(required === expected, `${face}: ${required} required scenarios were run, not ${expected}`);
  console.log(`${face}, ${revision}: ${scored.length} scenarios, ${required} of them required`);
}

/** The suite never looks whether an answer reached the legacy server. */
function checkAnswers(face, file) {
  const answers = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const has = (method, matches) => answers.some((each) => each.method === method && matches(each));
  const elicited = (content) =>
    has('elicitation/create', ({ result }) => JSON.stringify(result?.content) === JSON.stringify(content));
  check(elicited({ name: 'Alice' }), `${face}: an elicitation's answer reached the server`);
  check(elicited({ ok: true }), `${face}: a request state's answer reached the server`);
  check(
    has(
      'sampling/createMessage',
      ({ result }) => result?.content?.type === 'text' && result.model === 'test-model',
    ),
    `${face}: a sampling answer reached the server`,
  );
  check(
    has('roots/list', ({ result }) => result?.roots?.[0]?.uri === 'file:///test/root'),
    `${face}: the roots reached the server`,
  );
  check(
    has('sampling/createMessage', ({ error }) => error !== undefined),
    `${face}: the server was told what its client cannot do`,
  );
}

/** Starts a process that says on its first line where it listens. */
async function start(args, env = {}) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = String(await new Promise((resolve) => child.stdout.once('data', resolve))).trim();
  const stop = async () => {
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
  };
  return { line, stop };
}

const logFile = (name) => join(work, `${name.replaceAll(' ', '-')}-answers.jsonl`);
const quiet = ['--log-level', 'error', '--no-discover-cache'];

/** The HTTP face, in front of the fixture on its standard streams. */
async function overHttp() {
  const name = 'HTTP face';
  const args = ['--env', `ANSWER_LOG=${logFile(name)}`, '--', process.execPath, fixture];
  await judgeHttpFace(name, args);
}

/** The HTTP face, in front of the fixture behind another wire. */
async function overHttpTo(transport) {
  const name = `HTTP face to ${transport}`;
  const server = await start([fixture], { LEGACY_TRANSPORT: transport, ANSWER_LOG: logFile(name) });
  await judgeHttpFace(name, ['--upstream', server.line]);
  await server.stop();
}

/** The official SDK v1, by itself and then behind the bridge: it passes no less there. */
async function overHttpToSdk() {
  const server = await start([sdkServer, 'http'], { ANSWER_LOG: logFile('SDK v1 at a URL') });
  const revision = '2025-11-25';
  const statuses = await judge('SDK v1 alone', atLocalhost(server.line), revision);
  score('SDK v1 alone', statuses, { revision });
  await judgeHttpFace('SDK v1 at a URL', ['--upstream', server.line]);
  await server.stop();
  const name = 'SDK v1 on stdio';
  await judgeHttpFace(name, ['--env', `ANSWER_LOG=${logFile(name)}`, '--', process.execPath, sdkServer]);
}

/** A server that is modern itself passes behind the bridge what it passes alone. */
async function toModernServer() {
  const revision = '2026-07-28';
  const isGood = (checks = []) =>
    checks.length > 0 && checks.every(({ status }) => status !== 'FAILURE' && status !== 'WARNING');
  const compare = (name, alone, behind) => {
    const passed = [...alone].filter(([, checks]) => isGood(checks)).map(([scenario]) => scenario);
    for (const scenario of passed)
      check(isGood(behind.get(scenario)), `${name}: ${scenario} behind the bridge`);
    console.log(`${name}, ${revision}: ${passed.length} scenarios pass alone and behind the bridge`);
    return passed.length;
  };
  const behind = async (name, upstream, isStrict) => {
    const face = await start([bridge, '--port', '0', ...quiet, ...upstream]);
    const statuses = await judge(name, atLocalhost(face.line), revision, isStrict);
    await face.stop();
    return statuses;
  };

  const server = await start([modernServer, 'http']);
  const alone = await judge('SDK v2 alone', atLocalhost(server.line), revision);
  const overHttp = await behind('SDK v2 at a URL', ['--upstream', server.line]);
  await server.stop();
  compare('SDK v2 at a URL', alone, overHttp);
  score('SDK v2 at a URL', overHttp, { revision });

  const shim = await startShim(process.execPath, [modernServer]);
  const byShim = await judge('SDK v2 on stdio alone', `http://localhost:${shim.port}/mcp`, revision, false);
  await shim.stop();
  // On stdio that SDK answers `server/discover` whatever version it names.
  const command = ['--', process.execPath, modernServer];
  const count = compare('SDK v2 on stdio', byShim, await behind('SDK v2 on stdio', command, false));
  check(count >= 34, `SDK v2 on stdio: ${count} scenarios pass alone`);
}

/** Both eras, on the same endpoint. */
async function judgeHttpFace(name, upstream) {
  const face = await start([bridge, '--port', '0', ...quiet, ...upstream]);
  for (const revision of Object.keys(requiredCounts))
    score(name, await judge(name, atLocalhost(face.line), revision), { revision });
  await face.stop();
  checkAnswers(name, logFile(name));
}

/** The suite wants that name of the host. */
const atLocalhost = (line) => `http://localhost:${/:(\d+)\/mcp/.exec(line)[1]}/mcp`;

/** The tasks extension, which no revision requires, in front of a legacy server with tasks. */
async function overTasks() {
  const face = await start([bridge, '--port', '0', ...quiet, '--', process.execPath, taskServer]);
  const statuses = await judge('tasks', atLocalhost(face.line), '2026-07-28', false);
  await face.stop();
  const scored = [...statuses].filter(([name]) => name.startsWith('tasks-') && name !== notRefused);
  for (const [scenario, checks] of scored) {
    const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    const told = bad.map(({ id, errorMessage }) => `${id}: ${errorMessage}`).join('; ');
    check(checks.length > 0 && bad.length === 0, `tasks: ${scenario}: ${told}`);
  }
  check(scored.length === 9, `tasks: ${scored.length} scenarios were run, not 9`);
  console.log(`tasks: ${scored.length} scenarios of the extension`);
}

async function overStdio() {
  const name = 'stdio face';
  const upstream = ['--env', `ANSWER_LOG=${logFile(name)}`, '--', process.execPath, fixture];
  const shim = await startShim(process.execPath, [bridge, ...quiet, ...upstream]);
  const revision = '2026-07-28';
  const statuses = await judge(name, `http://localhost:${shim.port}/mcp`, revision);
  await shim.stop();
  score(name, statuses, { revision, without: aboutHttp });
  checkAnswers(name, logFile(name));
}

/** The bridge as the client of the suite's own legacy servers, most of which want a token. */
async function asLegacyClient() {
  const results = join(work, 'client');
  const command = `${process.execPath} ${path('./client-driver.js')}`;
  const args = ['client', '--command', command, '--requirements', '2025-11-25', '-o', results];
  const { output } = await runToEnd(newerNode(), [runner, ...args]);
  const summary = output.slice(output.indexOf('=== SUITE SUMMARY ==='));
  const scenarios = [...summary.matchAll(/^([\u2713\u2717]) (\S+): (\d+) passed, (\d+) failed(.*)$/gmu)];
  const scored = scenarios.filter(([, , name]) => !notScoredOfClients.includes(name));
  for (const [, mark, name, passed, failed, more] of scored)
    check(
      mark === '\u2713' && passed !== '0' && failed === '0' && !/warning/i.test(more),
      `legacy client: ${name}`,
    );
  check(
    scored.length === clientCount,
    `legacy client: ${scored.length} scenarios were run, not ${clientCount}`,
  );
  check(/, 0 warnings/.test(summary), 'legacy client: no warning');
  console.log(`legacy client: ${scored.length} scenarios`);
}

await overHttp();
for (const transport of ['http', 'http-get', 'sse', 'ws']) await overHttpTo(transport);
await overHttpToSdk();
await toModernServer();
await overTasks();
await overStdio();
await asLegacyClient();
rmSync(work, { recursive: true, force: true });
for (const failure of failures) console.error(`FAILED ${failure}`);
console.log(`${passedCount} passed, ${failures.length} failed, 0 skipped`);
process.exit(failures.length === 0 ? 0 : 1);
