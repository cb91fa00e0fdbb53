// The legacy server of the laboratory. Each call brings a token and a plan; that it runs is written down, by token,
// before anything else is done. Reads lines by itself, as it is started thousands of times.
import { openSync, writeSync } from 'node:fs';

const ledger = process.env.LEDGER === undefined ? undefined : openSync(process.env.LEDGER, 'a');
const note = (text) => ledger !== undefined && writeSync(ledger, `${text}\n`);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const answer = (id, text) => send({ id, result: { content: [{ type: 'text', text }] } });

const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  logging: {},
};
const requestedSchema = { type: 'object', properties: { x: { type: 'string' } } };
const waiting = new Map();
let questionCount = 0;

/** Asks the client, and goes on with what it said. */
function ask(token, goOn) {
  questionCount += 1;
  const id = `q${questionCount}`;
  waiting.set(id, goOn);
  send({ id, method: 'elicitation/create', params: { message: token, requestedSchema } });
}

const plans = {
  echo: (id, token) => answer(id, token),
  slow: (id, token, ms) => setTimeout(() => answer(id, token), ms),
  progress(id, token, _, progressToken) {
    for (const progress of [1, 2, 3])
      send({ method: 'notifications/progress', params: { progressToken, progress } });
    setTimeout(() => answer(id, token), 5);
  },
  ask: (id, token) => ask(token, (said) => answer(id, `${token} ${said}`)),
  'ask twice': (id, token) => ask(token, (one) => ask(token, (two) => answer(id, `${token} ${one} ${two}`))),
  hang() {},
  die: () => process.exit(1),
  'answer and die': (id, token) => (answer(id, token), setImmediate(() => process.exit(0))),
  'close stdin': () => process.stdin.destroy(),
  garbage(id, token) {
    process.stdout.write(
      'garbage\n{"jsonrpc":\n[]\n{"jsonrpc":"2.0","id":999999999,"result":{}}\n{"id":null}\n',
    );
    send({ id: 'never', method: 'unknown/method' });
    send({ method: 'notifications/progress', params: { progressToken: 'nobody', progress: 1 } });
    answer(id, token);
  },
  twice: (id, token) => (answer(id, token), answer(id, `${token} again`)),
  changed(id, token) {
    send({ method: 'notifications/tools/list_changed' });
    send({ method: 'notifications/resources/updated', params: { uri: 'lab://a' } });
    answer(id, token);
  },
  big: (id, token) => answer(id, token.padEnd(200_000, '.')),
  // Cut off in the middle of its answer.
  'half an answer': (id) => process.stdout.write(`{"jsonrpc":"2.0","id":${id},"resu`, () => process.exit(1)),
};

const methods = {
  initialize: (id, { protocolVersion }) =>
    send({ id, result: { protocolVersion, capabilities, serverInfo: { name: 'lab', version: '1' } } }),
  'tools/list': (id) => send({ id, result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } }),
  'tools/call'(id, { arguments: { token, plan, ms }, _meta }) {
    note(token);
    plans[plan](id, token, ms, _meta?.progressToken);
  },
};

function onMessage({ id, method, params, result }) {
  if (method === undefined) {
    const goOn = waiting.get(id);
    waiting.delete(id);
    goOn?.(result?.content?.x ?? result?.action ?? 'error');
  } else if (id !== undefined) (methods[method] ?? (() => send({ id, result: {} })))(id, params);
}

note(`start ${process.pid}`);
let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  for (const line of lines) onMessage(JSON.parse(line));
});
process.stdin.on('end', () => process.exit(0));
