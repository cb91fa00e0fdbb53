import { describe, expect, it } from 'vitest';
import { toModernError } from '../../src/translate/error-up.ts';
import { frameOf, textOf } from '../support/frames.ts';

const up = (error: string, uri?: string): string =>
  textOf(
    toModernError(
      frameOf(`{"jsonrpc":"2.0","id":1,"error":${error}}`),
      uri === undefined ? undefined : Buffer.from(uri),
    ),
  );

describe('toModernError', () => {
  it('passes code, message and data as text', () => {
    const error = '{"code":-32601, "message":"\\u00e9","data":{"n":1.0},"more":1}';
    expect(up(error)).toBe(error);
    for (const code of [-32602, -32603, -32000, -32001, -32019, 0, 42])
      expect(JSON.parse(up(`{"code":${code},"message":"m"}`)).code).toBe(code);
  });

  // Rule 3; field bug 127.
  it('says resource not found as the modern revision does, with the URI', () => {
    expect(JSON.parse(up('{"code":-32002,"message":"Resource not found"}', '"a://b"'))).toEqual({
      code: -32602,
      message: 'Resource not found',
      data: { uri: 'a://b' },
    });
    expect(
      JSON.parse(up('{"code":-32002,"message":"m","data":{"uri":"own","x":1}}', '"a://b"')).data,
    ).toEqual({ uri: 'own', x: 1 });
    expect(JSON.parse(up('{"code":-32002,"message":"m","data":"text"}', '"a://b"')).data).toEqual({
      uri: 'a://b',
      data: 'text',
    });
    expect(JSON.parse(up('{"code":-32002,"message":"not initialised"}'))).toEqual({
      code: -32602,
      message: 'not initialised',
    });
  });

  it.each([-32020, -32021, -32022, -32042, -32099])(
    'gives the reserved code %d another, and keeps it in data',
    (code) => {
      expect(JSON.parse(up(`{"code":${code},"message":"m","data":{"x":1}}`))).toEqual({
        code: -32603,
        message: 'm',
        data: { legacyCode: code, x: 1 },
      });
    },
  );

  it('reads odd errors', () => {
    expect(JSON.parse(up('"text"')).code).toBe(-32603);
    expect(JSON.parse(up('{"code":1.5,"message":"m"}'))).toMatchObject({
      code: -32603,
      data: { legacyCode: 1.5 },
    });
    expect(JSON.parse(up('{"code":"E1","message":"m"}'))).toMatchObject({
      code: -32603,
      data: { legacyCode: 'E1' },
    });
    expect(JSON.parse(up('{"message":"m"}'))).toMatchObject({ code: -32603, data: { legacyCode: null } });
    expect(JSON.parse(up('{"code":-32000}')).message).toBeTypeOf('string');
    expect(JSON.parse(up('{"code":-32000,"message":7,"data":null}'))).toMatchObject({
      code: -32000,
      data: null,
    });
  });
});
