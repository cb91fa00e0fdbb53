#!/usr/bin/env node
// A legacy MCP server as thousands are: lines on stdio, a session opened by initialize, and a question to the user in
// the middle of a call. Without any SDK, so that every frame of it can be seen here.
import { createInterface } from 'node:readline';

const notes = new Map([['shopping', 'milk, bread']]);
const waiting = new Map();
let lastQuestion = 0;

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const textResult = (text) => ({ content: [{ type: 'text', text }] });

/** Asks the user by a request to the client, and waits for the answer in the middle of the call. */
function ask(message, requestedSchema) {
  lastQuestion += 1;
  const id = `question-${lastQuestion}`;
  send({ id, method: 'elicitation/create', params: { message, requestedSchema } });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const tools = [
  { name: 'list_notes', description: 'Names of all notes', inputSchema: { type: 'object' } },
  {
    name: 'delete_note',
    description: 'Deletes a note, if the user agrees',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
];

async function callTool({ name, arguments: args }) {
  if (name === 'list_notes') return textResult([...notes.keys()].join(', ') || '(none)');
  if (name !== 'delete_note') throw { code: -32602, message: `Unknown tool: ${name}` };
  const sure = { type: 'boolean', title: 'Delete it?' };
  const answer = await ask(`Really delete the note "${args.name}"?`, {
    type: 'object',
    properties: { sure },
  });
  if (answer?.action !== 'accept' || answer.content?.sure !== true) return textResult(`Kept "${args.name}".`);
  return textResult(notes.delete(args.name) ? `Deleted "${args.name}".` : `There is no note "${args.name}".`);
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'old-notes', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': callTool,
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result);
  if (id === undefined) return;
  try {
    if (!methods[method]) throw { code: -32601, message: `Method not found: ${method}` };
    send({ id, result: await methods[method](params ?? {}) });
  } catch ({ code = -32603, message }) {
    send({ id, error: { code, message } });
  }
});
