// Loaded into the bridge by a soak: tells, when asked over the process channel, what the process holds.
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const warnings = [];
process.on('warning', ({ name, message }) => warnings.push(`${name}: ${message}`));

if (process.send !== undefined) {
  process.on('message', async () => {
    // What is due to be let go is let go in between.
    for (let turn = 0; turn < 3; turn += 1) {
      collect();
      await sleep(20);
    }
    const handles = {};
    for (const name of process.getActiveResourcesInfo()) handles[name] = (handles[name] ?? 0) + 1;
    process.send({ heapBytes: process.memoryUsage().heapUsed, handles, warnings });
  });
  // The channel alone keeps nothing alive.
  process.channel.unref();
}
