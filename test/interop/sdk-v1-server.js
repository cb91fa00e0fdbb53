// The same features as fixtures/features.js, on the official SDK v1. Its argument says how it is reached: stdio (none),
// Streamable HTTP (`http`, or `json` for plain answers), HTTP+SSE (`sse`).
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';

const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true },
  prompts: {},
  logging: {},
};
const text = (value) => ({ content: [{ type: 'text', text: value }] });
let cancelledCount = 0;

/** A server for one session. */
function createSession() {
  const server = new Server({ name: 'sdk-v1', version: '1.0.0' }, { capabilities });

  async function elicit(name) {
    const requestedSchema = { type: 'object', properties: { [name]: { type: 'string' } } };
    return (await server.elicitInput({ message: name, requestedSchema })).content?.[name] ?? 'nothing';
  }

  const tools = {
    add: ({ a, b }) => String(a + b),
    progress: async ({ until }, { _meta, sendNotification }) => {
      for (const progress of [1, 2, 3]) {
        const params = { progressToken: _meta.progressToken, progress, total: 3 };
        await sendNotification({ method: 'notifications/progress', params });
      }
      while (until !== undefined && !existsSync(until)) await sleep(5);
      return 'done';
    },
    slow: async ({ ms }, { signal }) => {
      signal.addEventListener('abort', () => (cancelledCount += 1));
      await sleep(ms);
      return 'slept';
    },
    cancelled: () => String(cancelledCount),
    'elicit-form': async () => `Hello ${await elicit('name')}`,
    'elicit-url': async () => {
      const params = { mode: 'url', message: 'Open it', url: 'https://example.test/x', elicitationId: 'e1' };
      return (await server.elicitInput(params)).action;
    },
    sample: async () => {
      const messages = [{ role: 'user', content: { type: 'text', text: 'Capital of France?' } }];
      return (await server.createMessage({ messages, maxTokens: 10 })).content.text;
    },
    roots: async () => (await server.listRoots()).roots.map(({ uri }) => uri).join(),
    rounds: async () => `${await elicit('first')} ${await elicit('second')}`,
    'change-tools': async () => (await server.sendToolListChanged(), 'changed'),
    'update-resource': async () => (await server.sendResourceUpdated({ uri: 'test://one' }), 'updated'),
  };

  server.setRequestHandler(types.ListToolsRequestSchema, () => ({
    tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })),
  }));
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, extra) =>
    text(await tools[params.name](params.arguments ?? {}, extra)),
  );
  server.setRequestHandler(types.ListResourcesRequestSchema, () => ({
    resources: [{ uri: 'test://one', name: 'one' }],
  }));
  server.setRequestHandler(types.ReadResourceRequestSchema, ({ params }) => ({
    contents: [{ uri: params.uri, text: 'content' }],
  }));
  server.setRequestHandler(types.SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(types.UnsubscribeRequestSchema, () => ({}));
  server.setRequestHandler(types.ListPromptsRequestSchema, () => ({ prompts: [{ name: 'greet' }] }));
  server.setRequestHandler(types.GetPromptRequestSchema, () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
  }));
  return server;
}

function serveStreamableHttp(enableJsonResponse) {
  const transports = new Map();
  createServer(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    if (id !== undefined && !transports.has(id)) {
      response.writeHead(404).end();
      return;
    }
    const fresh = { sessionIdGenerator: randomUUID, enableJsonResponse };
    const transport = transports.get(id) ?? new StreamableHTTPServerTransport(fresh);
    if (id === undefined) await createSession().connect(transport);
    await transport.handleRequest(request, response);
    if (transport.sessionId !== undefined) transports.set(transport.sessionId, transport);
  }).listen();
}

function serveSse() {
  const transports = new Map();
  createServer(async (request, response) => {
    const id = new URL(request.url, 'http://localhost').searchParams.get('sessionId');
    if (request.method === 'GET') {
      const transport = new SSEServerTransport('/messages', response);
      transports.set(transport.sessionId, transport);
      await createSession().connect(transport);
    } else if (transports.has(id)) await transports.get(id).handlePostMessage(request, response);
    else response.writeHead(404).end();
  }).listen();
}

switch (process.argv[2]) {
  case 'http':
    serveStreamableHttp(false);
    break;
  case 'json':
    serveStreamableHttp(true);
    break;
  case 'sse':
    serveSse();
    break;
  default:
    await createSession().connect(new StdioServerTransport());
}
