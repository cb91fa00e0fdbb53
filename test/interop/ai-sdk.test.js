// A client of other make, modern by default: @ai-sdk/mcp, over both faces.
import { fileURLToPath } from 'node:url';
import { createMCPClient, ElicitationRequestSchema } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { describe, expect, it } from 'vitest';
import { faces, startHttp, stdioCommand } from './bridged.js';

const server = [process.execPath, fileURLToPath(new URL('../fixtures/features.js', import.meta.url))];

async function connectAi(face) {
  const capabilities = { elicitation: {} };
  if (face === 'stdio') {
    const client = await createMCPClient({
      transport: new Experimental_StdioMCPTransport(stdioCommand(server)),
      capabilities,
    });
    return { client, end: () => client.close() };
  }
  const { url, stop } = await startHttp(server);
  const client = await createMCPClient({ transport: { type: 'http', url: url.href }, capabilities });
  return { client, end: async () => (await client.close(), stop()) };
}

describe.each(faces)('over %s', (face) => {
  it('lists, calls, and answers a question', async () => {
    const { client, end } = await connectAi(face);
    client.onElicitationRequest(ElicitationRequestSchema, () => ({
      action: 'accept',
      content: { name: 'Ada' },
    }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('elicit-form');
    const call = async (name, args) => (await client.callTool({ name, arguments: args })).content[0].text;
    expect(await call('add', { a: 1, b: 2 })).toBe('3');
    expect(await call('elicit-form', {})).toBe('Hello Ada');
    await end();
  });
});
