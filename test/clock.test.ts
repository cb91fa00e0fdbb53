import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../src/clock.ts';

/** Waits until another process has answered a byte, without reading anything meanwhile. */
async function busyWhileInputArrives(run: (done: () => void) => void): Promise<string[]> {
  const echo = spawn(process.execPath, [
    '-e',
    'process.stdout.write("ready"); process.stdin.pipe(process.stdout)',
  ]);
  await once(echo.stdout, 'data');
  const seen: string[] = [];
  echo.stdout.on('data', () => seen.push('input'));
  await new Promise<void>((resolve) => {
    run(() => {
      seen.push('run');
      resolve();
    });
    echo.stdin.write('x');
    setImmediate(() => {
      const end = Date.now() + 200;
      while (Date.now() < end);
    });
  });
  echo.kill();
  await once(echo, 'close');
  return seen;
}

describe('systemClock', () => {
  it('reads what has arrived before it runs what waits for input, however busy the process was', async () => {
    const seen = await busyWhileInputArrives((done) => systemClock.afterInput(5, done));
    expect(seen.slice(0, 2)).toEqual(['input', 'run']);
  });

  it('runs nothing that was stopped', async () => {
    const seen: string[] = [];
    systemClock.afterInput(0, () => seen.push('stopped'))();
    await new Promise<void>((resolve) => {
      systemClock.afterInput(1, resolve);
    });
    expect(seen).toEqual([]);
  });
});
