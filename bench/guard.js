// Holds what the bridge costs against what it cost when limits.json was written, as ratios to the floor within one run:
// a loss of a third fails. What is too much is measured again, as a noisy machine makes nothing quicker than it is.
import { readFileSync } from 'node:fs';
import { measure } from './samples.js';
import { measureStarts } from './starts.js';

const way = (name) => name.split(', ')[0];
const warm = { warmUp: 12_000, count: 4000, size: 100 };
const attempts = 3;

const of = (name, what, load, floorScript) => async () => {
  const [floor, bridge] = await measure({ way: way(name), load, floor: floorScript }, 5);
  return bridge[what] / floor[what];
};

const measures = {
  'stdio → stdio, 32 in flight, CPU': (name) =>
    of(name, 'cpu', { ...warm, count: 12_000, inFlight: 32 }, './line-relay.js'),
  'HTTP → stdio, 8 in flight, CPU': (name) => of(name, 'cpu', { ...warm, inFlight: 8 }),
  'HTTP → HTTP, 8 in flight, CPU': (name) => of(name, 'cpu', { ...warm, inFlight: 8 }),
  'stdio → stdio, 10 MB, time': (name) =>
    of(name, 'wall', { size: 10_000_000, warmUp: 2, count: 6, inFlight: 1 }),
  'stdio → stdio, 10 MB, memory': (name) =>
    of(name, 'peak', { size: 10_000_000, warmUp: 2, count: 6, inFlight: 1 }),
  'from the start to the first answer': () => async () => {
    const starts = await measureStarts(7);
    const over = (name) => starts[name] - starts['the server alone'];
    return over('the bridge in front of it') / over('a pipe in front of it');
  },
};

const usual = JSON.parse(readFileSync(new URL('./limits.json', import.meta.url), 'utf8'));
let failed = 0;

for (const [name, ratioOf] of Object.entries(measures)) {
  const limit = (usual[name] * 4) / 3;
  let best = Infinity;
  for (let attempt = 0; attempt < attempts && best > limit; attempt += 1)
    best = Math.min(best, await ratioOf(name)());
  const isGood = best <= limit;
  if (!isGood) failed += 1;
  const verdict = isGood ? 'ok' : 'FAILED';
  console.log(
    `${verdict}  ${name}: ${best.toFixed(2)}× the floor, usually ${usual[name]}×, at most ${limit.toFixed(2)}×`,
  );
}

console.log(`${Object.keys(measures).length - failed} passed, ${failed} failed, 0 skipped`);
process.exitCode = failed === 0 ? 0 : 1;
