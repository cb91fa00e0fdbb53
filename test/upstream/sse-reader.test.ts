// Event streams as bytes, wherever they are cut.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseReader } from '../../src/upstream/sse-reader.ts';

interface Read {
  readonly events: [type: string, data: string][];
  readonly oversized: string[];
  readonly lastEventId: string | undefined;
  readonly retryMs: number | undefined;
}

function read(text: string | Buffer, cuts: readonly number[] = [], maxBytes = 10_000): Read {
  const events: [string, string][] = [];
  const oversized: string[] = [];
  const reader = new SseReader(maxBytes, {
    onEvent: (type, data) => events.push([type, data.toString('utf8')]),
    onOversize: (start) => oversized.push(start.toString('utf8')),
  });
  const bytes = Buffer.from(text);
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let start = 0;
  for (const end of [...ends, bytes.length]) {
    reader.push(Buffer.from(bytes.subarray(start, end)));
    start = end;
  }
  const { lastEventId, retryMs } = reader;
  return { events, oversized, lastEventId, retryMs };
}

describe('SseReader', () => {
  it.each<[string, [string, string][]]>([
    ['data: a\n\n', [['message', 'a']]],
    ['data:a\r\n\r\n', [['message', 'a']]],
    ['data: a\r\r', [['message', 'a']]],
    ['data:  a \n\n', [['message', ' a ']]],
    ['data: a\ndata: b\n\n', [['message', 'a\nb']]],
    [
      'event: x\ndata: a\n\ndata: b\n\n',
      [
        ['x', 'a'],
        ['message', 'b'],
      ],
    ],
    [': comment\n\n:\n\ndata: a\n\n', [['message', 'a']]],
    ['data\n\n', []],
    ['data:\n\n', []],
    ['data: a\n', []],
    ['\ufeffdata: a\n\n', [['message', 'a']]],
    ['unknown: x\ndata: a\n\n', [['message', 'a']]],
    ['data: a\u2028b\u0085c\u000bd\n\n', [['message', 'a\u2028b\u0085c\u000bd']]],
  ])('reads %j', (text, events) => {
    expect(read(text).events).toEqual(events);
  });

  it('keeps the last id, also of an event without data, and only one that a header can carry', () => {
    expect(read('id: 1\ndata: a\n\n').lastEventId).toBe('1');
    expect(read('id: 1\ndata:\n\n').lastEventId).toBe('1');
    expect(read('id: 1\ndata: a\n\ndata: b\n\n').lastEventId).toBe('1');
    expect(read('id: 1\ndata: a\n\nid\ndata: b\n\n').lastEventId).toBe('');
    expect(read('id: 1\ndata: a\n').lastEventId).toBeUndefined();
    expect(read('id: a\u0000b\ndata: a\n\n').lastEventId).toBeUndefined();
    expect(read(`id: ${'x'.repeat(2000)}\ndata: a\n\n`).lastEventId).toBeUndefined();
    expect(Buffer.from(read('id: é\ndata: a\n\n').lastEventId!, 'latin1').toString('utf8')).toBe('é');
  });

  it('takes a retry of digits alone', () => {
    expect(read('retry: 500\n\n').retryMs).toBe(500);
    for (const value of ['-1', '1.5', 'x', '', '99999999999'])
      expect(read(`retry: ${value}\n\n`).retryMs).toBeUndefined();
  });

  it('throws an event over the limit away, says so once, and reads on behind it', () => {
    const big = 'x'.repeat(500);
    const result = read(`data: ${big}\ndata: ${big}\nid: 9\n\ndata: good\n\n`, [100, 600, 900], 300);
    expect(result.events).toEqual([['message', 'good']]);
    expect(result.oversized).toHaveLength(1);
    expect(result.oversized[0]!.startsWith('data: xxx')).toBe(true);
  });

  it('holds no more than the limit of a line that never ends', () => {
    const result = read(
      'y'.repeat(100_000),
      Array.from({ length: 99 }, (_, index) => (index + 1) * 1000),
      3000,
    );
    expect(result).toMatchObject({ events: [], oversized: [expect.any(String)] });
  });

  it('reads the same wherever the stream is cut', () => {
    const piece = fc.constantFrom(
      'data: é🧪',
      'data: {"a":1}',
      'event: x',
      'id: 7',
      'retry: 12',
      ': c',
      '',
      '',
      'data',
    );
    const ending = fc.constantFrom('\n', '\r\n', '\r');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(piece, ending), { maxLength: 20 }),
        fc.array(fc.nat(400), { maxLength: 30 }),
        (lines, cuts) => {
          // A carriage return before a line feed of its own would be one ending, not two.
          const text = lines
            .map(([line, end]) => line + end)
            .join('')
            .replaceAll('\r\n', '\n');
          expect(read(text, cuts)).toEqual(read(text));
          expect(read(text.replaceAll('\n', '\r\n'), cuts).events).toEqual(
            read(text.replaceAll('\r', '\n')).events,
          );
        },
      ),
      { numRuns: 1000 },
    );
  });
});
