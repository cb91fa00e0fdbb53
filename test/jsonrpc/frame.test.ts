import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compact } from '../../src/jsonrpc/compact.ts';
import { find, hasDuplicate, parseFrame, slice, stringMember } from '../../src/jsonrpc/frame.ts';

const parse = (text: string | Buffer) => parseFrame(Buffer.from(text as string));

describe('parseFrame', () => {
  it('keeps the text of what it does not have to read', () => {
    const text = '{"id":9007199254740993,"params":{"x":1.0,"y":"\\u00e9\\/","x":1e400}}';
    const parsed = parse(text);
    if (!parsed.ok) throw new Error('not parsed');
    expect(slice(parsed.frame.bytes, find(parsed.frame.members, 'params')!).toString()).toBe(
      '{"x":1.0,"y":"\\u00e9\\/","x":1e400}',
    );
  });

  it('takes BOM, CRLF and white space around', () => {
    expect(parse('\ufeff  {"a":1}\r').ok).toBe(true);
  });

  it('lets no line break through, so that no frame hides in a frame', () => {
    const parsed = parse('{\r\n"a":\n[1,\r2],"b":"\\n"}');
    if (!parsed.ok) throw new Error('not parsed');
    expect(parsed.frame.bytes.toString()).toBe('{  "a": [1, 2],"b":"\\n"}');
  });

  it.each([
    ['{', 'unparsable'],
    ['', 'unparsable'],
    ['npm warn old', 'unparsable'],
    ['[]', 'batch'],
    ['[{"jsonrpc":"2.0"}]', 'batch'],
    ['5', 'not an object'],
    ['"x"', 'not an object'],
    ['null', 'not an object'],
    ['{"a":1} {"b":2}', 'unparsable'],
    ['{"a":"\u0001"}', 'unparsable'],
  ])('says of %j what is wrong: %s', (text, reason) => {
    expect(parse(text)).toEqual({ ok: false, reason });
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(parse(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toEqual({
      ok: false,
      reason: 'unparsable',
    });
  });
});

describe('members', () => {
  it('reads duplicates as JSON parsers do, and tells of them', () => {
    const parsed = parse('{"method":"a","method":"b"}');
    if (!parsed.ok) throw new Error('not parsed');
    expect(stringMember(parsed.frame.bytes, parsed.frame.members, 'method')).toBe('b');
    expect(hasDuplicate(parsed.frame.members)).toBe(true);
  });
});

describe('compact', () => {
  it('takes the white space between tokens away and nothing else', () => {
    expect(compact(Buffer.from('{ "a b" : [ 1.0 , "\\" }" ] }')).toString()).toBe('{"a b":[1.0,"\\" }"]}');
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const pretty = Buffer.from(JSON.stringify(value, null, 3));
        expect(compact(pretty).toString()).toBe(JSON.stringify(value));
      }),
    );
  });
});
