import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elementsOf, endOfValue, membersOf, scanObject, stringOf } from '../../src/jsonrpc/scan.ts';

const end = (text: string): number => endOfValue(Buffer.from(text), 0);

describe('endOfValue', () => {
  it('agrees with JSON.parse about every JSON value', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(end(text)).toBe(Buffer.byteLength(text));
      }),
    );
  });

  it('agrees with JSON.parse about texts with one character changed', () => {
    const characters = Array.from('{}[]",:\\ 01-+.eEtfn\n\u0000u');
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom(...characters), (text, at, character) => {
        const bytes = Buffer.from(text);
        bytes[at % bytes.length] = character.charCodeAt(0);
        const changed = bytes.toString('utf8');
        let isValid = true;
        try {
          JSON.parse(changed);
        } catch {
          isValid = false;
        }
        const trimmed = Buffer.from(changed.trim());
        expect(endOfValue(trimmed, 0) === trimmed.length).toBe(isValid);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    '',
    '{',
    '[1,]',
    '{"a":1,}',
    '01',
    '1.',
    '.5',
    '+1',
    '1e',
    '"\\x"',
    '"\\u12g4"',
    '"\t"',
    'nul',
    "{'a':1}",
    '{1:2}',
    '[1 2]',
  ])('refuses %j', (text) => {
    expect(end(text) === Buffer.byteLength(text) && text !== '').toBe(false);
  });

  it('refuses nesting that would break peers, at once', () => {
    expect(end(`${'['.repeat(1000)}1${']'.repeat(1000)}`)).toBe(2001);
    expect(end(`${'['.repeat(1001)}1${']'.repeat(1001)}`)).toBe(-1);
    expect(end('{"a":'.repeat(100_000))).toBe(-1);
  });
});

describe('scanObject', () => {
  it('lists members in order, duplicates and odd names included', () => {
    const bytes = Buffer.from('{ "a" : 1 , "__proto__":{"x":2}, "a":3, "\\u0062":null }');
    const members = scanObject(bytes, 0, () => false)!.members;
    expect(members.map(({ key, start, end: to }) => [key, bytes.toString('utf8', start, to)])).toEqual([
      ['a', '1'],
      ['__proto__', '{"x":2}'],
      ['a', '3'],
      ['b', 'null'],
    ]);
  });

  it('lists inner objects only where they are wanted', () => {
    const bytes = Buffer.from('{"params":{"_meta":{"k":1},"x":{"y":2}}}');
    const [params] = scanObject(bytes, 0, (key) => key === 'params' || key === '_meta')!.members;
    expect(params!.members!.map(({ key, members }) => [key, members?.map((each) => each.key)])).toEqual([
      ['_meta', ['k']],
      ['x', undefined],
    ]);
  });

  it('finds what JSON.parse finds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const found = membersOf(bytes, { start: 0, end: bytes.length });
        const entries = found.map(({ key, start, end: to }) => [
          key,
          JSON.parse(bytes.toString('utf8', start, to)),
        ]);
        expect(entries).toEqual(Object.entries(JSON.parse(bytes.toString())));
      }),
    );
  });
});

describe('elementsOf', () => {
  it('gives each element of a list', () => {
    const bytes = Buffer.from('[ 1 , "a,b" , [2,3], {} ]');
    const texts = elementsOf(bytes, { start: 0, end: bytes.length }).map((span) =>
      bytes.toString('utf8', span.start, span.end),
    );
    expect(texts).toEqual(['1', '"a,b"', '[2,3]', '{}']);
    expect(elementsOf(Buffer.from('[ ]'), { start: 0, end: 3 })).toEqual([]);
  });
});

describe('stringOf', () => {
  it('reads escapes, and keeps lone surrogates', () => {
    const bytes = Buffer.from('"a\\u00e9\\n\\ud83d"');
    expect(stringOf(bytes, { start: 0, end: bytes.length })).toBe('aé\n\ud83d');
  });
});
