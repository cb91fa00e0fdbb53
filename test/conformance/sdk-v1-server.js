// The same features on the official SDK v1, on stdio or, with the argument `http`, over Streamable HTTP. Writes each
// answer to its questions to ANSWER_LOG.
import { appendFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { capabilities, methodsWith } from './features.js';

const requests = {
  'tools/list': types.ListToolsRequestSchema,
  'tools/call': types.CallToolRequestSchema,
  'prompts/list': types.ListPromptsRequestSchema,
  'prompts/get': types.GetPromptRequestSchema,
  'resources/list': types.ListResourcesRequestSchema,
  'resources/templates/list': types.ListResourceTemplatesRequestSchema,
  'resources/read': types.ReadResourceRequestSchema,
  'resources/subscribe': types.SubscribeRequestSchema,
  'resources/unsubscribe': types.UnsubscribeRequestSchema,
  'completion/complete': types.CompleteRequestSchema,
};
const answers = {
  'elicitation/create': types.ElicitResultSchema,
  'sampling/createMessage': types.CreateMessageResultSchema,
  'roots/list': types.ListRootsResultSchema,
};

function note(answer) {
  const file = process.env.ANSWER_LOG;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(answer)}\n`);
}

/** A server for one session. */
function createSession() {
  const server = new Server({ name: 'sdk-v1-conformance', version: '1.0.0' }, { capabilities });
  for (const [method, schema] of Object.entries(requests))
    server.setRequestHandler(schema, (request, { sendRequest, sendNotification }) => {
      const ask = async (asked, params) => {
        try {
          const result = await sendRequest({ method: asked, params }, answers[asked]);
          note({ method: asked, result });
          return result;
        } catch (error) {
          note({ method: asked, error: { code: error.code, message: error.message } });
          throw error;
        }
      };
      const notify = (told, params) => sendNotification({ method: told, params });
      const fail = (code, message, data) => Object.assign(new Error(message), { code, data });
      return methodsWith({ ask, notify, fail })[method](request.params ?? {});
    });
  return server;
}

if (process.argv[2] === 'http') {
  const transports = new Map();
  const listener = createServer(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    if (id !== undefined && !transports.has(id)) {
      response.writeHead(404).end();
      return;
    }
    const transport =
      transports.get(id) ??
      new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        enableDnsRebindingProtection: true,
        allowedHosts: [`localhost:${listener.address().port}`, `127.0.0.1:${listener.address().port}`],
      });
    if (id === undefined) await createSession().connect(transport);
    await transport.handleRequest(request, response);
    if (transport.sessionId !== undefined) transports.set(transport.sessionId, transport);
  }).listen(0, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${listener.address().port}/mcp`);
  });
} else await createSession().connect(new StdioServerTransport());
