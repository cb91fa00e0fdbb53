// Reads JSON text as bytes: checks that it is valid and tells where its parts are. Builds no values and knows
// neither JSON-RPC nor MCP. What is found valid here can be copied as text and will still be valid.
import { spelling } from './words.ts';

/** Where a JSON value is inside its buffer: from `start` up to, not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One `"key": value` of an object. `members` are there when the value is an object that was asked for. */
export interface Member extends Span {
  readonly key: string;
  /** Where the opening quote of the key is. */
  readonly keyStart: number;
  readonly members: readonly Member[] | undefined;
}

/** Which objects have their members listed: `level` 1 is a member of the outermost object. */
export type Wanted = (key: string, level: number) => boolean;

/** Deeper nesting is refused: peers that parse recursively would fall over it. */
const maxDepth = 1000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const INVALID = -1;

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function isHexDigit(byte: number | undefined): boolean {
  return isDigit(byte) || (byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}

/** The first position at or after `at` that is not JSON white space. */
export function skipSpace(bytes: Buffer, at: number): number {
  for (;;) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
}

const simpleEscapes: ReadonlySet<number | undefined> = new Set(Buffer.from('"\\/bfnrt'));

/** Behind the escape that begins at `at`, or -1. */
export function endOfEscape(bytes: Buffer, at: number): number {
  const escaped = bytes[at + 1];
  if (simpleEscapes.has(escaped)) return at + 2;
  if (escaped !== 0x75) return INVALID;
  for (let digit = at + 2; digit < at + 6; digit += 1) if (!isHexDigit(bytes[digit])) return INVALID;
  return at + 6;
}

/** What ends a run of plain characters inside of a string: 1 for quotes, backslashes and control characters. */
const isSpecial = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === QUOTE || byte === BACKSLASH ? 1 : 0,
);

/** The first special character at or after `at`, or the end. Most of the time with large results is spent here. */
export function endOfPlain(bytes: Buffer, start: number): number {
  const { length } = bytes;
  const lastEight = length - 8;
  let at = start;
  const special = (index: number): number => isSpecial[bytes[index] as number] as number;
  while (at <= lastEight) {
    const first = special(at) | special(at + 1) | special(at + 2) | special(at + 3);
    if ((first | special(at + 4) | special(at + 5) | special(at + 6) | special(at + 7)) !== 0) break;
    at += 8;
  }
  while (at < length && special(at) === 0) at += 1;
  return at;
}

function endOfString(bytes: Buffer, start: number): number {
  let at = endOfPlain(bytes, start + 1);
  while (bytes[at] === BACKSLASH) {
    at = endOfEscape(bytes, at);
    if (at === INVALID) return INVALID;
    at = endOfPlain(bytes, at);
  }
  return bytes[at] === QUOTE ? at + 1 : INVALID;
}

function endOfDigits(bytes: Buffer, start: number): number {
  let at = start;
  while (isDigit(bytes[at])) at += 1;
  return at === start ? INVALID : at;
}

function endOfExponent(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte !== 0x65 && byte !== 0x45) return at;
  const sign = bytes[at + 1];
  return endOfDigits(bytes, sign === 0x2b || sign === 0x2d ? at + 2 : at + 1);
}

function endOfNumber(bytes: Buffer, start: number): number {
  let at = bytes[start] === 0x2d ? start + 1 : start;
  at = bytes[at] === 0x30 ? at + 1 : endOfDigits(bytes, at);
  if (at !== INVALID && bytes[at] === 0x2e) at = endOfDigits(bytes, at + 1);
  return at === INVALID ? INVALID : endOfExponent(bytes, at);
}

function endOfWord(bytes: Buffer, start: number, word: string): number {
  for (let index = 0; index < word.length; index += 1)
    if (bytes[start + index] !== word.charCodeAt(index)) return INVALID;
  return start + word.length;
}

function endOfScalar(bytes: Buffer, start: number): number {
  switch (bytes[start]) {
    case QUOTE:
      return endOfString(bytes, start);
    case 0x74:
      return endOfWord(bytes, start, 'true');
    case 0x66:
      return endOfWord(bytes, start, 'false');
    case 0x6e:
      return endOfWord(bytes, start, 'null');
    case undefined:
    default:
      return endOfNumber(bytes, start);
  }
}

/** From the opening quote of a key to the first byte of its value. */
function startOfValue(bytes: Buffer, keyStart: number): number {
  if (bytes[keyStart] !== QUOTE) return INVALID;
  const keyEnd = endOfString(bytes, keyStart);
  if (keyEnd === INVALID) return INVALID;
  const colon = skipSpace(bytes, keyEnd);
  return bytes[colon] === COLON ? skipSpace(bytes, colon + 1) : INVALID;
}

