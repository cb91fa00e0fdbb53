// One sample of one contender in one shape, each in a process of its own, as a process settles into one speed for its
// life; and the medians of samples that were taken in turn.
import { drive, Refused } from './clients.js';
import { contendersOf, withContender } from './contenders.js';
import { cpuOf, median, memoryOf } from './processes.js';

/** CPU and wall time of a call in µs, and by how many KiB the process grew at its peak. */
function sample(contender, { way, load }) {
  const { size, sleep, method, warmUp, count, inFlight } = load;
  const request = { method, args: { size, ...(sleep && { sleep }) } };
  return withContender(contender, way, load, async ({ pid }, { call }) => {
    await call({ args: { size: 100 } });
    const idle = memoryOf(pid);
    await drive(() => call(request), warmUp, inFlight);
    const cpu = cpuOf(pid);
    const from = performance.now();
    await drive(() => call(request), count, inFlight);
    const wall = ((performance.now() - from) * 1000) / count;
    return { cpu: (cpuOf(pid) - cpu) / count, wall, peak: memoryOf(pid, 'VmHWM') - idle };
  });
}

/** A program that refuses such a load has no figures. */
function refused(error) {
  if (!(error instanceof Refused)) throw error;
  return { cpu: NaN, wall: NaN, peak: NaN };
}

/** The medians of `rounds` samples of each contender, the floor first. */
export async function measure(shape, rounds, withRivals = false) {
  const contenders = contendersOf(shape.way, withRivals, shape.floor);
  const samples = contenders.map(() => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [index, contender] of contenders.entries())
      samples[index].push(await sample(contender, shape).catch(refused));
  return contenders.map(({ name }, index) => ({
    name,
    ...Object.fromEntries(
      ['cpu', 'wall', 'peak'].map((what) => [what, median(samples[index].map((each) => each[what]))]),
    ),
  }));
}
