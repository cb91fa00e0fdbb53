import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  join,
  methodOf,
  parseFrame,
  parsePieces,
  partOf,
  slice,
  sourceOf,
  wholeOf,
  type ParsedFrame,
} from '../../src/jsonrpc/frame.ts';
import { idOf } from '../../src/jsonrpc/request-id.ts';
import type { Member } from '../../src/jsonrpc/scan.ts';

/** Cuts a text into pieces at these places of its bytes. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const edges = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return edges
    .slice(1)
    .map((to, index) => Buffer.from(bytes.subarray(edges[index], to)))
    .filter((piece) => piece.length > 0);
}

const spansOf = (members: readonly Member[]): readonly Member[] =>
  members.flatMap((member) => [member, ...spansOf(member.members ?? [])]);

function expectAlike(bytes: Buffer, pieces: readonly Buffer[]): ParsedFrame {
  const whole = parseFrame(Buffer.from(bytes));
  const parsed = parsePieces(pieces, 0);
  expect(parsed.ok ? 'ok' : parsed.reason).toBe(whole.ok ? 'ok' : whole.reason);
  if (!parsed.ok || !whole.ok) return parsed;
  const { frame } = parsed;
  expect(frame.members).toEqual(whole.frame.members);
  expect(join(wholeOf(frame)).equals(whole.frame.bytes)).toBe(true);
  for (const span of spansOf(frame.members)) {
    const part = slice(whole.frame.bytes, span);
    expect(partOf(frame, span).equals(part)).toBe(true);
    const source = sourceOf(frame);
    if (!Buffer.isBuffer(source)) expect(join(source.chunks(span.start, span.end)).equals(part)).toBe(true);
  }
  expect(idOf(frame)).toEqual(idOf(whole.frame));
  expect(methodOf(frame)).toBe(methodOf(whole.frame));
  expect(frame.bytes.equals(whole.frame.bytes)).toBe(true);
  return parsed;
}

const long = fc
  .tuple(
    fc.string({ unit: fc.constantFrom('a', 'é', '中', '🧪', '\\n', '\\"', '\\\\', '\\u00e9', ' ', ':') }),
    fc.nat(3000),
  )
  .map(([word, length]) => word + 'x'.repeat(length) + word.repeat(word.length === 0 ? 0 : 300));

describe('a long frame', () => {
  it('says the same in pieces as in one', () => {
    const text = fc
      .tuple(long, long, fc.constantFrom('"a":null,', '\r "execution" : {} ,', ''))
      .map(
        ([one, two, member]) =>
          `{"jsonrpc":"2.0","id":"7\\u0037", "result":{${member}"content":[{"text":"${one}"}],"_meta":{"a":"${two}"},"${two.slice(0, 1500)}":1}}`,
      );
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 12 }), (json, places) => {
        const bytes = Buffer.from(json);
        expectAlike(bytes, cut(bytes, places));
      }),
    );
  });

  it('is no JSON where the same text in one piece is none', () => {
    const harm = fc.constantFrom('"', '\\', '\u0007', '\\u12x4', '{', ',', '\\x');
    fc.assert(
      fc.property(long, harm, fc.nat(), fc.array(fc.nat(), { maxLength: 6 }), (string, bad, at, places) => {
        const json = `{"id":1,"result":{"text":"${string}"}}`;
        const place = at % json.length;
        const bytes = Buffer.from(json.slice(0, place) + bad + json.slice(place));
        expectAlike(bytes, cut(bytes, places));
      }),
    );
  });

  it('is no JSON where characters are broken, wherever the pieces end', () => {
    const good = Buffer.from(`{"id":1,"result":"${'é中🧪'.repeat(600)}"}`);
    for (let at = 0; at < 60; at += 1) {
      expectAlike(good, cut(good, [1000 + at, 1001 + at]));
      const bad = Buffer.concat([good.subarray(0, 1000 + at), good.subarray(1001 + at)]);
      expectAlike(bad, cut(bad, [999 + at, 1000 + at, 1001 + at]));
      expectAlike(bad, cut(bad, [20]));
    }
  });

  it('has whole escapes, wherever the pieces end', () => {
    for (const [begun, rest] of [
      ['\\', 'n'],
      ['\\', 'u0041'],
      ['\\u00', '41'],
      ['\\', 'z'],
      ['\\u00', 'zz'],
      ['\\u', '0z'],
    ] as const)
      // Without what is left out between them, the last piece would make the escape whole.
      for (const last of ['', 'n', '41', '0041']) {
        const pieces = [`{"result":"x${begun}`, rest + 'x'.repeat(2000), `${last}"}`];
        expectAlike(
          Buffer.from(pieces.join('')),
          pieces.map((piece) => Buffer.from(piece)),
        );
      }
  });

  it('is not put together for what is read of an answer', () => {
    const bytes = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":{"content":"${'x'.repeat(5000)}"}}`);
    const parsed = parsePieces(cut(bytes, [100, 3000]), 0);
    if (!parsed.ok || parsed.frame.long === undefined) throw new Error('not a long frame');
    const { frame } = parsed;
    Object.defineProperty(frame.long, 'bytes', {
      get: () => {
        throw new Error('put together');
      },
    });
    expect(idOf(frame)?.key).toBe('1');
    expect(methodOf(frame)).toBeUndefined();
    expect(frame.long?.outline.length).toBeLessThan(200);
  });
});
