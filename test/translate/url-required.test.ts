import { describe, expect, it } from 'vitest';
import { parseFrame, type Frame } from '../../src/jsonrpc/frame.ts';
import { toUrlElicitations } from '../../src/translate/url-required.ts';

function frame(error: unknown): Frame {
  const parsed = parseFrame(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, error })));
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.frame;
}
const one = { mode: 'url', elicitationId: 'e', url: 'https://a.test/?x=1', message: 'Open it', more: [1] };
const withElicitations = (elicitations: unknown, code: unknown = -32042): Frame =>
  frame({ code, message: 'm', data: { elicitations, other: 1 } });

describe('the error that wants a URL opened', () => {
  it('is a question in URL mode for each', () => {
    const questions = toUrlElicitations(withElicitations([one, { ...one, mode: 'form' }]))!;
    expect(questions.map(({ bytes }) => JSON.parse(bytes.toString()))).toEqual([
      { jsonrpc: '2.0', method: 'elicitation/create', params: one },
      { jsonrpc: '2.0', method: 'elicitation/create', params: one },
    ]);
  });

  it.each([
    ['another code', withElicitations([one], -32043)],
    ['a code that is a string', withElicitations([one], '-32042')],
    ['no data', frame({ code: -32042, message: 'm' })],
    ['data that is a list', frame({ code: -32042, message: 'm', data: [one] })],
    ['no elicitations', withElicitations([])],
    ['elicitations that are an object', withElicitations(one)],
    ['one without a URL', withElicitations([one, { ...one, url: undefined }])],
    ['one whose message is a number', withElicitations([{ ...one, message: 5 }])],
    ['one that is a string', withElicitations(['https://a.test'])],
  ])('is none with %s', (_, error) => {
    expect(toUrlElicitations(error)).toBeUndefined();
  });
});
