// Option values as a person writes them. Each throws an Error whose message says what would be right.
import { hostnameOf } from '../faces/http-guard.ts';

const durationUnits: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const sizeUnits: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

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
  if (!(count >= min && count <= max))
    throw new Error(`a whole number from ${String(min)} to ${String(max)}`);
  return count;
}

/** A host name or an IP address, IPv6 in brackets, as it is compared: in lower case. A port may follow and is dropped. */
export function parseHostName(value: string): string {
  const name = hostnameOf(value);
  if (name === undefined) throw new Error('a host name is like mcp.example or [fd00::1]');
  return name;
}

/** An origin as browsers send it: of a web page in lower case, without the scheme's own port or a path. */
export function parseOrigin(value: string): string {
  if (!/^[a-z][\w+.-]*:\/\/[^/?#@\s]+\/?$/i.test(value) || !URL.canParse(value))
    throw new Error('an origin is like https://app.example');
  const { origin } = new URL(value);
  // Pages of extensions have origins of their own schemes, which URL knows nothing of.
  return origin === 'null' ? value.replace(/\/$/, '') : origin;
}

/** White space, a part in double quotes, one in single quotes, a character behind a backslash, a plain run. */
const commandPart = /(\s+)|"((?:[^"\\]|\\[^])*)"|'([^']*)'|\\([^])|([^\s"'\\]+)/y;

/**
 * A command string split into words as a shell would: white space separates, quotes keep together, a backslash takes
 * the next character as it is (in double quotes only `"` and `\`). Nothing is expanded and no shell is run.
 */
export function splitWords(command: string): readonly string[] {
  const words: string[] = [];
  let isInWord = false;
  commandPart.lastIndex = 0;
  while (commandPart.lastIndex < command.length) {
    const match = commandPart.exec(command);
    if (match === null) throw new Error('a command whose quotes are closed and that ends in no backslash');
    const [, space, double, single, escaped, plain] = match;
    const part = double?.replace(/\\(["\\])/g, '$1') ?? single ?? escaped ?? plain;
    if (space === undefined && part !== undefined) {
      if (isInWord) words.push((words.pop() ?? '') + part);
      else words.push(part);
    }
    isInWord = space === undefined;
  }
  return words;
}
