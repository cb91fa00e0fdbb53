// Calls over HTTP as a client of the laboratory makes them, and what comes of them in the words of a trace.
import { metadata } from '../support/harness.ts';
import { headersFor } from '../support/http-harness.ts';
import type { Message } from '../support/scripted-upstream.ts';
import type { RawConnection } from './raw-http.ts';

export interface LabCall {
  readonly token: string;
  readonly plan: string;
  readonly ms?: number;
}

export function callParams({ token, plan, ms = 0 }: LabCall): object {
  return { name: plan, arguments: { token, plan, ms }, _meta: { ...metadata(), progressToken: token } };
}

export function requestBytes(method: string, params: object, id: string | number = 1): Buffer {
  const message = { jsonrpc: '2.0', id, method, params };
  const body = JSON.stringify(message);
  const lines = Object.entries({
    Host: 'localhost',
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headersFor(message),
  });
  return Buffer.from(
    `POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
}

/** The answer to a request; undefined where the connection was closed before it. */
export async function send(connection: RawConnection, bytes: Buffer): Promise<Message | undefined> {
  const response = await connection.request(bytes);
  if (response === undefined) return undefined;
  if (!/text\/event-stream/i.test(response.headers)) return JSON.parse(response.body) as Message;
  const events = response.body.split('\n').filter((line) => line.startsWith('data: '));
  const last = events.map((line) => JSON.parse(line.slice(6)) as Message).at(-1);
  return last?.method === undefined ? last : undefined;
}

export interface Question {
  readonly state: string;
  /** What each question says. */
  readonly about: readonly string[];
  readonly keys: readonly string[];
}

/** What an answer asks; undefined when it is final. */
export function questionIn({ result }: Message): Question | undefined {
  if (result?.resultType !== 'input_required') return undefined;
  const requests = Object.entries<any>(result.inputRequests);
  return {
    state: result.requestState,
    about: requests.map(([, request]) => request.params.message),
    keys: requests.map(([key]) => key),
  };
}

/** The params of a call that comes back with answers. */
export function retryParams(call: LabCall, { state, keys }: Question, said: string): object {
  const answers = keys.map((key) => [key, { action: 'accept', content: { x: said } }]);
  return { ...callParams(call), requestState: state, inputResponses: Object.fromEntries(answers) };
}
