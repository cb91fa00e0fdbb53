import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spelling } from '../../src/jsonrpc/words.ts';

const read = (word: string): string => {
  const bytes = Buffer.from(`"${word}"`);
  return spelling(bytes, { start: 0, end: bytes.length });
};

describe('spelling', () => {
  it('reads whatever stands there, however often and after whatever words', () => {
    // Few letters, and words longer than what is remembered: many that take each other's place.
    const word = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'b', 'ä', '€', '😀', '\\n', ' '), maxLength: 70 }),
      fc.constantFrom('', 'method', 'methoD', 'params', 'paramS', '_meta'),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), (words) => {
        for (const each of words) expect(read(each)).toBe(each);
      }),
    );
  });

  it('tells words apart that have the same length, beginning and end', () => {
    for (const each of ['abcd', 'axxd', 'abcd', 'aäd', 'axxd']) expect(read(each)).toBe(each);
  });
});
