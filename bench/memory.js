// Memory in KiB: resident, of a bridge that has served and is idle; live, of each that waits in it.
import { drive } from './clients.js';
import { contendersOf, withContender } from './contenders.js';
import { parkAndAnswer, withCallers } from './asking.js';
import { memoryOf } from './processes.js';

const idle = (way) =>
  withContender(contendersOf(way, false)[1], way, { inFlight: 1 }, async ({ pid }, { call }) => {
    await drive(() => call(), 100, 1);
    return memoryOf(pid);
  });

/** So many listen streams of one caller, as KiB for each and µs to open it. */
export function listen(count) {
  return withCallers(1, './server.js', async (memory, [client]) => {
    const before = await memory();
    const from = performance.now();
    for (let opened = 0; opened < count; opened += 1) await client.listen();
    const micros = ((performance.now() - from) * 1000) / count;
    return { micros, memory: ((await memory()) - before) / count };
  });
}

export async function measureMemory() {
  return {
    'resident when idle, stdio': await idle('stdio → stdio'),
    'resident when idle, HTTP': await idle('HTTP → stdio'),
    'held by a parked call with its frames, of 2,000': (await parkAndAnswer(2000, 8)).memory,
    'held by a listen stream with its connection, of 1,000': (await listen(1000)).memory,
  };
}
