// Words that come again in every frame (names of members, methods, versions) are decoded once.
import type { Span } from './scan.ts';

/** A word that stands in nearly every frame has a place of its own; others take each other's. */
const places: (string | undefined)[] = new Array<string | undefined>(512).fill(undefined);
const maxBytes = 64;

function isAt(bytes: Buffer, start: number, word: string): boolean {
  for (let index = 0; index < word.length; index += 1)
    if (bytes[start + index] !== word.charCodeAt(index)) return false;
  return true;
}

/** The text between the quotes of a string token, as it is spelled. */
export function spelling(bytes: Buffer, { start, end }: Span): string {
  const from = start + 1;
  const length = end - 1 - from;
  if (length > maxBytes || length === 0) return bytes.toString('utf8', from, end - 1);
  const place =
    (length + (bytes[from] as number) * 31 + (bytes[end - 2] as number) * 7) & (places.length - 1);
  const known = places[place];
  if (known?.length === length && isAt(bytes, from, known)) return known;
  const word = bytes.toString('utf8', from, end - 1);
  // With characters of several bytes it is shorter than its spelling, and would never be found again.
  if (word.length === length) places[place] = word;
  return word;
}
