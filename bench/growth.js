// Whether cost grows as it should: the time and the memory for each stay what they are, however many there are.
import { parkAndAnswer, withCallers } from './asking.js';
import { openLegacySession } from './clients.js';
import { listen } from './memory.js';
import { measure } from './samples.js';

const way = 'stdio → stdio';

async function results(megabytes) {
  const load = { size: megabytes * 1_000_000, warmUp: 2, count: 8, inFlight: 1 };
  const [, { wall, peak }] = await measure({ way, load }, 3);
  return {
    what: 'MB of a result on stdio',
    count: megabytes,
    micros: wall / megabytes,
    memory: peak / megabytes,
  };
}

async function parked(count) {
  const { open, answer, memory } = await parkAndAnswer(count, 8);
  return { what: 'calls parked and answered by 8 callers', count, micros: open + answer, memory };
}

async function listeners(count) {
  return { what: 'listen streams', count, ...(await listen(count)) };
}

/** Sessions of legacy clients, each with a server process that is not counted. */
function sessions(count) {
  return withCallers(1, './server.js', async (memory, _, url) => {
    const before = await memory();
    const from = performance.now();
    for (let opened = 0; opened < count; opened += 1) await openLegacySession(url, 'caller-0');
    const micros = ((performance.now() - from) * 1000) / count;
    return { what: 'legacy sessions', count, micros, memory: ((await memory()) - before) / count };
  });
}

export async function measureGrowth() {
  const rows = [];
  for (const megabytes of [1, 4, 16]) rows.push(await results(megabytes));
  for (const count of [100, 1000, 10_000]) rows.push(await parked(count));
  for (const count of [10, 100, 1000]) rows.push(await listeners(count));
  for (const count of [5, 20, 50]) rows.push(await sessions(count));
  return rows;
}
