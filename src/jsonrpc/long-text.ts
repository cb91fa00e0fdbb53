// A long text in the pieces in which it came: putting it together would take longer than all else that is done with it.
import type { Span } from './scan.ts';

export class LongText {
  readonly pieces: readonly Buffer[];
  /** The same without most of what is inside of its strings: what is to be looked for elsewhere is looked for here. */
  readonly outline: Buffer;
  private joined: Buffer | undefined;

  constructor(pieces: readonly Buffer[], outline: Buffer) {
    this.pieces = pieces;
    this.outline = outline;
  }

  /** All of it in one piece, put together when it is first asked for. */
  get bytes(): Buffer {
    this.joined ??= Buffer.concat(this.pieces);
    return this.joined;
  }

  /** The bytes of a part of it, not copied. */
  chunks(start: number, end: number): readonly Buffer[] {
    const found: Buffer[] = [];
    let from = 0;
    for (const piece of this.pieces) {
      if (from >= end) break;
      const to = from + piece.length;
      if (to > start) found.push(piece.subarray(Math.max(start - from, 0), Math.min(end, to) - from));
      from = to;
    }
    return found;
  }

  /** The same of a short part, in one piece. */
  piece({ start, end }: Span): Buffer {
    const chunks = this.chunks(start, end);
    return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  }
}
