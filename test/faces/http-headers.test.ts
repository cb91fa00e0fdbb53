import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HttpHarness } from '../support/http-harness.ts';

let harness: HttpHarness;

const string = (header: string) => ({ type: 'string', 'x-mcp-header': header });
const inputSchema = {
  type: 'object',
  properties: {
    region: string('Region'),
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    sure: { type: 'boolean', 'x-mcp-header': 'Sure' },
    where: { type: 'object', properties: { zone: string('Zone') } },
  },
};

beforeEach(async () => {
  harness = await new HttpHarness(
    {
      on: (message, server) => {
        if (message.method === 'tools/list')
          server.answer(
            message,
            message.params.cursor === 'p2'
              ? { tools: [{ name: 'annotated', inputSchema }] }
              : { tools: [], nextCursor: 'p2' },
          );
        else if (message.method === 'tools/call') server.text(message, 'ok');
        else if (message.method === 'resources/read') server.answer(message, { contents: [] });
        else return false;
        return true;
      },
    },
    {},
    {},
  ).start();
  await harness.post('server/discover');
});

afterEach(() => harness.stop());

const mismatch = { status: 400, answer: { error: { code: -32020, data: { reason: 'header_mismatch' } } } };
const base64 = (value: string): string => `=?base64?${Buffer.from(value).toString('base64')}?=`;

describe('standard headers', () => {
  // Rule 1.4; field bug 83.
  it.each([
    ['no version', { 'MCP-Protocol-Version': undefined }],
    ['another version', { 'MCP-Protocol-Version': '2025-11-25' }],
    ['no method', { 'Mcp-Method': undefined }],
    ['another method', { 'Mcp-Method': 'tools/list' }],
    ['the method in another case', { 'Mcp-Method': 'Tools/Call' }],
    ['no name', { 'Mcp-Name': undefined }],
    ['another name', { 'Mcp-Name': 'b' }],
    ['two names', { 'Mcp-Name': ['a', 'a'] }],
    ['a name that is not ASCII', { 'Mcp-Name': 'caf\u00e9' }],
    ['a name in bad Base64', { 'Mcp-Name': '=?base64?YQ?=' }],
    [
      'a name in Base64 that is not UTF-8',
      { 'Mcp-Name': `=?base64?${Buffer.from([0xff]).toString('base64')}?=` },
    ],
  ])('are refused with %s, and nothing is forwarded', async (_, headers) => {
    expect(await harness.post('tools/call', { name: 'a' }, { headers })).toMatchObject(mismatch);
    expect(harness.upstream.servers.flatMap((server) => server.rawReceived).join('')).not.toContain(
      'tools/call',
    );
  });

  it.each([
    ['white space around', 'a', '  a '],
    ['Base64', 'caf\u00e9', base64('caf\u00e9')],
    ['Base64 of what looks like Base64', '=?base64?YQ==?=', base64('=?base64?YQ==?=')],
    ['Base64 of a name with a line break', 'a\r\nX: y', base64('a\r\nX: y')],
  ])('are taken with %s', async (_, name, header) => {
    const reply = await harness.post('tools/call', { name }, { headers: { 'Mcp-Name': header } });
    expect(reply.answer.result.content[0].text).toBe('ok');
  });

  it('are looked at under any case, and a name is needed only where the method has one', async () => {
    const headers = { 'Mcp-Method': undefined, 'mCP-mETHOD': 'resources/read', 'Mcp-Name': 'a://b' };
    expect((await harness.post('resources/read', { uri: 'a://b' }, { headers })).status).toBe(200);
    expect((await harness.post('server/discover', {}, { headers: { 'Mcp-Name': 'whatever' } })).status).toBe(
      200,
    );
  });

  it('come before the version: an unknown one that both name is -32022', async () => {
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
    expect(await harness.post('server/discover', {}, { meta })).toMatchObject(mismatch);
    const headers = { 'MCP-Protocol-Version': '2099-01-01' };
    expect(await harness.post('server/discover', {}, { meta, headers })).toMatchObject({
      status: 400,
      answer: { error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2099-01-01' } } },
    });
  });
});

describe('parameter headers', () => {
  const call = (args: object | undefined, headers: Record<string, string>) =>
    harness.post('tools/call', { name: 'annotated', arguments: args }, { headers });

  // Rule 1.5.
  it.each([
    [
      'all repeated',
      { region: 'eu', count: 42, sure: false, where: { zone: 'a' } },
      {
        'Mcp-Param-Region': 'eu',
        'Mcp-Param-Count': '42.0',
        'mcp-param-SURE': 'false',
        'Mcp-Param-Zone': base64('a'),
      },
    ],
    ['absent on both sides', {}, {}],
    ['no arguments at all', undefined, {}],
    ['null, which is absent', { region: null }, {}],
    ['an unknown parameter header', {}, { 'Mcp-Param-Other': 'x' }],
  ])('are taken: %s', async (_, args, headers) => {
    expect((await call(args, headers)).answer.result.content[0].text).toBe('ok');
  });

  it.each([
    ['missing', { region: 'eu' }, {}],
    ['different', { region: 'eu' }, { 'Mcp-Param-Region': 'us' }],
    ['repeating nothing', {}, { 'Mcp-Param-Region': 'eu' }],
    ['repeating null', { region: null }, { 'Mcp-Param-Region': 'null' }],
    ['another number', { count: 42 }, { 'Mcp-Param-Count': '43' }],
    ['no number', { count: 0 }, { 'Mcp-Param-Count': '' }],
    ['another case', { sure: true }, { 'Mcp-Param-Sure': 'True' }],
    ['an object for a string', { region: {} }, { 'Mcp-Param-Region': '[object Object]' }],
    ['a nested one missing', { where: { zone: 'a' } }, {}],
  ])('are refused: %s', async (_, args, headers) => {
    expect(await call(args, headers)).toMatchObject(mismatch);
    expect(harness.upstream.server.count('tools/call')).toBe(0);
  });

  it('are known after one look at the tools, and looked up anew when those have changed', async () => {
    await call({}, {});
    await call({}, {});
    expect(harness.upstream.server.count('tools/list')).toBe(2);
    harness.upstream.server.say({ method: 'notifications/tools/list_changed' });
    await call({}, {});
    expect(harness.upstream.server.count('tools/list')).toBe(4);
  });

  it('are known on the next session when one goes as it is asked for its tools', async () => {
    const first = harness.upstream.server;
    first.forget();
    const call = { name: 'annotated', arguments: { region: 'eu' } };
    expect(await harness.post('tools/call', call)).toMatchObject(mismatch);
    expect(harness.upstream.servers).toHaveLength(2);
    expect(await harness.post('tools/call', call, { headers: { 'Mcp-Param-Region': 'eu' } })).toMatchObject({
      status: 200,
    });
  });
});
