// The machine of a call that may ask: whatever happens in whatever order, every question has one end, rounds grow, and
// the call ends once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  callStep,
  type AskedQuestion,
  type CallEffect,
  type CallEvent,
  type CallState,
} from '../../src/bridge/parked-call.ts';
import type { Outcome } from '../../src/bridge/outcome.ts';
import { frameOf } from '../support/frames.ts';

const outcome: Outcome = { kind: 'result', body: [] };
const frame = frameOf('{}');

function question(name: string): AskedQuestion {
  return {
    key: name,
    body: [],
    question: { id: { key: name, text: Buffer.from(name) }, kind: 'elicitation', frame },
  };
}

/** What a bridge can make of a number: the next event. */
function eventOf(choice: number, state: CallState, asked: AskedQuestion[]): CallEvent {
  switch (choice % 9) {
    case 0:
    case 1: {
      asked.push(question(`q${String(asked.length)}`));
      return { name: 'asked', asked: asked.at(-1)! };
    }
    case 2:
      return { name: 'withdrawn', questionKey: `q${String(choice % 5)}` };
    case 3:
      return { name: 'window closed' };
    case 4:
    case 5: {
      const open = state.name === 'parked' ? state.asked : [];
      const some = open.filter((_, index) => choice % 2 === 0 || index > 0);
      return { name: 'answers', answers: new Map(some.map(({ key }) => [key, []])) };
    }
    case 6:
      return { name: 'outcome', outcome };
    case 7:
      return { name: 'given up', why: 'test', outcome: choice % 2 === 0 ? outcome : undefined };
    default:
      return choice % 3 === 0 ? { name: 'lost', outcome } : { name: 'window closed' };
  }
}

/** Runs the machine; what it did to each question, and the rounds that it showed. */
function run(choices: readonly number[]): {
  state: CallState;
  effects: CallEffect[];
  ends: string[];
  rounds: number[];
} {
  let state: CallState = { name: 'running', round: 0 };
  const asked: AskedQuestion[] = [];
  const effects: CallEffect[] = [];
  for (const choice of choices) {
    const step = callStep(state, eventOf(choice, state, asked));
    state = step.state;
    effects.push(...step.effects);
  }
  const ends = effects.flatMap((effect) =>
    effect.name === 'reply' || effect.name === 'refuse' || effect.name === 'disown'
      ? [effect.question.id.key]
      : [],
  );
  const rounds = effects.flatMap((effect) => (effect.name === 'show' ? [effect.round] : []));
  return { state, effects, ends, rounds };
}

const choices = fc.array(fc.nat(1000), { maxLength: 40 });

describe('callStep', () => {
  it('ends a question once at the most, and settles the call once at the most', () => {
    fc.assert(
      fc.property(choices, (list) => {
        const { ends, effects } = run(list);
        expect(new Set(ends).size).toBe(ends.length);
        expect(effects.filter(({ name }) => name === 'settle').length).toBeLessThanOrEqual(1);
        expect(effects.filter(({ name }) => name === 'cancel upstream').length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 3000 },
    );
  });

  it('shows rounds that grow, never an empty one', () => {
    fc.assert(
      fc.property(choices, (list) => {
        const { rounds, effects } = run(list);
        expect(rounds).toEqual([...new Set(rounds)].sort((a, b) => a - b));
        for (const effect of effects)
          if (effect.name === 'show') expect(effect.asked.length).toBeGreaterThan(0);
      }),
      { numRuns: 3000 },
    );
  });

  it('gives every question that is open an end when the call is given up', () => {
    fc.assert(
      fc.property(choices, (list) => {
        const { state } = run(list);
        const open =
          state.name === 'gathering'
            ? state.asked
            : state.name === 'parked'
              ? [...state.asked, ...state.joined, ...state.answered]
              : [];
        const { effects } = callStep(state, { name: 'given up', why: 'test', outcome });
        const refused = effects.flatMap((effect) =>
          effect.name === 'refuse' ? [effect.question.id.key] : [],
        );
        expect(refused.sort()).toEqual(open.map((each) => each.question.id.key).sort());
      }),
      { numRuns: 3000 },
    );
  });

  it('opens a window before it gathers, and closes it or lets it close', () => {
    fc.assert(
      fc.property(choices, (list) => {
        const { state, effects } = run(list);
        const opened = effects.filter(({ name }) => name === 'open window').length;
        const closed = effects.filter(({ name }) => name === 'close window').length;
        const shownFromWindow = opened - closed - (state.name === 'gathering' ? 1 : 0);
        expect(shownFromWindow).toBeGreaterThanOrEqual(0);
        expect(shownFromWindow).toBeLessThanOrEqual(effects.filter(({ name }) => name === 'show').length);
      }),
    );
  });
});
