import { describe, expect, it } from 'vitest';
import { breachesOf, type TraceEvent } from './trace.ts';

const sent = { kind: 'sent', token: 'a', round: 0 } as const;
const result = { kind: 'result', token: 'a', round: 0, text: 'a' } as const;

describe('the check of a trace', () => {
  it('finds nothing in a good one', () => {
    const trace: TraceEvent[] = [
      sent,
      { kind: 'question', token: 'a', round: 0, about: ['a'] },
      { kind: 'sent', token: 'a', round: 1 },
      { kind: 'result', token: 'a', round: 1, text: 'a yes' },
      { kind: 'sent', token: 'b', round: 0 },
      { kind: 'cancelled', token: 'b', round: 0 },
      { kind: 'sent', token: 'c', round: 0 },
      { kind: 'error', token: 'c', round: 0, reason: 'upstream_exited' },
    ];
    expect(breachesOf(trace, ['a', 'b'])).toEqual([]);
  });

  it.each<[string, TraceEvent[], string[], RegExp]>([
    ['no answer', [sent], ['a'], /ended 0 times/],
    ['two answers', [sent, result, result], ['a'], /ended 2 times/],
    ['an answer to nobody', [result], ['a'], /without having been sent/],
    ['the answer of another', [sent, { ...result, text: 'b' }], ['a'], /answer of another/],
    [
      'the question of another',
      [sent, { kind: 'question', token: 'a', round: 0, about: ['a', 'b'] }],
      ['a'],
      /question of another/,
    ],
    ['a call that was run twice', [sent, result], ['a', 'a'], /run 2 times/],
    ['a call that nobody made', [sent, result], ['a', 'x'], /nobody sent it/],
    ['an answer to what was never run', [sent, result], [], /never run/],
    [
      'an error that has no reason to be',
      [sent, { kind: 'error', token: 'a', round: 0, reason: 'internal' }],
      ['a'],
      /internal/,
    ],
  ])('finds %s', (_, trace, runs, breach) => {
    expect(breachesOf(trace, runs).join('\n')).toMatch(breach);
  });
});
