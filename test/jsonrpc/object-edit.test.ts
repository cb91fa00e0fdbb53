import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { join, text } from '../../src/jsonrpc/frame.ts';
import { editObject, entry, type Change } from '../../src/jsonrpc/object-edit.ts';
import { membersOf, type Member } from '../../src/jsonrpc/scan.ts';

function edit(source: string, front: [string, string][], change: (member: Member) => Change): string {
  const bytes = Buffer.from(source);
  const members = membersOf(bytes, { start: 0, end: bytes.length });
  const entries = front.map(([key, value]) => entry(key, [text(value)]));
  return join(editObject(bytes, members, entries, change)).toString();
}

describe('editObject', () => {
  it('keeps what stays byte by byte', () => {
    expect(edit('{"a": 1.0 , "b":{"c" :2},"d":"\\u00e9"}', [], () => 'keep')).toBe(
      '{"a": 1.0 , "b":{"c" :2},"d":"\\u00e9"}',
    );
  });

  it('drops, replaces and puts in front', () => {
    const change = (member: Member): Change =>
      member.key === 'b' ? 'drop' : member.key === 'c' ? [text('[9]')] : 'keep';
    expect(edit('{"a":1,"b":2,"c":3,"d":4}', [['z', '0']], change)).toBe('{"z":0,"a":1,"c":[9],"d":4}');
    expect(edit('{}', [['z', '0']], change)).toBe('{"z":0}');
    expect(edit('{"b":1}', [], change)).toBe('{}');
  });

  it('always makes the object that editing the value would make', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true });
    fc.assert(
      fc.property(object, fc.func(fc.constantFrom('keep', 'drop', 'replace')), (value, wish) => {
        const source = JSON.stringify(value);
        const edited = edit(source, [['front', 'true']], (member) => {
          const what = wish(member.key);
          return what === 'replace' ? [text('"new"')] : what;
        });
        const expected = Object.entries(JSON.parse(source))
          .filter(([key]) => wish(key) !== 'drop')
          .map(([key, each]) => [key, wish(key) === 'replace' ? 'new' : each]);
        const bytes = Buffer.from(edited);
        const entries = membersOf(bytes, { start: 0, end: bytes.length }).map(({ key, start, end }) => [
          key,
          JSON.parse(bytes.toString('utf8', start, end)),
        ]);
        expect(entries).toEqual([['front', true], ...expected]);
      }),
    );
  });
});
