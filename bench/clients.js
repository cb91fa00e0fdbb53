// The cheapest clients there are: they write requests and look for nothing in the answers but their ids, their ends, and
// whether they are errors.
import { Pool } from 'undici';

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

/** The text of a request; `params` are those of tools/call with its arguments unless `method` says otherwise. */
function bodyOf(id, { method = 'tools/call', args = {}, params, meta = modernMeta }) {
  const own = params ?? (method === 'tools/call' ? { name: 'a', arguments: args } : {});
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...own, _meta: meta } });
}

/** Whether an answer whose text begins so is an error: the member stands near the beginning, whoever writes it. */
const isError = (head) => /"error"\s*:/.test(head);

/** Whose answers are errors has done nothing worth measuring. */
export class Refused extends Error {}

/** Calls resolve to the answer's text where `isRead`, else to nothing; they reject where the answer is an error. */
export function stdioClient(child, { isRead = false } = {}) {
  const waiting = new Map();
  let parts = [];
  let lastId = 0;
  const take = () => {
    const head = parts[0].subarray(0, 200).toString('latin1');
    const id = Number(/"id":(\d+)/.exec(head)?.[1]);
    const waiter = waiting.get(id);
    waiting.delete(id);
    if (isError(head)) waiter?.reject(new Refused(head));
    else waiter?.resolve(isRead ? Buffer.concat(parts).toString() : undefined);
    parts = [];
  };
  child.stdout.on('data', (chunk) => {
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10)) {
      parts.push(chunk.subarray(0, end));
      take();
      chunk = chunk.subarray(end + 1);
    }
    if (chunk.length > 0) parts.push(chunk);
  });
  return {
    call: (request = {}) => {
      lastId += 1;
      child.stdin.write(`${bodyOf(lastId, request)}\n`);
      return new Promise((resolve, reject) => waiting.set(lastId, { resolve, reject }));
    },
    close: () => undefined,
  };
}

/** What comes of a request: whether it is good is seen at its beginning, and nothing of it is kept unless it is read. */
class Answer {
  constructor({ isRead, onBegin, resolve, reject }) {
    Object.assign(this, { isRead, onBegin, resolve, reject });
    this.chunks = [];
    this.hasBegun = false;
  }

  /** By this, undici knows which methods to call. */
  onRequestStart() {}

  onResponseStart(_, status) {
    if (status !== 200) this.reject(new Refused(`status ${status}`));
  }

  onResponseData(_, chunk) {
    if (!this.hasBegun && isError(chunk.subarray(0, 200).toString('latin1')))
      this.reject(new Refused(String(chunk)));
    this.hasBegun = true;
    this.onBegin?.();
    if (this.isRead) this.chunks.push(chunk);
  }

  onResponseEnd() {
    const text = Buffer.concat(this.chunks).toString();
    this.resolve(text.startsWith('{') ? text : text.slice(text.lastIndexOf('data: ') + 6));
  }

  onResponseError(_, error) {
    this.reject(error);
  }
}

export function httpClient(url, { inFlight, token, session, isRead = false }) {
  const pool = new Pool(url.origin, { connections: inFlight, headersTimeout: 0, bodyTimeout: 0 });
  const headersOf = (method = 'tools/call') => ({
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...(session
      ? { 'Mcp-Session-Id': session }
      : { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method }),
    ...(!session && method === 'tools/call' && { 'Mcp-Name': 'a' }),
    ...(token && { Authorization: `Bearer ${token}` }),
  });
  const fixed = headersOf();
  const path = url.pathname;
  let lastId = 0;
  const send = (body, headers, onBegin) =>
    new Promise((resolve, reject) => {
      const answer = new Answer({ isRead, onBegin, resolve, reject });
      pool.dispatch({ path, method: 'POST', headers, body }, answer);
    });
  return {
    call: (request = {}) => {
      lastId += 1;
      const headers = request.method === undefined ? fixed : headersOf(request.method);
      return send(bodyOf(lastId, session ? { ...request, meta: {} } : request), headers);
    },
    /** Opens a listen stream; resolves once it has begun. */
    listen: () =>
      new Promise((resolve, reject) => {
        lastId += 1;
        const params = { notifications: { toolsListChanged: true } };
        const text = bodyOf(lastId, { method: 'subscriptions/listen', params });
        send(text, headersOf('subscriptions/listen'), resolve).catch(reject);
      }),
    close: () => pool.destroy(),
  };
}

/** Begins a session as clients of 2025-11-25 do. Resolves to its id. */
export async function openLegacySession(url, token) {
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...(token && { Authorization: `Bearer ${token}` }),
  };
  const post = (message, more = {}) =>
    fetch(url, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(message) });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'b', version: '1' } };
  const answer = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  await answer.text();
  const session = answer.headers.get('mcp-session-id');
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
  await (await post(initialized, { 'Mcp-Session-Id': session })).text();
  return session;
}

/** Makes `count` calls, `inFlight` at a time. */
export async function drive(call, count, inFlight) {
  let next = 0;
  const one = async () => {
    while (next < count) {
      next += 1;
      await call(next - 1);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, one));
}
