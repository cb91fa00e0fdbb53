// A frame: one JSON-RPC message as an envelope over its own bytes. The envelope says where the members are;
// what no rule has to read stays text. Knows no MCP but the names of the members that carry others.
import { isUtf8 } from 'node:buffer';
import { LongText } from './long-text.ts';
import { isNameWhole, outlineOf, placeIn, type Outline } from './outline.ts';
import { scanObject, skipSpace, startsWith, stringOf, type Member, type Span, type Wanted } from './scan.ts';

/** Bytes to be written one after the other; together they are one piece of JSON text. */
export type Chunks = readonly Buffer[];

export interface Frame {
  /** Of a long frame they are put together when they are first asked for, which is to be avoided. */
  readonly bytes: Buffer;
  /** The outermost members, in their order, duplicates included. */
  readonly members: readonly Member[];
  /** The bytes of a long frame as they came. */
  readonly long?: LongText;
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

/** The same for a text that has come in pieces. Texts shorter than `minLongBytes` are put together first. */
export function parsePieces(pieces: Chunks, minLongBytes = 48 * 1024): ParsedFrame {
  if (pieces.length === 1 || sizeOf(pieces) < minLongBytes) return parseFrame(join(pieces));
  const outline = outlineOf(pieces);
  if (outline === undefined) return { ok: false, reason: 'unparsable' };
  const parsed = parseFrame(outline.text);
  // With nothing left out, the outline is the text.
  if (outline.gaps.length === 0) return parsed;
  if (!parsed.ok || !hasWholeNames(outline, parsed.frame.members)) return parseFrame(join(pieces));
  for (const piece of pieces) blankLineBreaks(piece);
  const long = new LongText(pieces, outline.text);
  return { ok: true, frame: new LongFrame(long, placedIn(outline, parsed.frame.members)) };
}

class LongFrame implements Frame {
  readonly long: LongText;
  readonly members: readonly Member[];

  constructor(long: LongText, members: readonly Member[]) {
    this.long = long;
    this.members = members;
  }

  get bytes(): Buffer {
    return this.long.bytes;
  }
}

function hasWholeNames(outline: Outline, members: readonly Member[]): boolean {
  return members.every(
    (member) => isNameWhole(outline, member) && hasWholeNames(outline, member.members ?? []),
  );
}

function placedIn(outline: Outline, members: readonly Member[]): readonly Member[] {
  return members.map((member) => ({
    key: member.key,
    keyStart: placeIn(outline, member.keyStart),
    start: placeIn(outline, member.start),
    end: placeIn(outline, member.end),
    members: member.members && placedIn(outline, member.members),
  }));
}

/** What changes of a frame's text are made of. */
export function sourceOf(frame: Frame): Buffer | LongText {
  return frame.long ?? frame.bytes;
}

/** The bytes of a part of a frame, to be written as they are. */
export function chunksOf(frame: Frame, { start, end }: Span): Chunks {
  return frame.long?.chunks(start, end) ?? [frame.bytes.subarray(start, end)];
}

/** All bytes of a frame, to be written as they are. */
export function wholeOf(frame: Frame): Chunks {
  return frame.long?.pieces ?? [frame.bytes];
}

/** The bytes of a short part of a frame. */
export function partOf(frame: Frame, span: Span): Buffer {
  return frame.long?.piece(span) ?? slice(frame.bytes, span);
}

/** The frame on memory that is its own: for as long as it is kept, nothing is that was read together with it. */
export function detached(frame: Frame): Frame {
  if (frame.long !== undefined) return frame;
  const bytes = Buffer.allocUnsafeSlow(frame.bytes.length);
  frame.bytes.copy(bytes);
  return { bytes, members: frame.members };
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

/** The method of a request or notification; undefined for an answer, whose bytes are not looked at. */
export function methodOf(frame: Frame): string | undefined {
  return find(frame.members, 'method') && stringMember(frame.bytes, frame.members, 'method');
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

export function sizeOf(chunks: Chunks): number {
  let size = 0;
  for (const chunk of chunks) size += chunk.length;
  return size;
}

export function join(chunks: Chunks): Buffer {
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}
