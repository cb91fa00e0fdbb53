import { describe, expect, it } from 'vitest';
import type { InputKind } from '../../src/protocol/input-kinds.ts';
import type { LegacyVersion } from '../../src/protocol/versions.ts';
import { toInputRequest } from '../../src/translate/input-request.ts';
import { toLegacyAnswer } from '../../src/translate/input-response.ts';
import { frameOf, textOf } from '../support/frames.ts';

const methods = {
  elicitation: 'elicitation/create',
  sampling: 'sampling/createMessage',
  roots: 'roots/list',
};
const ask = (kind: InputKind, params?: string) =>
  toInputRequest(
    frameOf(
      `{"jsonrpc":"2.0","id":9,"method":"${methods[kind]}"${params === undefined ? '' : `,"params":${params}`}}`,
    ),
    kind,
  );

function answer(kind: InputKind, value: string, version: LegacyVersion = '2025-11-25'): string | undefined {
  const bytes = Buffer.from(value);
  const chunks = toLegacyAnswer(bytes, { start: 0, end: bytes.length }, kind, version);
  return chunks && textOf(chunks);
}

describe('toInputRequest', () => {
  // Rule 4.5: keys.
  it('names a question by its own key, its only property, or its kind', () => {
    const form = (properties: string, more = '') =>
      `{"message":"m","requestedSchema":{"type":"object","properties":${properties}}${more}}`;
    expect(ask('elicitation', form('{"user_name":{}}'))?.key).toBe('user_name');
    expect(ask('elicitation', form('{"a":{},"b":{}}'))?.key).toBe('elicitation');
    expect(ask('elicitation', form('{"a":{}}', ',"_meta":{"mcp-bridge/inputKey":"mine"}'))?.key).toBe('mine');
    expect(ask('sampling', '{"messages":[],"maxTokens":1}')?.key).toBe('sampling');
    expect(ask('roots')?.key).toBe('roots');
  });

  it('keeps the params and takes out what only the legacy side has', () => {
    const params =
      '{"mode":"url","message":"\\u00e9","url":"https://x","elicitationId":"e","task":{"ttl":1},"_meta":{"progressToken":1,"mcp-bridge/inputKey":"k","io.modelcontextprotocol/related-task":{"taskId":"t"},"acme/x":1.0}}';
    expect(textOf(ask('elicitation', params)?.body)).toBe(
      '{"method":"elicitation/create","params":{"mode":"url","message":"\\u00e9","url":"https://x","_meta":{"acme/x":1.0}}}',
    );
    expect(textOf(ask('roots', '{"_meta":{"progressToken":1}}')?.body)).toBe(
      '{"method":"roots/list","params":{}}',
    );
  });

  it('says what the client must have declared', () => {
    expect(ask('elicitation', '{"mode":"url"}')?.needs).toEqual({ elicitation: { url: {} } });
    expect(ask('elicitation', '{}')?.needs).toEqual({ elicitation: { form: {} } });
    expect(ask('sampling', '{"tools":[]}')?.needs).toEqual({ sampling: { tools: {} } });
    expect(ask('sampling', '{}')?.needs).toEqual({ sampling: {} });
  });

  it('is nothing when the params are no object', () => {
    expect(ask('elicitation')).toBeUndefined();
    expect(ask('sampling', '[]')).toBeUndefined();
  });
});

describe('toLegacyAnswer', () => {
  // Rule 4.6; field bugs 100 and 101.
  it('passes good answers as text, without what is modern alone', () => {
    expect(
      answer(
        'elicitation',
        '{"action":"accept","content":{"n":1.0,"s":"\\u00e9","b":true,"l":["x"]},"resultType":"complete"}',
      ),
    ).toBe('{"action":"accept","content":{"n":1.0,"s":"\\u00e9","b":true,"l":["x"]}}');
    expect(answer('elicitation', '{"action":"accept"}')).toBe('{"action":"accept"}');
    expect(answer('roots', '{"roots":[{"uri":"file:///a","name":"A"}]}')).toBe(
      '{"roots":[{"uri":"file:///a","name":"A"}]}',
    );
  });

  it('gives a refusal without what was filled in', () => {
    expect(answer('elicitation', '{"action":"decline","content":{"a":1}}')).toBe('{"action":"decline"}');
    expect(answer('elicitation', '{"action":"cancel","content":null}')).toBe('{"action":"cancel"}');
  });

  it('unwraps the one block of a sampling answer for servers that know no lists', () => {
    const value = '{"role":"assistant","content":[{"type":"text","text":"x"}],"model":"m"}';
    expect(answer('sampling', value)).toBe(value);
    expect(answer('sampling', value, '2025-06-18')).toBe(
      '{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}',
    );
  });

  it.each([
    ['elicitation', '5'],
    ['elicitation', '{}'],
    ['elicitation', '{"action":"yes"}'],
    ['elicitation', '{"action":"accept","content":[]}'],
    ['elicitation', '{"action":"accept","content":{"a":{}}}'],
    ['elicitation', '{"action":"accept","content":{"a":null}}'],
    ['elicitation', '{"action":"accept","content":{"a":[1]}}'],
    ['sampling', '{"error":{"code":-1,"message":"no"}}'],
    ['sampling', '{"role":"assistant","content":"x","model":"m"}'],
    ['sampling', '{"role":"system","content":{},"model":"m"}'],
    ['sampling', '{"role":"user","content":{}}'],
    ['roots', '{"roots":{}}'],
    ['roots', '{"roots":[{"name":"x"}]}'],
  ] as const)('takes no %s answer like %s', (kind, value) => {
    expect(answer(kind, value)).toBeUndefined();
  });
});
