#!/usr/bin/env node
// A legacy MCP server over Streamable HTTP: a session behind Mcp-Session-Id, and a question to the user on the event
// stream of the call. Without any SDK. It is what a remote server, or the one beside a sidecar, looks like.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const notes = new Map([['shopping', 'milk, bread']]);
const sessions = new Set();
const waiting = new Map();
let lastQuestion = 0;

const textResult = (text) => ({ content: [{ type: 'text', text }] });
const tools = [
  { name: 'delete_note', description: 'Deletes a note, if the user agrees', inputSchema: { type: 'object' } },
];

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'old-http-notes', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': async ({ arguments: { name } }, ask) => {
    const requestedSchema = {
      type: 'object',
      properties: { sure: { type: 'boolean', title: 'Delete it?' } },
    };
    const answer = await ask({ message: `Really delete the note "${name}"?`, requestedSchema });
    if (answer?.content?.sure !== true) return textResult(`Kept "${name}".`);
    return textResult(notes.delete(name) ? `Deleted "${name}".` : `There is no note "${name}".`);
  },
};

/** Answers one request on an event stream of its own. */
async function answer({ id, method, params }, response) {
  const send = (message) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  const ask = (question) => {
    lastQuestion += 1;
    send({ id: `question-${lastQuestion}`, method: 'elicitation/create', params: question });
    return new Promise((resolve) => waiting.set(`question-${lastQuestion}`, resolve));
  };
  send({ id, result: await methods[method](params ?? {}, ask) });
  response.end();
}

const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const session = request.headers['mcp-session-id'];
  if (request.method === 'DELETE') sessions.delete(session);
  if (request.method !== 'POST') return response.writeHead(request.method === 'DELETE' ? 204 : 405).end();
  const message = JSON.parse(body);
  if (message.method !== 'initialize' && !sessions.has(session)) return response.writeHead(404).end();
  if (message.method === undefined) waiting.get(message.id)?.(message.result);
  if (message.method === undefined || message.id === undefined) return response.writeHead(202).end();
  const opened = message.method === 'initialize' ? randomUUID() : session;
  sessions.add(opened);
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Mcp-Session-Id': opened });
  await answer(message, response);
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${server.address().port}/mcp`),
);
