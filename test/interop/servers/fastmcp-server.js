// A server on fastmcp, from the folder in which it is installed.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const load = (file) => import(pathToFileURL(join(process.argv[2], file)).href);
const { FastMCP } = await load('fastmcp/dist/FastMCP.js');
const { z } = await load('zod/index.js');

const server = new FastMCP({ name: 'fastmcp', version: '1.0.0' });
server.addTool({
  name: 'add',
  description: 'Adds',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => Promise.resolve(String(a + b)),
});
server.addResource({ uri: 'file:///one', name: 'one', load: () => Promise.resolve({ text: 'content' }) });
await server.start({ transportType: 'stdio' });
