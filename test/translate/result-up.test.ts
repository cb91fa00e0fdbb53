import { describe, expect, it } from 'vitest';
import { resultShape } from '../../src/translate/shapes.ts';
import { toModernResult } from '../../src/translate/result-up.ts';
import { frameOf, textOf } from '../support/frames.ts';

const serverInfo = Buffer.from('{"name":"s","version":"1"}');
const signed = '"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}';

function up(method: string, result: string, hints?: { ttlMs: number; cacheScope: 'private' }): string {
  const frame = frameOf(`{"jsonrpc":"2.0","id":1,"result":${result}}`);
  const kind = method.endsWith('/list') ? 'list' : 'ask';
  return textOf(toModernResult(frame, { serverInfo, hints, shape: resultShape(method, kind) }));
}

describe('toModernResult', () => {
  // Rule 3; field bugs 121 and 122.
  it('marks and signs, and passes the rest as text', () => {
    const content = '[{"type":"text","text":"\\u00e9\\/","x-unknown":{"a":1.0}}]';
    const rest = `"content": ${content},"structuredContent":{"n":null,"big":12345678901234567890},"isError":true,"x":[1 , 2]`;
    expect(up('tools/call', `{${rest}}`)).toBe(`{"resultType":"complete",${signed},${rest}}`);
  });

  it('puts the signature into a _meta that is there, and cache hints where the method has them', () => {
    expect(up('tools/list', '{"tools":[],"_meta":{"k":1}}', { ttlMs: 60_000, cacheScope: 'private' })).toBe(
      '{"resultType":"complete","ttlMs":60000,"cacheScope":"private","tools":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"},"k":1}}',
    );
  });

  it("drops a legacy server's own resultType, serverInfo and hints", () => {
    const own =
      '"resultType":"x","ttlMs":-5,"cacheScope":"all","_meta":{"io.modelcontextprotocol/serverInfo":1}';
    expect(up('resources/read', `{${own},"contents":[]}`, { ttlMs: 0, cacheScope: 'private' })).toBe(
      `{"resultType":"complete","ttlMs":0,"cacheScope":"private",${signed},"contents":[]}`,
    );
  });

  // Field bug 57.
  it('leaves null out where it stands for a missing member, and keeps it where it is data', () => {
    expect(
      JSON.parse(
        up(
          'tools/list',
          '{"nextCursor":null,"_meta":null,"tools":[{"name":"a","description": null,"annotations":{"title":null},"inputSchema":{"default":null},"execution":{"taskSupport":"required"}}]}',
        ),
      ),
    ).toEqual({
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 's', version: '1' } },
      tools: [{ name: 'a', annotations: {}, inputSchema: { default: null } }],
    });
    const call =
      '{"content":[{"type":"text","text":"null: null","annotations":null,"_meta":{"a":null}}],"structuredContent":null,"isError":null}';
    expect(JSON.parse(up('tools/call', call))).toMatchObject({
      content: [{ type: 'text', text: 'null: null', _meta: { a: null } }],
      structuredContent: null,
    });
    expect(JSON.parse(up('tools/call', call))).not.toHaveProperty('isError');
  });

  it('keeps lists that are no lists, and entries that are no objects', () => {
    expect(up('tools/list', '{"tools":null,"x":{"a":null}}')).toBe(
      `{"resultType":"complete",${signed},"x":{"a":null}}`,
    );
    expect(up('tools/list', '{"tools":[1,null,{"description":null}]}')).toContain('"tools":[1,null,{}]');
  });

  // Field bug 53.
  it.each([
    '{"result":null}',
    '{"result":[]}',
    '{"result":"x"}',
    '{}',
    '{"result":{},"error":{"code":1,"message":"x"}}',
  ])('finds no readable result in %s', (text) => {
    expect(toModernResult(frameOf(text), { serverInfo, hints: undefined, shape: undefined })).toBeUndefined();
  });
});
