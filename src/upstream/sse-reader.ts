// Reads an event stream as bytes, so that what an event carries stays what it was.
// https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;

export interface SseHandlers {
  /** An event with data; `type` is `message` where the stream names none. */
  readonly onEvent: (type: string, data: Buffer) => void;
  /** An event over the limit was thrown away; these are the first bytes of its data. */
  readonly onOversize: (start: Buffer) => void;
}

/** An id comes back in a header: longer ones, and those that no header can carry, are as good as none. */
const maxIdBytes = 1024;
const lineFeed = Buffer.from('\n');

export class SseReader {
  private readonly maxBytes: number;
  private readonly handlers: SseHandlers;
  private parts: Buffer[] = [];
  private data: Buffer[] = [];
  private type = '';
  private idBuffer: string | undefined;
  private eventBytes = 0;
  private isSkipping = false;
  private isFirstLine = true;
  private endedInReturn = false;
  /** The id of the last event that ended, as the bytes of a header (latin1); undefined where the server gives none. */
  lastEventId: string | undefined;
  /** How long the server wants a client to wait before it comes back. */
  retryMs: number | undefined;

  /** Events over `maxBytes` are thrown away and reported. */
  constructor(maxBytes: number, handlers: SseHandlers) {
    this.maxBytes = maxBytes;
    this.handlers = handlers;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    let start = this.endedInReturn && chunk[0] === LINE_FEED ? 1 : 0;
    this.endedInReturn = false;
    for (let end = endOfLine(chunk, start); end !== -1; end = endOfLine(chunk, start)) {
      this.take(chunk.subarray(start, end));
      this.endLine();
      start = end + 1;
      if (chunk[end] !== CARRIAGE_RETURN) continue;
      this.endedInReturn = start === chunk.length;
      if (chunk[start] === LINE_FEED) start += 1;
    }
    if (start < chunk.length) this.take(chunk.subarray(start));
  }

  /** A new connection goes on where the last one ended; what was cut off in the middle does not count. */
  restart(): void {
    this.parts = [];
    this.endEvent();
    this.isFirstLine = true;
    this.endedInReturn = false;
  }

  private take(part: Buffer): void {
    this.eventBytes += part.length;
    if (!this.isSkipping && this.eventBytes > this.maxBytes) {
      const start = Buffer.concat([...this.data, ...this.parts, part].slice(0, 3)).subarray(0, 1024);
      this.isSkipping = true;
      this.data = [];
      this.handlers.onOversize(start);
    }
    // Of a line that is skipped only its being empty or not matters.
    if (this.isSkipping) this.parts = this.parts.length > 0 || part.length > 0 ? [part.subarray(0, 1)] : [];
    else this.parts.push(part);
  }

  private endLine(): void {
    let line = this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts);
    this.parts = [];
    if (this.isFirstLine && line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf) line = line.subarray(3);
    this.isFirstLine = false;
    if (line.length === 0) this.dispatch();
    else if (!this.isSkipping) this.readField(line);
  }

  private readField(line: Buffer): void {
    const colon = line.indexOf(COLON);
    // A comment.
    if (colon === 0) {
      this.eventBytes -= line.length;
      return;
    }
    const name = line.toString('latin1', 0, colon === -1 ? line.length : colon);
    const valueStart = colon === -1 ? line.length : colon + (line[colon + 1] === SPACE ? 2 : 1);
    const value = line.subarray(valueStart);
    switch (name) {
      case 'data':
        this.data.push(value);
        return;
      case 'event':
        this.type = value.toString('utf8');
        return;
      case 'id':
        if (value.length <= maxIdBytes && isHeaderText(value)) this.idBuffer = value.toString('latin1');
        return;
      case 'retry':
        if (/^\d{1,9}$/.test(value.toString('latin1'))) this.retryMs = Number(value);
        return;
      default:
    }
  }

  private dispatch(): void {
    const { data, type } = this;
    this.lastEventId = this.idBuffer ?? this.lastEventId;
    this.endEvent();
    const body = data.length === 1 ? (data[0] as Buffer) : joinLines(data);
    if (body.length > 0) this.handlers.onEvent(type === '' ? 'message' : type, body);
  }

  private endEvent(): void {
    this.data = [];
    this.type = '';
    this.idBuffer = undefined;
    this.eventBytes = 0;
    this.isSkipping = false;
  }
}

/** Where the next line feed or carriage return is, or -1. */
function endOfLine(chunk: Buffer, start: number): number {
  const feed = chunk.indexOf(LINE_FEED, start);
  const carriageReturn = chunk.subarray(start, feed === -1 ? chunk.length : feed).indexOf(CARRIAGE_RETURN);
  return carriageReturn === -1 ? feed : start + carriageReturn;
}

function joinLines(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [lineFeed, line])));
}

function isHeaderText(value: Buffer): boolean {
  return value.every((byte) => byte >= 0x20 && byte !== 0x7f);
}
