// The life of a call that may ask, as a pure machine: running, gathering the questions that come together, parked with
// its client, running again, ended. Who waits, timers and wires are asking-call.ts's. spec 2026-07-28 basic/patterns/mrtr
import type { Question } from '../session/open-questions.ts';
import type { Chunks } from '../jsonrpc/frame.ts';
import type { Outcome } from './outcome.ts';

/** A question under the key by which the client is to answer it. */
export interface AskedQuestion {
  readonly key: string;
  readonly question: Question;
  /** JSON text of the modern input request. */
  readonly body: Chunks;
}

/** Good answers of the client, as JSON text of legacy results, by key. */
type Answers = ReadonlyMap<string, Chunks>;

interface Parked {
  readonly name: 'parked';
  readonly round: number;
  /** What this round asks the client. */
  readonly asked: readonly AskedQuestion[];
  /** Answered well in an earlier round, not yet told to the server. */
  readonly answered: readonly { readonly question: Question; readonly answer: Chunks }[];
  /** Has come since; for the next round. */
  readonly joined: readonly AskedQuestion[];
  /** What the call ended with while its client was thinking. */
  readonly outcome: Outcome | undefined;
}

export type CallState =
  | { readonly name: 'running'; readonly round: number }
  | { readonly name: 'gathering'; readonly round: number; readonly asked: readonly AskedQuestion[] }
  | Parked
  | { readonly name: 'ended' };

export type CallEvent =
  | { readonly name: 'asked'; readonly asked: AskedQuestion }
  | { readonly name: 'withdrawn'; readonly questionKey: string }
  | { readonly name: 'window closed' }
  | { readonly name: 'answers'; readonly answers: Answers }
  | { readonly name: 'outcome'; readonly outcome: Outcome }
  /** Nobody waits for the call any more, or it has taken too long: it is given up. */
  | { readonly name: 'given up'; readonly why: string; readonly outcome: Outcome | undefined }
  | { readonly name: 'lost'; readonly outcome: Outcome };

export type CallEffect =
  | { readonly name: 'open window' }
  | { readonly name: 'close window' }
  /** The round's questions go to the client. */
  | { readonly name: 'show'; readonly round: number; readonly asked: readonly AskedQuestion[] }
  | { readonly name: 'reply'; readonly question: Question; readonly answer: Chunks }
  | { readonly name: 'refuse'; readonly question: Question; readonly why: string }
  /** The call ended before its question was shown. */
  | { readonly name: 'disown'; readonly question: Question }
  | { readonly name: 'go on' }
  | { readonly name: 'cancel upstream'; readonly why: string }
  | { readonly name: 'settle'; readonly outcome: Outcome };

export interface CallStep {
  readonly state: CallState;
  readonly effects: readonly CallEffect[];
}

const ended: CallState = { name: 'ended' };

export function callStep(state: CallState, event: CallEvent): CallStep {
  if (state.name === 'ended') return { state, effects: event.name === 'asked' ? [disown(event.asked)] : [] };
  switch (event.name) {
    case 'asked':
      return asked(state, event.asked);
    case 'withdrawn':
      return withdrawn(state, event.questionKey);
    case 'window closed':
      return state.name === 'gathering' ? show(state.round + 1, state.asked, []) : { state, effects: [] };
    case 'answers':
      return state.name === 'parked' ? answered(state, event.answers) : { state, effects: [] };
    case 'outcome':
      return finished(state, event.outcome);
    case 'given up':
      return givenUp(state, event.why, event.outcome);
    case 'lost':
      return { state: ended, effects: [...windowEffect(state), { name: 'settle', outcome: event.outcome }] };
  }
}

function disown({ question }: AskedQuestion): CallEffect {
  return { name: 'disown', question };
}

function windowEffect(state: CallState): readonly CallEffect[] {
  return state.name === 'gathering' ? [{ name: 'close window' }] : [];
}

function show(round: number, questions: readonly AskedQuestion[], answered: Parked['answered']): CallStep {
  return {
    state: { name: 'parked', round, asked: questions, answered, joined: [], outcome: undefined },
    effects: [{ name: 'show', round, asked: questions }],
  };
}

function asked(state: Exclude<CallState, { name: 'ended' }>, question: AskedQuestion): CallStep {
  switch (state.name) {
    case 'running':
      return {
        state: { ...state, name: 'gathering', asked: [question] },
        effects: [{ name: 'open window' }],
      };
    case 'gathering':
      return { state: { ...state, asked: [...state.asked, question] }, effects: [] };
    case 'parked':
      return { state: { ...state, joined: [...state.joined, question] }, effects: [] };
  }
}

function withdrawn(state: CallState, questionKey: string): CallStep {
  const others = (list: readonly AskedQuestion[]): readonly AskedQuestion[] =>
    list.filter((each) => each.question.id.key !== questionKey);
  if (state.name === 'gathering') {
    const left = others(state.asked);
    if (left.length > 0) return { state: { ...state, asked: left }, effects: [] };
    return { state: { name: 'running', round: state.round }, effects: [{ name: 'close window' }] };
  }
  if (state.name !== 'parked') return { state, effects: [] };
  return { state: { ...state, asked: others(state.asked), joined: others(state.joined) }, effects: [] };
}

/** Good answers are kept until the round is complete; what is missing is asked again. */
function answered(state: Parked, answers: Answers): CallStep {
  const good = state.asked.flatMap(({ key, question }) => {
    const answer = answers.get(key);
    return answer === undefined ? [] : [{ question, answer }];
  });
  const known = [...state.answered, ...good];
  const missing = state.asked.filter(({ key }) => !answers.has(key));
  if (missing.length > 0) {
    const step = show(state.round + 1, missing, known);
    return { ...step, state: { ...step.state, joined: state.joined, outcome: state.outcome } as Parked };
  }
  const replies = known.map(({ question, answer }): CallEffect => ({ name: 'reply', question, answer }));
  const after = afterAnswers(state);
  return { state: after.state, effects: [...replies, ...after.effects] };
}

function afterAnswers(state: Parked): CallStep {
  if (state.joined.length > 0) {
    const step = show(state.round + 1, state.joined, []);
    return { ...step, state: { ...step.state, outcome: state.outcome } as Parked };
  }
  if (state.outcome !== undefined)
    return { state: ended, effects: [{ name: 'settle', outcome: state.outcome }] };
  return { state: { name: 'running', round: state.round }, effects: [{ name: 'go on' }] };
}

function finished(state: CallState, outcome: Outcome): CallStep {
  if (state.name === 'parked') return { state: { ...state, outcome: state.outcome ?? outcome }, effects: [] };
  const questions = state.name === 'gathering' ? state.asked : [];
  return {
    state: ended,
    effects: [...windowEffect(state), ...questions.map(disown), { name: 'settle', outcome }],
  };
}

function givenUp(state: CallState, why: string, outcome: Outcome | undefined): CallStep {
  const refuse = ({ question }: { readonly question: Question }): CallEffect => ({
    name: 'refuse',
    question,
    why,
  });
  const effects: CallEffect[] = [...windowEffect(state)];
  if (state.name === 'gathering') effects.push(...state.asked.map(refuse));
  if (state.name === 'parked')
    effects.push(...[...state.asked, ...state.joined, ...state.answered].map(refuse));
  if (state.name !== 'parked' || state.outcome === undefined) effects.push({ name: 'cancel upstream', why });
  if (outcome !== undefined) effects.push({ name: 'settle', outcome });
  return { state: ended, effects };
}