// One scan at a time, and a scan never waits, so all scans share the stack of closing brackets.
const closers = new Uint8Array(maxDepth + 1);
let depth = 0;

/** The end of the value that starts at `start`, or -1 when it is not valid JSON or nested too deep. */
export function endOfValue(bytes: Buffer, start: number): number {
  let at = start;
  depth = 0;
  for (;;) {
    const byte = bytes[at];
    let next = byte === OPEN_OBJECT || byte === OPEN_ARRAY ? enter(bytes, at, byte) : endOfScalar(bytes, at);
    if (next >= 0) next = leave(bytes, next);
    if (next >= INVALID) return next;
    at = ~next;
  }
}

/** Into a container: `~` the start of its first value, or its end when it is empty. */
function enter(bytes: Buffer, start: number, opener: number): number {
  const closer = opener === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY;
  const at = skipSpace(bytes, start + 1);
  if (bytes[at] === closer) return at + 1;
  if (depth === maxDepth) return INVALID;
  depth += 1;
  closers[depth] = closer;
  return nextValue(bytes, at);
}

/** A value has ended: `~` the start of the next one, or the end of all that ends with it. */
function leave(bytes: Buffer, end: number): number {
  let at = end;
  while (depth > 0) {
    at = skipSpace(bytes, at);
    if (bytes[at] === COMMA) return nextValue(bytes, skipSpace(bytes, at + 1));
    if (bytes[at] !== closers[depth]) return INVALID;
    depth -= 1;
    at += 1;
  }
  return at;
}

function nextValue(bytes: Buffer, at: number): number {
  const start = closers[depth] === CLOSE_OBJECT ? startOfValue(bytes, at) : at;
  return start === INVALID ? INVALID : ~start;
}

/** The string that a JSON string token stands for. The token must be valid. */
export function stringOf(bytes: Buffer, token: Span): string {
  const text = spelling(bytes, token);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}

/** Whether the value there is of the kind that starts with this character: `{`, `[` or `"`. */
export function startsWith(bytes: Buffer, value: Span, character: '{' | '[' | '"'): boolean {
  return bytes[value.start] === character.charCodeAt(0);
}

interface Found {
  readonly end: number;
  readonly members: readonly Member[];
}

/**
 * Lists the members of the object that starts at `start`, in their order, duplicates included.
 * Objects among the values are listed too where `wanted` says so. Undefined when the text is not a valid object.
 */
export function scanObject(bytes: Buffer, start: number, wanted: Wanted, level = 1): Found | undefined {
  if (bytes[start] !== OPEN_OBJECT) return undefined;
  const members: Member[] = [];
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === CLOSE_OBJECT) return { end: at + 1, members };
  for (;;) {
    const member = scanMember(bytes, at, wanted, level);
    if (member === undefined) return undefined;
    members.push(member);
    at = skipSpace(bytes, member.end);
    // Without the room to spare that the list has grown with: a frame may be kept for long.
    if (bytes[at] === CLOSE_OBJECT) return { end: at + 1, members: members.slice() };
    if (bytes[at] !== COMMA) return undefined;
    at = skipSpace(bytes, at + 1);
  }
}

function scanMember(bytes: Buffer, keyStart: number, wanted: Wanted, level: number): Member | undefined {
  const start = startOfValue(bytes, keyStart);
  if (start === INVALID) return undefined;
  const key = stringOf(bytes, { start: keyStart, end: endOfString(bytes, keyStart) });
  if (bytes[start] === OPEN_OBJECT && wanted(key, level)) {
    const found = scanObject(bytes, start, wanted, level + 1);
    return found && { key, keyStart, start, end: found.end, members: found.members };
  }
  const end = endOfValue(bytes, start);
  return end === INVALID ? undefined : { key, keyStart, start, end, members: undefined };
}

const nothing: Wanted = () => false;

/** The members of an object that is already known to be valid JSON. */
export function membersOf(bytes: Buffer, object: Span): readonly Member[] {
  return scanObject(bytes, object.start, nothing)?.members ?? [];
}

/** The elements of an array that is already known to be valid JSON. */
export function elementsOf(bytes: Buffer, array: Span): readonly Span[] {
  const elements: Span[] = [];
  let at = skipSpace(bytes, array.start + 1);
  while (bytes[at] !== CLOSE_ARRAY) {
    const end = endOfValue(bytes, at);
    elements.push({ start: at, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
  }
  return elements;
}
