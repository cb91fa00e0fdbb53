// Resident memory in KiB: of a bridge that has served and is idle, and of what waits in it.
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
  return withCallers(1, './server.js', async (pid, [client]) => {
    const before = memoryOf(pid);
    const from = performance.now();
    for (let opened = 0; opened < count; opened += 1) await client.listen();
    const micros = ((performance.now() - from) * 1000) / count;
    return { micros, memory: (memoryOf(pid) - before) / count };
  });
}

export async function measureMemory() {
  return {
    'idle on stdio': await idle('stdio → stdio'),
    'idle over HTTP': await idle('HTTP → stdio'),
    'a parked call, of 2,000 of 8 callers': (await parkAndAnswer(2000, 8)).memory,
    'a listen stream, of 1,000': (await listen(1000)).memory,
  };
}
