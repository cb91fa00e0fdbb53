// A frame: one JSON-RPC message as an envelope over its own bytes. The envelope says where the members are;
// what no rule has to read stays text. Knows no MCP but the names of the members that carry others.
import { isUtf8 } from 'node:buffer';
import { scanObject, skipSpace, startsWith, stringOf, type Member, type Span, type Wanted } from './scan.ts';

/** Bytes to be written one after the other; together they are one piece of JSON text. */
export type Chunks = readonly Buffer[];

export interface Frame {
  readonly bytes: Buffer;
  /** The outermost members, in their order, duplicates included. */
  readonly members: readonly Member[];
}

export type FrameFault = 'unparsable' | 'batch' | 'not an object';

export type ParsedFrame =
  { readonly ok: true; readonly frame: Frame } | { readonly ok: false; readonly reason: FrameFault };

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

const wanted: Wanted = (key, depth) =>
  depth === 1 ? key === 'params' || key === 'result' || key === 'error' : depth === 2 && key === '_meta';

/**
 * Checks one JSON text and finds its members. Takes the bytes over: line breaks between tokens become spaces in
 * place, so that no part of the frame can end a line or an SSE field, and nothing can be smuggled inside a frame.
 */
export function parseFrame(bytes: Buffer): ParsedFrame {
  const start = skipSpace(bytes, hasByteOrderMark(bytes) ? 3 : 0);
  if (bytes[start] === 0x5b) return { ok: false, reason: 'batch' };
  if (!isUtf8(bytes)) return { ok: false, reason: 'unparsable' };
  const found = scanObject(bytes, start, wanted);
  if (found === undefined) return { ok: false, reason: notAnObject(bytes, start) };
  if (skipSpace(bytes, found.end) !== bytes.length) return { ok: false, reason: 'unparsable' };
  blankLineBreaks(bytes);
  return { ok: true, frame: { bytes, members: found.members } };
}

function hasByteOrderMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function notAnObject(bytes: Buffer, start: number): FrameFault {
  if (bytes[start] === 0x7b) return 'unparsable';
  try {
    JSON.parse(bytes.toString('utf8', start));
    return 'not an object';
  } catch {
    return 'unparsable';
  }
}

/** Inside strings raw line breaks are not valid JSON, so in a valid text all of them are between tokens. */
function blankLineBreaks(bytes: Buffer): void {
  for (const lineBreak of [LINE_FEED, CARRIAGE_RETURN])
    for (let at = bytes.indexOf(lineBreak); at !== -1; at = bytes.indexOf(lineBreak, at)) bytes[at] = SPACE;
}

/** The last member of that name, as parsers of JSON objects take it. */
export function find(members: readonly Member[] | undefined, key: string): Member | undefined {
  if (members === undefined) return undefined;
  for (let index = members.length - 1; index >= 0; index -= 1) {
    const member = members[index];
    if (member?.key === key) return member;
  }
  return undefined;
}

/** Whether two members have the same name: readers would disagree about which one counts. */
export function hasDuplicate(members: readonly Member[]): boolean {
  // A set of many is quicker than looking through them again and again, one of few is not.
  if (members.length > 16) return new Set(members.map((member) => member.key)).size !== members.length;
  for (let index = 1; index < members.length; index += 1) {
    const { key } = members[index] as Member;
    for (let before = 0; before < index; before += 1) if (members[before]?.key === key) return true;
  }
  return false;
}

/** The bytes of a value, not copied. */
export function slice(bytes: Buffer, span: Span): Buffer {
  return bytes.subarray(span.start, span.end);
}

/** The JavaScript value of a span. Only for parts that a rule must read: numbers may be rounded. */
export function valueOf(bytes: Buffer, span: Span): unknown {
  return JSON.parse(bytes.toString('utf8', span.start, span.end));
}

/** The string of a member, or undefined when it is missing or not a string. */
export function stringMember(
  bytes: Buffer,
  members: readonly Member[] | undefined,
  key: string,
): string | undefined {
  const member = find(members, key);
  return member && startsWith(bytes, member, '"') ? stringOf(bytes, member) : undefined;
}

export function isNull(bytes: Buffer, span: Span): boolean {
  return bytes[span.start] === 0x6e;
}

/** JSON text of a value of our own making. */
export function toBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value), 'utf8');
}

export function text(value: string): Buffer {
  return Buffer.from(value, 'utf8');
}

export function join(chunks: Chunks): Buffer {
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}
