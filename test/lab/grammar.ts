// Texts that are nearly JSON-RPC: made by a grammar, or taken from the corpus, and then bent in one place or two.
import { readFileSync } from 'node:fs';
import type { Random } from './random.ts';

/** One text a line. What once went wrong is added here. */
export const corpus: readonly string[] = ['client', 'server', 'odd'].flatMap((name) =>
  readFileSync(new URL(`corpus/${name}.txt`, import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean),
);

const numbers = [
  '0',
  '-0',
  '1',
  '1.0',
  '1e3',
  '-1',
  '9007199254740993',
  '1e999',
  '123456789012345678901234567890',
  '0.1',
  '01',
  '1.',
  '.5',
  '+1',
  'NaN',
  '0x10',
];
const strings = [
  '""',
  '"a"',
  '"é中🧪"',
  '"\\ud83d"',
  '"\\u2028\u2028\\u0000"',
  '"\\"\\\\\\/\\b\\f\\n\\r\\t"',
  '"\\x"',
  '"\\u12"',
  '"\t"',
  '"unclosed',
  "'a'",
  '"__proto__"',
];
const words = ['null', 'true', 'false', 'nul', 'undefined', 'True'];
const keys = [
  '"a"',
  '"id"',
  '"method"',
  '"params"',
  '"_meta"',
  '"__proto__"',
  '"constructor"',
  '"name"',
  '"arguments"',
  '"result"',
  '"error"',
  '"jsonrpc"',
  '"requestState"',
  '"inputResponses"',
  '"\\u0069d"',
  'a',
  '1',
];
const spaces = ['', '', '', ' ', '\t', '\r', '\n', '\u00a0', '\ufeff'];

/** A value, mostly a good one. */
export function value(random: Random, depth = 0): string {
  const kind = random.below(depth > 3 ? 3 : 6);
  const space = random.chance(10) ? random.pick(spaces) : '';
  if (kind === 0) return random.chance(80) ? random.pick(numbers.slice(0, 10)) : random.pick(numbers);
  if (kind === 1) return random.chance(80) ? random.pick(strings.slice(0, 6)) : random.pick(strings);
  if (kind === 2) return random.chance(90) ? random.pick(words.slice(0, 3)) : random.pick(words);
  const items = Array.from({ length: random.below(4) }, () => value(random, depth + 1));
  if (kind === 3) return `[${items.join(`${space},`)}]`;
  const members = items.map(
    (item) => `${random.pick(random.chance(95) ? keys.slice(0, 15) : keys)}${space}:${item}`,
  );
  return `{${members.join(',')}}`;
}

/** A text that was a frame before something was done to it. */
export function bent(random: Random, frame: string): string {
  const at = random.below(frame.length + 1);
  const length = random.below(12);
  switch (random.below(9)) {
    case 0:
      return frame.slice(0, at) + frame.slice(at + length);
    case 1:
      return frame.slice(0, at + length) + frame.slice(at);
    case 2:
      return frame.slice(0, at) + value(random) + frame.slice(at + length);
    case 3:
      return frame.slice(0, at);
    case 4:
      return frame.slice(0, at) + random.pick(corpus).slice(random.below(40));
    case 5:
      return frame.slice(0, at) + String.fromCharCode(random.below(0x250)) + frame.slice(at + 1);
    case 6:
      return frame.slice(0, at) + random.pick(spaces) + frame.slice(at);
    default:
      return withOtherValue(random, frame);
  }
}

/** The same with the value of one member replaced. */
function withOtherValue(random: Random, frame: string): string {
  const values = [...frame.matchAll(/:("(?:[^"\\]|\\.)*"|-?\d[\d.]*|\{[^{}]*\}|null|true)/g)];
  const old = values[random.below(Math.max(1, values.length))];
  if (old === undefined) return value(random);
  return frame.slice(0, old.index + 1) + value(random) + frame.slice(old.index + old[0].length);
}
