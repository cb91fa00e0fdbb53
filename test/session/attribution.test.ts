import { describe, expect, it } from 'vitest';
import {
  attribute as decide,
  attributeHeld as decideHeld,
  suspectsOf,
  type Attribution,
  type Candidate,
} from '../../src/session/attribution.ts';

interface Call extends Candidate {
  readonly isWaiting: boolean;
}

const attribute = (calls: readonly Call[], exact: number | undefined): Attribution =>
  decide(suspectsOf(calls), suspectsOf(calls.filter(({ isWaiting }) => !isWaiting)), exact);
const attributeHeld = (left: readonly Call[], suspects: readonly number[]): Attribution =>
  decideHeld(suspectsOf(left), suspects);

const call = (id: number, domain: string, more: Partial<Call> = {}): Call => ({
  id,
  domain,
  isParked: false,
  isWaiting: false,
  isQuarantined: false,
  isKnownAsker: false,
  canBeAsked: () => true,
  ...more,
});
const waiting = { isParked: true, isWaiting: true };

describe('the ladder', () => {
  it('1: goes to the call on whose stream the question came, whoever else runs', () => {
    expect(attribute([call(1, 'a'), call(2, 'b')], 1)).toMatchObject({ kind: 'to', id: 1, isCertain: true });
    expect(attribute([call(2, 'b')], 1)).toEqual({ kind: 'refuse', reason: 'no call' });
  });

  it('2: goes to any call of the only party, the likeliest first', () => {
    expect(attribute([call(1, 'a'), call(2, 'a')], undefined)).toMatchObject({ id: 2, isCertain: false });
    expect(attribute([call(1, 'a', { isKnownAsker: true }), call(2, 'a')], undefined)).toMatchObject({
      id: 1,
    });
    expect(attribute([call(1, 'a'), call(2, 'a', { canBeAsked: () => false })], undefined)).toMatchObject({
      id: 1,
    });
    expect(attribute([call(1, 'a'), call(2, 'a', { isQuarantined: true })], undefined)).toMatchObject({
      id: 1,
    });
    expect(attribute([call(1, 'a'), call(2, 'a', waiting)], undefined)).toMatchObject({ id: 1 });
    // One that runs and cannot be asked is told so at once; for one that waits it would wait, and the server with it.
    const running = call(1, 'a', { canBeAsked: () => false });
    expect(attribute([running, call(2, 'a', waiting)], undefined)).toMatchObject({ id: 1 });
    expect(attribute([call(1, 'a', waiting)], undefined)).toMatchObject({ id: 1 });
  });

  it('3: goes to the only party that does not wait', () => {
    expect(attribute([call(1, 'a', waiting), call(2, 'b')], undefined)).toMatchObject({ id: 2 });
    expect(attribute([call(1, 'a', waiting), call(2, 'b'), call(3, 'b')], undefined)).toMatchObject({
      id: 3,
    });
  });

  it('3: sets nobody aside who may only carry a question of a sibling, or whose question was withdrawn', () => {
    expect(attribute([call(1, 'a', { isParked: true }), call(2, 'b')], undefined)).toEqual({
      kind: 'hold',
      suspects: [1, 2],
    });
  });

  it('4: is held while several parties may be asking, until all but one have ended', () => {
    expect(attribute([call(1, 'a'), call(2, 'b'), call(3, 'c', waiting)], undefined)).toEqual({
      kind: 'hold',
      suspects: [1, 2],
    });
    expect(attributeHeld([call(1, 'a'), call(2, 'b')], [1, 2])).toEqual({ kind: 'hold', suspects: [1, 2] });
    expect(attributeHeld([call(1, 'a')], [1])).toMatchObject({ id: 1 });
    expect(attributeHeld([call(1, 'a')], [1, 2])).toEqual({ kind: 'hold', suspects: [1, 2] });
  });

  it('5: is refused when nobody can have asked, or only waiting calls of several parties are there', () => {
    expect(attribute([], undefined)).toEqual({ kind: 'refuse', reason: 'no call' });
    expect(attributeHeld([], [])).toEqual({ kind: 'refuse', reason: 'no call' });
    expect(attribute([call(1, 'a', waiting), call(2, 'b', waiting)], undefined)).toEqual({
      kind: 'refuse',
      reason: 'ambiguous',
    });
  });
});
