// The outline of a long JSON text: the same text without what is inside of its long strings. Of those it is checked here
// that they are good; the outline is short enough to be read by whatever reads JSON.
import { isUtf8 } from 'node:buffer';
import { endOfEscape, endOfPlain, type Member } from './scan.ts';

export interface Outline {
  readonly text: Buffer;
  /** What was left out, in its order: before which place of the outline, and how many bytes. */
  readonly gaps: readonly Gap[];
}

interface Gap {
  readonly at: number;
  readonly bytes: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const INVALID = -1;
/** Less than this inside of a string is not worth leaving out. */
const minGap = 1024;

/** Undefined when the text is no JSON for what stands in its strings. */
export function outlineOf(pieces: readonly Buffer[]): Outline | undefined {
  if (!isUtf8InPieces(pieces)) return undefined;
  const builder = new OutlineBuilder();
  return pieces.every((piece) => builder.add(piece)) ? builder.outline : undefined;
}

class OutlineBuilder {
  private readonly kept: Buffer[] = [];
  private keptBytes = 0;
  private readonly gaps: Gap[] = [];
  private isInString = false;
  /** An escape that goes on in the next piece is kept whole, for the reader of the outline to check. */
  private isBehindBackslash = false;
  private escapeBytes = 0;

  get outline(): Outline {
    return { text: Buffer.concat(this.kept), gaps: this.gaps };
  }

  /** False when it is no JSON. */
  add(piece: Buffer): boolean {
    let keptFrom = 0;
    let at = this.endOfOldEscape(piece);
    while (at < piece.length) {
      if (!this.isInString) {
        at = behindQuote(piece, at);
        this.isInString = at !== INVALID;
        if (!this.isInString) break;
        continue;
      }
      const end = endOfRun(piece, at);
      if (end === INVALID) return false;
      if (end - at >= minGap) {
        this.keep(piece.subarray(keptFrom, at));
        this.gaps.push({ at: this.keptBytes, bytes: end - at });
        keptFrom = end;
      }
      at = end === piece.length ? end : this.leaveRun(piece, end);
    }
    this.keep(piece.subarray(keptFrom));
    return true;
  }

  private keep(bytes: Buffer): void {
    this.kept.push(bytes);
    this.keptBytes += bytes.length;
  }

  /** Behind the run is the end of the string, or an escape that the piece cuts through. */
  private leaveRun(piece: Buffer, end: number): number {
    if (piece[end] === QUOTE) {
      this.isInString = false;
      return end + 1;
    }
    this.isBehindBackslash = end + 1 === piece.length;
    this.escapeBytes = this.isBehindBackslash ? 0 : end + 6 - piece.length;
    return piece.length;
  }

  private endOfOldEscape(piece: Buffer): number {
    if (this.isBehindBackslash) {
      this.isBehindBackslash = false;
      this.escapeBytes = piece[0] === 0x75 ? 5 : 1;
    }
    const at = Math.min(this.escapeBytes, piece.length);
    this.escapeBytes -= at;
    return at;
  }
}

/** Strings are seldom far apart: looking byte by byte is quicker than a search. */
function behindQuote(piece: Buffer, start: number): number {
  for (let at = start; at < piece.length; at += 1) if (piece[at] === QUOTE) return at + 1;
  return INVALID;
}

/** Where a string ends, or a piece of it: at its quote, before an escape that is not whole, or at the piece's end. */
function endOfRun(piece: Buffer, start: number): number {
  const { length } = piece;
  let at = endOfPlain(piece, start);
  while (piece[at] === BACKSLASH) {
    if (at + (piece[at + 1] === 0x75 ? 6 : 2) > length) return at;
    at = endOfEscape(piece, at);
    if (at === INVALID) return INVALID;
    at = endOfPlain(piece, at);
  }
  return at === length || piece[at] === QUOTE ? at : INVALID;
}

/** How many bytes of a character that goes on in the next piece are at the end of this one. */
function startedBytes(piece: Buffer): number {
  for (let back = 1; back <= 3 && back <= piece.length; back += 1) {
    const byte = piece[piece.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

function isUtf8InPieces(pieces: readonly Buffer[]): boolean {
  let begun: Buffer = Buffer.alloc(0);
  for (const piece of pieces) {
    let from = 0;
    // The character that the last piece has begun, byte by byte.
    while (begun.length > 0 && from < piece.length && ((piece[from] as number) & 0xc0) === 0x80) {
      begun = Buffer.concat([begun, piece.subarray(from, from + 1)]);
      from += 1;
      if (startedBytes(begun) === 0) break;
    }
    if (from === piece.length && startedBytes(begun) > 0) continue;
    const to = piece.length - startedBytes(piece.subarray(from));
    if (!isUtf8(begun) || !isUtf8(piece.subarray(from, to))) return false;
    begun = piece.subarray(to);
  }
  return isUtf8(begun);
}

/** Where in the whole text a place of its outline is; places at the edges of tokens alone. */
export function placeIn({ gaps }: Outline, place: number): number {
  let at = place;
  for (const gap of gaps) {
    if (gap.at >= place) break;
    at += gap.bytes;
  }
  return at;
}

/** Whether the name of a member is one of the strings that were left out in part. */
export function isNameWhole({ text, gaps }: Outline, { keyStart, start }: Member): boolean {
  const colon = text.lastIndexOf(0x3a, start);
  return !gaps.some(({ at }) => at > keyStart && at < Math.max(colon, keyStart));
}
