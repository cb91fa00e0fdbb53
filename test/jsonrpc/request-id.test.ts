import { describe, expect, it } from 'vitest';
import { parseRequestId } from '../../src/jsonrpc/request-id.ts';

const parse = (text: string) => parseRequestId(Buffer.from(text), { start: 0, end: Buffer.byteLength(text) });

describe('parseRequestId', () => {
  // Field bugs 46 and 48: type and digits come back as they came.
  it.each([
    '0',
    '1',
    '-1',
    '"1"',
    '""',
    '"init-1"',
    '"0x10"',
    '"é"',
    `"${'x'.repeat(300)}"`,
    '9007199254740991',
    '9007199254740993',
  ])('keeps the text of %s', (text) => {
    expect(parse(text)?.text.toString()).toBe(text);
  });

  it('tells a number from the string of it, and sees one string behind two spellings', () => {
    expect(parse('1')?.key).not.toBe(parse('"1"')?.key);
    expect(parse('"a"')?.key).toBe(parse('"\\u0061"')?.key);
    expect(parse('-0')?.key).toBe(parse('0')?.key);
    expect(parse('9007199254740992')?.key).not.toBe(parse('9007199254740993')?.key);
  });

  it.each(['null', 'true', '1.5', '1.0', '1e3', '{}', '[]'])('refuses %s', (text) => {
    expect(parse(text)).toBeUndefined();
  });
});
