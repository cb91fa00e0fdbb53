// The log is for whoever wants it: one who does not read it, or closes it, holds nothing up.
import { afterEach, describe, expect, it } from 'vitest';
import { BridgeProcess, fixture } from '../support/child.ts';

const odd = ['--', process.execPath, fixture('odd-process.js')];
let bridge: BridgeProcess;

afterEach(async () => {
  bridge.child.kill('SIGTERM');
  await bridge.exit;
});

describe('the log', () => {
  it('that nobody reads holds up neither the bridge nor a server that writes on stderr without end', async () => {
    bridge = new BridgeProcess(['--log-level', 'debug', ...odd]);
    await bridge.call('pid');
    bridge.child.stderr.pause();
    expect(await bridge.call('stderr line by line')).toBe('written');
    expect(await bridge.call('pid')).toMatch(/^\d+$/);
    bridge.child.stderr.resume();
    // Told with the first line that there is room for again.
    while (!/\(\d+ lines of the log were left out\)/.test(bridge.stderr))
      await bridge.call('a line on stderr');
    bridge.child.stdin.end();
    await bridge.exit;
    expect(bridge.stderr).toContain('shutting down');
  });

  it('may be closed', async () => {
    bridge = new BridgeProcess(['--log-level', 'debug', ...odd]);
    await bridge.call('pid');
    bridge.child.stderr.destroy();
    expect(await bridge.call('stderr line by line')).toBe('written');
    expect(await bridge.call('pid')).toMatch(/^\d+$/);
    bridge.child.stdin.end();
    expect(await bridge.exit).toBe(0);
  });
});
