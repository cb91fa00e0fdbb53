import { describe, expect, it } from 'vitest';
import { parseFrame } from '../../src/jsonrpc/frame.ts';
import { toQuestion } from '../../src/session/open-questions.ts';

describe('toQuestion', () => {
  it('keeps nothing of what was read together with the question', () => {
    const text = '{"jsonrpc":"2.0","id":"q","method":"roots/list"}';
    const read = Buffer.concat([Buffer.from(`${text}\n`), Buffer.alloc(60_000)]);
    const parsed = parseFrame(read.subarray(0, text.length));
    if (!parsed.ok) throw new Error('not parsed');
    const question = toQuestion('roots', { key: '"q', text: read.subarray(22, 25) }, parsed.frame);
    read.fill('x');
    expect(question.frame.bytes.toString()).toBe(text);
    expect(question.id).toEqual({ key: '"q', text: Buffer.from('"q"') });
    expect([question.frame.bytes, question.id.text].map(({ buffer }) => buffer.byteLength)).toEqual([
      text.length,
      text.length,
    ]);
  });
});
