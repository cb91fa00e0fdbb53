import { describe, expect, it } from 'vitest';
import { CallClock } from '../../src/bridge/call-clock.ts';
import { ManualClock } from '../support/manual-clock.ts';

function start(
  requestTimeoutMs: number,
  maxRequestMs: number,
): { clock: ManualClock; call: CallClock; timeouts: number[] } {
  const clock = new ManualClock();
  const begin = clock.now();
  const timeouts: number[] = [];
  const call = new CallClock(clock, { requestTimeoutMs, maxRequestMs }, () =>
    timeouts.push(clock.now() - begin),
  );
  call.run();
  return { clock, call, timeouts };
}

describe('CallClock', () => {
  it('rings once after silence, and leaves no timer behind', () => {
    const { clock, timeouts } = start(1000, 5000);
    clock.advance(10_000);
    expect(timeouts).toEqual([1000]);
    expect(clock.timerCount).toBe(0);
  });

  it('is put off by signs of life, up to the time in all', () => {
    const { clock, call, timeouts } = start(1000, 2500);
    for (let step = 0; step < 10; step += 1) {
      clock.advance(500);
      call.touch();
    }
    expect(timeouts).toEqual([2500]);
  });

  it('does not run in a pause, and starts anew after it, within the time in all', () => {
    const { clock, call, timeouts } = start(1000, 1500);
    clock.advance(900);
    call.pause();
    expect(clock.timerCount).toBe(0);
    clock.advance(1_000_000);
    call.run();
    call.run();
    clock.advance(599);
    expect(timeouts).toEqual([]);
    clock.advance(1);
    expect(timeouts).toEqual([1_001_500]);
  });
});
