import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  firstHandshake,
  handshakeStep,
  type HandshakeEvent,
  type HandshakeState,
} from '../../src/session/handshake.ts';
import { frameOf } from '../support/frames.ts';

const events: readonly HandshakeEvent[] = [
  { name: 'answer', frame: frameOf('{"id":1,"result":{"protocolVersion":"2025-06-18"}}') },
  { name: 'answer', frame: frameOf('{"id":1,"result":{}}') },
  { name: 'answer', frame: frameOf('{"id":1,"error":{"code":-32602,"message":"no"}}') },
  {
    name: 'answer',
    frame: frameOf('{"id":1,"error":{"code":-32602,"message":"no","data":{"supported":["2024-11-05"]}}}'),
  },
  { name: 'answer', frame: frameOf('{"id":1,"error":"no"}') },
  { name: 'fence passed' },
  { name: 'ended', reason: 'server exited' },
];

describe('handshakeStep', () => {
  it('opens or fails once, offers each version once at the most, and does nothing after that', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...events), { maxLength: 12 }), (list) => {
        let state: HandshakeState = firstHandshake;
        const effects: string[] = [];
        for (const event of list) {
          const step = handshakeStep(state, event);
          if (state.name === 'over') expect(step.effect).toBeUndefined();
          state = step.state;
          if (step.effect !== undefined) effects.push(step.effect);
        }
        const count = (name: string): number => effects.filter((effect) => effect === name).length;
        expect(count('open') + count('fail')).toBeLessThanOrEqual(1);
        expect(count('initialize')).toBeLessThanOrEqual(3);
        expect(count('initialized and fence')).toBeLessThanOrEqual(1);
        if (count('open') === 1) expect(effects.indexOf('open')).toBe(effects.length - 1);
      }),
      { numRuns: 2000 },
    );
  });

  it('offers the newest version that a refusal names, else the next older', () => {
    const offeredAfter = (refusal: string): unknown =>
      handshakeStep(firstHandshake, { name: 'answer', frame: frameOf(refusal) }).state;
    expect(
      offeredAfter(
        '{"error":{"code":1,"message":"m","data":{"supported":["2024-11-05","2025-03-26","x",5]}}}',
      ),
    ).toMatchObject({ offered: ['2025-11-25', '2025-03-26'] });
    for (const refusal of [
      '{"error":{"code":1,"message":"m"}}',
      '{"error":{"data":null}}',
      '{"error":{"data":{"supported":"all"}}}',
    ])
      expect(offeredAfter(refusal)).toMatchObject({ offered: ['2025-11-25', '2025-06-18'] });
  });

  it('gives up when nothing is left to offer, and says what both sides have', () => {
    let state = firstHandshake;
    const refusal = frameOf('{"error":{"code":-32602,"data":{"supported":["2024-11-05","2023-01-01"]}}}');
    for (let count = 0; count < 2; count += 1)
      state = handshakeStep(state, { name: 'answer', frame: refusal }).state;
    expect(state).toEqual({
      name: 'over',
      reason:
        'the server refused initialize (offered 2025-11-25, 2024-11-05; it names 2024-11-05, 2023-01-01)',
    });
  });

  it.each([
    '{"error":{"code":-32022,"message":"Unsupported protocol version"}}',
    '{"error":{"code":-32020,"message":"Header mismatch"}}',
    '{"error":{"code":-32601,"message":"Method not found; this server speaks 2026-07-28"}}',
    '{"error":{"code":-32602,"message":"m","data":{"supported":["2027-01-01"]}}}',
  ])('takes a server for modern that refuses with %s', (refusal) => {
    const { state, effect } = handshakeStep(firstHandshake, { name: 'answer', frame: frameOf(refusal) });
    expect(effect).toBe('open modern');
    expect(state).toMatchObject({ name: 'open', profile: { version: '2026-07-28' } });
  });

  it.each([
    '{"error":{"code":-32601,"message":"Method not found"}}',
    '{"error":{"code":-32000,"message":"Your licence has expired on 2026-09-01"}}',
    '{"error":{"code":-32602,"message":"m","data":{"supported":["2025-06-18"]}}}',
    '{"result":{"protocolVersion":"2026-07-28"}}',
  ])('takes none for modern that says %s', (answer) => {
    expect(handshakeStep(firstHandshake, { name: 'answer', frame: frameOf(answer) }).effect).not.toBe(
      'open modern',
    );
  });
});
