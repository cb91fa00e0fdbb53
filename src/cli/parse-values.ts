// Option values as a person writes them. Each throws an Error whose message says what would be right.

const durationUnits: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const sizeUnits: Readonly<Record<string, number>> = { '': 1, B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** `500ms`, `30s`, `10m`, `1h` as milliseconds. */
export function parseDuration(value: string): number {
  const [, digits, unit] = /^(\d+)(ms|s|m|h)$/.exec(value) ?? [];
  const factor = durationUnits[unit ?? ''];
  if (digits === undefined || factor === undefined) throw new Error('a duration is like 500ms, 30s or 10m');
  const ms = Number(digits) * factor;
  // Timers take no more.
  if (ms > 2 ** 31 - 1) throw new Error('a duration is at most 24 days');
  return ms;
}

/** `4194304`, `512KiB`, `4MiB` as bytes. */
export function parseSize(value: string): number {
  const [, digits, unit] = /^(\d+)(B|KiB|MiB|GiB)?$/.exec(value) ?? [];
  const factor = sizeUnits[unit ?? ''];
  if (digits === undefined || factor === undefined) throw new Error('a size is like 4194304, 512KiB or 4MiB');
  return Number(digits) * factor;
}

/** A whole number from `min` to `max`. */
export function parseCount(value: string, min: number, max: number): number {
  const count = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!(count >= min && count <= max)) throw new Error(`a whole number from ${String(min)} to ${String(max)}`);
  return count;
}

/**
 * A command string split into words as a shell would: white space separates, quotes keep together, a backslash takes
 * the next character as it is (in double quotes only before `"` and `\`). Nothing is expanded and no shell is run.
 */
export function splitWords(command: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < command.length; at += 1) {
    const character = command[at] as string;
    const next = command[at + 1];
    if (character === quote) quote = undefined;
    else if (character === '\\' && takesNext(quote, next)) {
      word = (word ?? '') + (next as string);
      at += 1;
    } else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      word ??= '';
    } else if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (quote !== undefined) throw new Error('a quote in the command is not closed');
  if (word !== undefined) words.push(word);
  return words;
}

function takesNext(quote: string | undefined, next: string | undefined): boolean {
  if (next === undefined || quote === "'") return false;
  return quote === undefined || next === '"' || next === '\\';
}
