import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../src/jsonrpc/line-splitter.ts';

function split(chunks: readonly Buffer[], maxBytes = 1_000_000): { lines: string[]; oversize: string[] } {
  const lines: string[] = [];
  const oversize: string[] = [];
  const splitter = new LineSplitter(maxBytes, {
    onLine: (line) => lines.push(Buffer.concat(line).toString('utf8')),
    onOversize: (start) => oversize.push(start.toString('utf8')),
  });
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return { lines, oversize };
}

describe('LineSplitter', () => {
  // Field bugs 20 and 21: characters cut by chunks, and line separators that end no line.
  it('gives the same lines wherever the stream is cut', () => {
    const source = Buffer.from('{"t":"é中🧪"}\n{"u":"a\u2028b\u2029c\u0085d"}\n\n  \r\n{"last":1}');
    const whole = split([source]).lines;
    expect(whole).toEqual(['{"t":"é中🧪"}', '{"u":"a\u2028b\u2029c\u0085d"}', '{"last":1}']);
    for (let at = 0; at <= source.length; at += 1)
      expect(split([source.subarray(0, at), source.subarray(at)]).lines).toEqual(whole);
    fc.assert(
      fc.property(fc.array(fc.nat(source.length)), (cuts) => {
        const points = [0, ...cuts.sort((a, b) => a - b), source.length];
        const chunks = points.slice(1).map((to, index) => source.subarray(points[index], to));
        expect(split(chunks).lines).toEqual(whole);
      }),
    );
  });

  it('throws an oversize line away, says so once, and goes on behind it', () => {
    const long = 'x'.repeat(50);
    const chunks = ['a\n', long, long, '\nb\n'].map((text) => Buffer.from(text));
    expect(split(chunks, 20)).toEqual({ lines: ['a', 'b'], oversize: [long] });
  });

  it('holds no more than the limit of a line without an end', () => {
    const splitter = new LineSplitter(1024, { onLine: () => undefined, onOversize: () => undefined });
    const chunk = Buffer.alloc(64 * 1024, 'A');
    for (let count = 0; count < 3200; count += 1) splitter.push(chunk);
    const held = (splitter as unknown as { parts: Buffer[] }).parts;
    expect(held).toEqual([]);
  });
});
