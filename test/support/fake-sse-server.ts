// A legacy server over HTTP+SSE inside the test, at fault where a test says so. Keeps what reached it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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

export class FakeSseServer {
  readonly requests: {
    method: string;
    url: string;
    headers: IncomingMessage['headers'];
    message: Message;
  }[] = [];
  readonly streams: ServerResponse[] = [];
  private readonly script: SseScript;
  private readonly server: Server;
  private waiters: (() => void)[] = [];

  constructor(script: SseScript = {}) {
    this.script = { endpoint: '/messages?sid=1', ...script };
    this.server = createServer((request, response) => {
      void this.receive(request, response);
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${String(this.port)}${ssePath}`);
  }

  get stream(): ServerResponse {
    return this.streams.at(-1)!;
  }

  /** How many handshakes got as far as the endpoint. */
  get handshakes(): number {
    return this.requests.filter(({ message, url }) => message.method === 'initialize' && url !== ssePath)
      .length;
  }

  async until(isDone: () => boolean): Promise<void> {
    while (!isDone()) await new Promise<void>((resolve) => this.waiters.push(resolve));
  }

  sayEndpoint(endpoint: string): void {
    this.stream.write(`event: endpoint\ndata: ${endpoint}\n\n`);
  }

  say(frame: object): void {
    this.stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n\n`);
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const message = text.startsWith('{') ? (JSON.parse(text) as Message) : {};
    this.requests.push({ method: request.method!, url: request.url!, headers: request.headers, message });
    if (request.method === 'GET') this.open(response);
    else if (request.url === ssePath) response.writeHead(this.script.refusal ?? 405).end('no');
    else if (this.script.on?.(message, this, response) !== true) {
      response.writeHead(202).end('Accepted');
      this.serve(message);
    }
    for (const resolve of this.waiters.splice(0)) resolve();
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
