// Calls that ask: opened until all are parked, then answered, each with an answer of its own.
import { once } from 'node:events';
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpClient } from './clients.js';
import { bridge, path } from './contenders.js';
import { end, start, urlOf } from './processes.js';

const limits = ['parked', 'calls', 'listens'].flatMap((what) => [
  ...[`--max-${what}`, '20000'],
  ...[`--max-${what}-per-principal`, '20000'],
]);

/** A bridge for so many callers. `use` gets how much memory it holds, in KiB, and a client for each; `server` is behind it. */
export async function withCallers(count, server, use) {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-bridge-bench-'));
  const tokens = Array.from({ length: count }, (_, index) => `caller-${index}`);
  const file = join(folder, 'tokens');
  writeFileSync(file, tokens.map((token) => `${token}:${token}`).join('\n'));
  const own = ['--port', '0', '--auth-token-file', file, ...limits];
  const collecting = ['--expose-gc', '--import', path('./collect.js')];
  const behind = ['--', process.execPath, path(server)];
  const child = start([...collecting, ...bridge, ...own, ...behind], { stdio: 'pipe' });
  try {
    const url = await urlOf(child);
    const clients = tokens.map((token) => httpClient(url, { inFlight: 20_000, token, isRead: true }));
    await Promise.all(clients.map((client) => client.call({ method: 'server/discover' })));
    const result = await use(() => liveMemory(child), clients, url);
    for (const client of clients) client.close();
    return result;
  } finally {
    await end(child);
    rmSync(folder, { recursive: true });
  }
}

async function liveMemory(child) {
  child.kill('SIGUSR2');
  const [text] = await once(child.stderr, 'data');
  return Number(/live (\d+)/.exec(text)[1]) / 1024;
}

const warmUp = 500;

/** Each caller opens its calls one after the other. Resolves to µs for opening and answering each, and KiB for each. */
export function parkAndAnswer(total, callers) {
  return withCallers(callers, './asking-server.js', async (memory, clients) => {
    const parked = [];
    const open = async (client, number) => {
      const { result } = JSON.parse(await client.call({ args: { number } }));
      if (result?.resultType !== 'input_required') throw new Error('a call did not ask');
      parked[number] = { state: result.requestState, key: Object.keys(result.inputRequests)[0] };
    };
    const answer = async (client, number) => {
      const { state, key } = parked[number];
      const inputResponses = { [key]: { action: 'accept', content: { a: `answer ${number}` } } };
      const params = { name: 'a', arguments: { number }, requestState: state, inputResponses };
      const { result } = JSON.parse(await client.call({ params }));
      if (result?.content?.[0]?.text !== `answer ${number}`) throw new Error('an answer is another call’s');
    };
    const each = async (run, count) => {
      const from = performance.now();
      await Promise.all(
        clients.map(async (client, first) => {
          for (let number = first; number < count; number += callers) await run(client, number);
        }),
      );
      return ((performance.now() - from) * 1000) / count;
    };
    // What is compiled on the way belongs to no call.
    await each(open, warmUp);
    await each(answer, warmUp);
    const idle = await memory();
    const opening = await each(open, total);
    const held = ((await memory()) - idle) / total;
    return { open: opening, answer: await each(answer, total), memory: held };
  });
}
