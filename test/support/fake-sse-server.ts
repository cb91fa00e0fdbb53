// A legacy server over HTTP+SSE inside the test, at fault where a test says so. Keeps what reached it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LocalServer } from './local-server.ts';
import type { Message } from './scripted-upstream.ts';

export interface SseScript {
  /** What the endpoint event says; undefined: there is none. */
  readonly endpoint?: string | ((port: number) => string) | undefined;
  /** The event as bytes, where its form is the fault. */
  readonly rawEndpoint?: string;
  /** How a POST to the URL of the stream is refused. */
  readonly refusal?: number;
  /** Takes a frame over. */
  readonly on?: (message: Message, server: FakeSseServer, response: ServerResponse) => boolean | undefined;
}

export const ssePath = '/a/b/sse';

export class FakeSseServer extends LocalServer {
  readonly requests: {
    method: string;
    url: string;
    headers: IncomingMessage['headers'];
    message: Message;
  }[] = [];
  readonly streams: ServerResponse[] = [];
  private readonly script: SseScript;

  constructor(script: SseScript = {}) {
    super();
    this.script = { endpoint: '/messages?sid=1', ...script };
  }

  get url(): URL {
    return new URL(ssePath, this.origin);
  }

  get stream(): ServerResponse {
    return this.streams.at(-1)!;
  }

  /** How many handshakes got as far as the endpoint. */
  get handshakes(): number {
    return this.requests.filter(({ message, url }) => message.method === 'initialize' && url !== ssePath)
      .length;
  }

  sayEndpoint(endpoint: string): void {
    this.stream.write(`event: endpoint\ndata: ${endpoint}\n\n`);
  }

  say(frame: object): void {
    this.stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n\n`);
  }

  protected receive(request: IncomingMessage, text: string, response: ServerResponse): void {
    const message = text.startsWith('{') ? (JSON.parse(text) as Message) : {};
    this.requests.push({ method: request.method!, url: request.url!, headers: request.headers, message });
    if (request.method === 'GET') this.open(response);
    else if (request.url === ssePath) response.writeHead(this.script.refusal ?? 405).end('no');
    else if (this.script.on?.(message, this, response) !== true) {
      response.writeHead(202).end('Accepted');
      this.serve(message);
    }
  }

  private open(response: ServerResponse): void {
    this.streams.push(response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': hello\n\n');
    const { endpoint, rawEndpoint } = this.script;
    if (rawEndpoint !== undefined) response.write(rawEndpoint);
    else if (endpoint !== undefined)
      this.sayEndpoint(typeof endpoint === 'string' ? endpoint : endpoint(this.port));
  }

  private serve({ id, method, params }: Message): void {
    if (id === undefined || method === undefined) return;
    if (method === 'initialize')
      this.say({
        id,
        result: {
          protocolVersion: '2024-11-05',
          capabilities: { tools: {} },
          serverInfo: { name: 'sse', version: '1' },
        },
      });
    else if (method === 'tools/call')
      this.say({ id, result: { content: [{ type: 'text', text: `${params.name} has run` }] } });
    else this.say({ id, result: {} });
  }
}
