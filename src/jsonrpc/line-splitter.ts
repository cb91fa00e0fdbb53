// Cuts a byte stream into lines at LF alone (U+2028 and its kin are text), whatever the chunks look like.
// A line over the limit is thrown away up to its end and reported once; the stream goes on behind it.

const LINE_FEED = 0x0a;

export interface LineHandlers {
  /** The line in the pieces in which it came. */
  readonly onLine: (line: readonly Buffer[]) => void;
  /** Told when the limit is passed, before the rest of the line has come. `start` is its first bytes. */
  readonly onOversize: (start: Buffer) => void;
}

export class LineSplitter {
  private readonly maxBytes: number;
  private readonly handlers: LineHandlers;
  private parts: Buffer[] = [];
  private partBytes = 0;
  private isSkipping = false;

  constructor(maxBytes: number, handlers: LineHandlers) {
    this.maxBytes = maxBytes;
    this.handlers = handlers;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end === -1) break;
      this.take(chunk.subarray(start, end));
      this.finish();
      start = end + 1;
    }
    if (start < chunk.length) this.take(chunk.subarray(start));
  }

  /** The stream has ended: a last line without its LF still counts. */
  end(): void {
    if (this.partBytes > 0) this.finish();
  }

  private take(part: Buffer): void {
    if (this.isSkipping) return;
    if (part.length > 0) this.parts.push(part);
    this.partBytes += part.length;
    if (this.partBytes <= this.maxBytes) return;
    const start = Buffer.concat(this.parts.slice(0, 2)).subarray(0, 1024);
    this.isSkipping = true;
    this.parts = [];
    this.partBytes = 0;
    this.handlers.onOversize(start);
  }

  private finish(): void {
    const wasSkipping = this.isSkipping;
    const line = this.parts;
    this.parts = [];
    this.partBytes = 0;
    this.isSkipping = false;
    if (!wasSkipping && !line.every(isBlank)) this.handlers.onLine(line);
  }
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
