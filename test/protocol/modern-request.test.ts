import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../src/errors.ts';
import { findMethod } from '../../src/protocol/methods.ts';
import { capabilitiesOf, checkParams, parseClientMessage } from '../../src/protocol/modern-request.ts';
import { frameOf, requestOf, requestWith } from '../support/frames.ts';
import { metadata } from '../support/harness.ts';

function fault(run: () => unknown): { code: number; reason: string; status: number } {
  try {
    run();
  } catch (error) {
    if (error instanceof BridgeError) return { code: error.code, reason: error.reason, status: error.status };
  }
  throw new Error('nothing was refused');
}

const envelope = (text: string) => fault(() => parseClientMessage(frameOf(text)));
const body = (params: unknown) =>
  fault(() => requestOf(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params })));

describe('parseClientMessage', () => {
  // Rule 1.1; field bugs 49, 55 and 59.
  it.each([
    '{"id":1,"method":"a"}',
    '{"jsonrpc":"1.0","id":1,"method":"a"}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","id":1,"method":123}',
    '{"jsonrpc":"2.0","id":null,"method":"a"}',
    '{"jsonrpc":"2.0","id":1.5,"method":"a"}',
    '{"jsonrpc":"2.0","id":true,"method":"a"}',
    '{"jsonrpc":"2.0","id":{},"method":"a"}',
    '{"jsonrpc":"2.0","id":[],"method":"a"}',
    '{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}',
  ])('refuses %s', (text) => {
    expect(envelope(text)).toEqual({ code: -32600, reason: 'invalid_request', status: 400 });
  });

  it('takes a message without an id as a notification, and an id of null as a fault', () => {
    expect(parseClientMessage(frameOf('{"jsonrpc":"2.0","method":"a"}')).kind).toBe('notification');
  });
});

describe('parseModernRequest', () => {
  // Rules 1.2 and 1.7; field bug 85.
  it.each([
    ['no params', undefined],
    ['params of another type', 'oops'],
    ['no _meta', {}],
    ['_meta of another type', { _meta: 5 }],
    ['no version', { _meta: { ...metadata(), 'io.modelcontextprotocol/protocolVersion': undefined } }],
    [
      'a version that is a number',
      { _meta: { ...metadata(), 'io.modelcontextprotocol/protocolVersion': 20260728 } },
    ],
    [
      'no capabilities',
      { _meta: { ...metadata(), 'io.modelcontextprotocol/clientCapabilities': undefined } },
    ],
    [
      'capabilities of another type',
      { _meta: { ...metadata(), 'io.modelcontextprotocol/clientCapabilities': [] } },
    ],
    ['an unknown log level', { _meta: { ...metadata(), 'io.modelcontextprotocol/logLevel': 'loud' } }],
    ['a progress token that is a fraction', { _meta: { ...metadata(), progressToken: 1.5 } }],
    ['inputResponses that are null', { inputResponses: null, _meta: metadata() }],
    ['inputResponses that are a list', { inputResponses: [], _meta: metadata() }],
    ['a requestState that is a number', { requestState: 1, _meta: metadata() }],
  ])('refuses %s', (_, params) => {
    expect(body(params)).toMatchObject({ code: -32602, status: 400 });
  });

  it('refuses a member of params or _meta that appears twice, as readers would disagree', () => {
    const meta = JSON.stringify(metadata());
    const twice = (params: string): string =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    expect(fault(() => requestOf(twice(`{"name":"a","name":"b","_meta":${meta}}`)))).toMatchObject({
      code: -32602,
    });
    expect(fault(() => requestOf(twice(`{"_meta":${meta.slice(0, -1)},"x":1,"x":2}}`)))).toMatchObject({
      code: -32602,
    });
  });

  it('takes a request without clientInfo, and arguments with any names', () => {
    const request = requestWith('tools/call', '"name":"a","arguments":{"__proto__":{"x":1},"x":1,"x":2}');
    expect(capabilitiesOf(request)).toMatchObject({ roots: {} });
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});

describe('checkParams', () => {
  it.each([
    ['tools/call', '"arguments":{}'],
    ['tools/call', '"name":{}'],
    ['tools/call', '"name":"a","arguments":5'],
    ['tools/call', '"name":"a","arguments":null'],
    ['resources/read', ''],
    ['prompts/get', '"name":"a","arguments":[]'],
    ['tools/list', '"cursor":7'],
    ['completion/complete', '"ref":{}'],
    ['subscriptions/listen', '"notifications":true'],
  ])('refuses %s with {%s}', (method, params) => {
    const request = requestWith(method, params);
    expect(
      fault(() => {
        checkParams(request, findMethod(method, [])!);
      }),
    ).toEqual({ code: -32602, reason: 'invalid_params', status: 400 });
  });
});
