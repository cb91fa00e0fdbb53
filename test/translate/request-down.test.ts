import { describe, expect, it } from 'vitest';
import { toLegacyRequest } from '../../src/translate/request-down.ts';
import { requestWith, textOf } from '../support/frames.ts';

describe('toLegacyRequest', () => {
  // Rule 2; field bugs 9 and 121.
  it('takes the modern era out and leaves every other byte', () => {
    const request = requestWith(
      'tools/call',
      '"name":"a", "arguments": {"big":9007199254740993,"x":1.0,"e":"\\u00e9","d":1,"d":2}, "acme":[1 ,2],"inputResponses":{},"requestState":"s"',
      {
        traceparent: '00-1',
        'acme/k': { y: 1 },
        'io.modelcontextprotocol/logLevel': 'debug',
        progressToken: 'mine',
      },
    );
    expect(textOf(toLegacyRequest(request, 7, 7))).toBe(
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a", "arguments": {"big":9007199254740993,"x":1.0,"e":"\\u00e9","d":1,"d":2}, "acme":[1 ,2],"_meta":{"progressToken":7,"traceparent":"00-1","acme/k":{"y":1}}}}',
    );
  });

  it('drops a _meta in which nothing is left', () => {
    expect(textOf(toLegacyRequest(requestWith('tools/list', '"cursor":"\\u0061"'), 1, undefined))).toBe(
      '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"\\u0061"}}',
    );
    expect(textOf(toLegacyRequest(requestWith('tools/list'), 1, undefined))).toContain('"params":{}');
  });
});
