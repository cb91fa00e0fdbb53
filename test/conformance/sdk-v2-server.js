// The same features on the official SDK v2, as a server of the modern era alone or, with the argument `both`, of both: on
// stdio or, with the argument `http`, over Streamable HTTP. A handler that asks is run again with the answers so far, which its request state carries.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import * as sdk from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { capabilities, methodsWith } from './features.js';

const states = sdk.createRequestStateCodec({ key: randomBytes(32) });
const declared = 'io.modelcontextprotocol/clientCapabilities';
const kinds = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};
let tellChange;

/** What a question is answered under: the only property of a form, or its kind. */
function keyOf(method, params) {
  const names = Object.keys(params?.requestedSchema?.properties ?? {});
  return names.length === 1 ? names[0] : kinds[method];
}

async function serve(method, params, { mcpReq }, server) {
  const state = typeof mcpReq.requestState() === 'object' ? mcpReq.requestState() : {};
  const known = { ...state, ...mcpReq.inputResponses };
  const asked = {};
  const ask = (name, question) => {
    const capability = kinds[name];
    if (mcpReq.envelope[declared]?.[capability] === undefined) {
      const error = new Error(`Needs ${capability}`);
      const data = { requiredCapabilities: { [capability]: {} } };
      return Promise.reject(Object.assign(error, { code: -32021, data }));
    }
    const key = keyOf(name, question);
    if (known[key] !== undefined) return Promise.resolve(known[key]);
    asked[key] = { method: name, params: question };
    return new Promise(() => {});
  };
  const notify = (name, told) => {
    if (name.endsWith('list_changed')) tellChange(name, server);
    else if (name !== 'notifications/message' || mcpReq.envelope['io.modelcontextprotocol/logLevel'])
      return mcpReq.notify({ method: name, params: told });
    return undefined;
  };
  const fail = (code, message, data) => new sdk.ProtocolError(code === -32002 ? -32602 : code, message, data);
  const methods = methodsWith({ ask, notify, fail });
  const handled = Promise.resolve(methods[method](params)).catch((error) => {
    if (error.code === undefined) throw error;
    throw new sdk.ProtocolError(error.code, error.message, error.data);
  });
  // All that is asked at once is asked by the end of this turn.
  const turn = new Promise((settle) => setTimeout(settle, 5));
  const isAsked = async () => {
    await turn;
    return Object.keys(asked).length > 0 ? asked : handled;
  };
  const first = await Promise.race([handled, isAsked()]);
  if (first !== asked) return first;
  return sdk.inputRequired({ inputRequests: asked, requestState: await states.mint(known) });
}

function createSession() {
  const info = { name: 'sdk-v2-conformance', version: '1.0.0' };
  const server = new sdk.Server(info, { capabilities, requestState: { verify: states.verify } });
  const methods = Object.keys(methodsWith({})).filter(
    (method) => !/resources\/(?:un)?subscribe/.test(method),
  );
  for (const method of methods)
    server.setRequestHandler(method, (request, context) =>
      serve(method, { ...request.params, _meta: context.mcpReq._meta }, context, server),
    );
  return server;
}

function serveHttp(isDual) {
  const handler = sdk.createMcpHandler(createSession, { legacy: isDual ? 'stateless' : 'reject' });
  tellChange = (name) =>
    name.includes('tools') ? handler.notify.toolsChanged() : handler.notify.promptsChanged();
  const listener = createServer(async (request, response) => {
    const { port } = listener.address();
    if (!['localhost', '127.0.0.1'].some((name) => request.headers.host === `${name}:${port}`)) {
      response.writeHead(403).end();
      return;
    }
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const answer = await handler.fetch(
      new Request(`http://localhost:${port}${request.url}`, {
        method: request.method,
        headers: request.headers,
        signal: gone.signal,
        ...(request.method === 'POST' && { body: Buffer.concat(chunks) }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.flushHeaders();
    try {
      for await (const chunk of answer.body ?? []) response.write(chunk);
    } catch {
      // The client has gone.
    }
    response.end();
  }).listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${listener.address().port}/mcp`));
}

const args = process.argv.slice(2);
const isDual = args.includes('both');
if (args.includes('http')) serveHttp(isDual);
else {
  tellChange = (name, server) =>
    name.includes('tools') ? server.sendToolListChanged() : server.sendPromptListChanged();
  serveStdio(createSession, { legacy: isDual ? 'serve' : 'reject' });
}
