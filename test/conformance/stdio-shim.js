// Lets the suite, which speaks HTTP only, judge the stdio face: HTTP in front, the bridge's lines behind. Rewrites ids
// and progress tokens, as all requests share one connection, and says what is HTTP's own (Host, the version header).
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';
const versionKey = 'io.modelcontextprotocol/protocolVersion';
const statusByCode = {
  [-32700]: 400,
  [-32600]: 400,
  [-32601]: 404,
  [-32020]: 400,
  [-32021]: 400,
  [-32022]: 400,
};

function statusOf({ error }) {
  if (error?.data?.source !== 'mcp-bridge') return 200;
  if (error.code === -32602 && /^invalid_/.test(error.data.reason)) return 400;
  return statusByCode[error.code] ?? 200;
}

/** Starts the bridge on stdio and an HTTP server before it. Resolves to its port and how to stop it. */
export function startShim(command, args) {
  const bridge = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const open = new Map();
  let lastId = 0;
  const write = (message) => bridge.stdin.write(`${JSON.stringify(message)}\n`);

  createInterface({ input: bridge.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    const { params } = message;
    const key = message.id ?? params?._meta?.[subscriptionKey] ?? params?.progressToken;
    const exchange = open.get(key) ?? (open.size === 1 ? [...open.values()][0] : undefined);
    exchange?.take(message);
  });

  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => exchange(request, response, body));
  });

  function exchange(request, response, body) {
    const reply = (status, message) => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(message));
    };
    const refuse = (status, id, code, message) =>
      reply(status, { jsonrpc: '2.0', id, error: { code, message } });
    const { host = '', origin } = request.headers;
    const isLocal = (name) => /^(?:https?:\/\/)?(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(name);
    if (!isLocal(host) || (origin !== undefined && !isLocal(origin)))
      return refuse(403, undefined, -32600, 'Forbidden');
    const message = JSON.parse(body);
    const { _meta } = message.params ?? {};
    if (_meta?.[versionKey] !== undefined && _meta[versionKey] !== request.headers['mcp-protocol-version'])
      return refuse(400, message.id, -32020, 'Header mismatch');
    lastId += 1;
    const id = lastId;
    const token = _meta?.progressToken;
    if (token !== undefined) _meta.progressToken = id;
    open.set(id, { take: (answer) => take(answer) });
    response.on('close', () => {
      if (open.delete(id))
        write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    });
    write({ ...message, id });

    function take(answer) {
      const { params, result } = answer;
      if (params?.progressToken !== undefined) params.progressToken = token;
      for (const meta of [params?._meta, result?._meta])
        if (meta?.[subscriptionKey] !== undefined) meta[subscriptionKey] = message.id;
      if (answer.id === undefined) stream(answer);
      else finish({ ...answer, id: message.id });
    }

    function stream(frame) {
      if (!response.headersSent) response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(frame)}\n\n`);
    }

    function finish(answer) {
      open.delete(id);
      if (!response.headersSent) return reply(statusOf(answer), answer);
      stream(answer);
      response.end();
    }
  }

  const stop = () =>
    new Promise((resolve) => {
      server.close();
      server.closeAllConnections();
      bridge.once('exit', resolve);
      bridge.stdin.end();
    });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({ port: server.address().port, stop }));
  });
}
