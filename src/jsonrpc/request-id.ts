// Request ids and progress tokens: kept as text, so that they come back with the type and digits they came with.
import { find, partOf, slice, type Frame } from './frame.ts';
import { startsWith, stringOf, type Span } from './scan.ts';

/** An id or token. `0` and `""` are as good as any other. */
export interface RequestId {
  /** The JSON text as the peer wrote it. */
  readonly text: Buffer;
  /** Equal for equal ids: `1` and `"1"` differ, `"a"` and `"\u0061"` do not. */
  readonly key: string;
}

const integer = /^-?(?:0|[1-9][0-9]*)$/;

/** A string or an integer; undefined for null, fractions, exponents, booleans, objects and arrays. */
export function parseRequestId(bytes: Buffer, span: Span): RequestId | undefined {
  return toRequestId(slice(bytes, span));
}

/** The id of a frame; undefined where it has none that is good. */
export function idOf(frame: Frame): RequestId | undefined {
  const member = find(frame.members, 'id');
  return member && toRequestId(partOf(frame, member));
}

function toRequestId(text: Buffer): RequestId | undefined {
  const whole = { start: 0, end: text.length };
  if (startsWith(text, whole, '"')) return { text, key: `"${stringOf(text, whole)}` };
  const digits = text.toString('latin1');
  if (!integer.test(digits)) return undefined;
  return { text, key: digits === '-0' ? '0' : digits };
}
