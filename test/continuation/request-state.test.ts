import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKeyRing, parseKeyRing, type KeyRing } from '../../src/continuation/key-ring.ts';
import { open, seal, type Continuation } from '../../src/continuation/request-state.ts';

const key = (name: string, fill: number): string => `${name}:${Buffer.alloc(32, fill).toString('base64')}`;
const ring = (text: string): KeyRing => {
  const parsed = parseKeyRing(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.ring;
};
const continuation: Continuation = {
  upstream: 'server',
  instance: 'bridge',
  call: 'call',
  round: 2,
  principal: 'alice',
  digest: 'digest',
  expiresAt: 1000,
};
const invalid = { ok: false, reason: 'request_state_invalid' };

describe('request state', () => {
  it('opens to what was sealed, until it expires', () => {
    const keys = createKeyRing();
    const state = seal(keys, continuation);
    expect(open(keys, state, 999)).toEqual({ ok: true, continuation });
    expect(open(keys, state, 1000)).toEqual({ ok: false, reason: 'request_state_expired' });
  });

  // spec 2026-07-28 basic/patterns/mrtr#server-requirements (4)
  it('is refused with any one character changed, added or taken away', () => {
    const keys = createKeyRing();
    const state = seal(keys, continuation);
    const characters = Array.from('ABab01-_.=+/ \u00e9\n');
    fc.assert(
      fc.property(
        fc.nat(state.length - 1),
        fc.constantFrom(...characters),
        fc.nat(2),
        (at, character, how) => {
          const behind = state.slice(how === 1 ? at : at + 1);
          const changed = state.slice(0, at) + (how === 2 ? '' : character) + behind;
          fc.pre(changed !== state);
          expect(open(keys, changed, 0)).toEqual(invalid);
        },
      ),
      { numRuns: 2000 },
    );
    expect(open(keys, `${state}-TAMPERED`, 0)).toEqual(invalid);
  });

  it('is refused when it is no state at all', () => {
    const keys = createKeyRing();
    for (const text of ['', '.', 'x', 'process.', 'process.AAAA', 'x'.repeat(10_000_000)])
      expect(open(keys, text, 0)).toEqual(invalid);
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(open(keys, text, 0)).toEqual(invalid);
      }),
    );
  });

  it('opens under an older key and seals under the first', () => {
    const before = ring(key('old', 1));
    const rotated = ring(`${key('new', 2)},${key('old', 1)}`);
    expect(open(rotated, seal(before, continuation), 0).ok).toBe(true);
    expect(seal(rotated, continuation)).toMatch(/^new\./);
    expect(open(before, seal(rotated, continuation), 0)).toEqual(invalid);
    expect(open(ring(key('old', 9)), seal(before, continuation), 0)).toEqual(invalid);
  });
});

describe('parseKeyRing', () => {
  it.each(['', 'nocolon', 'a:AAAA', 'a b:AAAA', `${key('a', 1)},${key('a', 2)}`])(
    'refuses %j and shows no key',
    (text) => {
      const parsed = parseKeyRing(text);
      expect(parsed.ok).toBe(false);
      if (!parsed.ok) expect(parsed.reason).not.toContain('AAAA');
    },
  );
});
