// A legacy server over HTTP inside the test: well-behaved by default, and at fault exactly where a test says so. Keeps
// every request that reached it, so that a test can look for what must not have.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LocalServer } from './local-server.ts';
import type { Message } from './scripted-upstream.ts';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The frame in the body. */
  readonly message: Message;
}

export interface Exchange extends ReceivedRequest {
  readonly response: ServerResponse;
  readonly server: FakeHttpServer;
  /** Answers with one frame, as JSON. */
  readonly json: (frame: object, status?: number, headers?: Record<string, string>) => void;
  /** Opens an event stream and returns how to write to it. */
  readonly stream: (headers?: Record<string, string>) => EventWriter;
  /** What a good tools/call gets. */
  readonly text: (value: string) => void;
}

export interface EventWriter {
  readonly event: (frame: object, fields?: { readonly id?: string; readonly retry?: number }) => void;
  readonly raw: (text: string) => void;
  readonly end: () => void;
}

export interface FakeScript {
  /** Takes an exchange over; true when it has, or will. */
  readonly on?: (exchange: Exchange) => boolean | undefined;
  readonly hasSessions?: boolean;
  readonly version?: string;
  readonly capabilities?: object;
  /** Whether answers come on event streams. */
  readonly streams?: boolean;
}

export class FakeHttpServer extends LocalServer {
  readonly requests: ReceivedRequest[] = [];
  readonly sessions = new Set<string>();
  /** The standalone streams that are open. */
  readonly listeners = new Set<EventWriter>();
  /** How often each tool has run. */
  readonly runs = new Map<string, number>();
  private readonly script: FakeScript;
  private sessionCount = 0;

  constructor(script: FakeScript = {}) {
    super();
    this.script = script;
  }

  get url(): URL {
    return new URL('/mcp', this.origin);
  }

  /** How many requests carried a frame of that method, or were of that HTTP method. */
  count(method: string): number {
    return this.requests.filter((each) => each.message.method === method || each.method === method).length;
  }

  /** Says something on every standalone stream. */
  say(frame: object): void {
    for (const listener of this.listeners) listener.event({ jsonrpc: '2.0', ...frame });
  }

  protected receive(request: IncomingMessage, text: string, response: ServerResponse): void {
    const received: ReceivedRequest = {
      method: request.method!,
      path: request.url!,
      headers: request.headers,
      body: text,
      message: text.startsWith('{') ? (JSON.parse(text) as Message) : {},
    };
    this.requests.push(received);
    const exchange = this.exchange(received, response);
    if (this.script.on?.(exchange) !== true) this.serve(exchange);
  }

  private exchange(received: ReceivedRequest, response: ServerResponse): Exchange {
    const stream = (headers: Record<string, string> = {}): EventWriter => {
      response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
      response.flushHeaders();
      return {
        event: (frame, { id, retry } = {}) => {
          response.write(
            `${id === undefined ? '' : `id: ${id}\n`}${retry === undefined ? '' : `retry: ${String(retry)}\n`}` +
              `data: ${JSON.stringify(frame)}\n\n`,
          );
        },
        raw: (text) => response.write(text),
        end: () => response.end(),
      };
    };
    const json = (frame: object, status = 200, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ jsonrpc: '2.0', ...frame }));
    };
    const answer = (result: object, headers: Record<string, string> = {}): void => {
      if (this.script.streams !== true) json({ id: received.message.id, result }, 200, headers);
      else {
        const writer = stream(headers);
        writer.event({ jsonrpc: '2.0', id: received.message.id, result });
        writer.end();
      }
    };
    return {
      ...received,
      response,
      server: this,
      json,
      stream,
      text: (value) => {
        answer({ content: [{ type: 'text', text: value }] });
      },
    };
  }

  private serve(exchange: Exchange): void {
    const { method, message, headers, response } = exchange;
    const session = (headers['mcp-session-id'] ?? '') as string;
    if (message.method === 'initialize') this.initialize(exchange);
    else if (this.script.hasSessions !== false && !this.sessions.has(session))
      exchange.json({ error: { code: -32001, message: 'Session not found' } }, 404);
    else if (method === 'DELETE') {
      this.sessions.delete(session);
      response.writeHead(200).end();
    } else if (method === 'GET') this.listen(exchange);
    else this.take(exchange);
  }

  private initialize({ message, json }: Exchange): void {
    const { hasSessions = true, version: protocolVersion = '2025-11-25' } = this.script;
    const { capabilities = { tools: {}, resources: { subscribe: true }, logging: {} } } = this.script;
    const id = `session-${String((this.sessionCount += 1))}`;
    this.sessions.add(id);
    const result = { protocolVersion, capabilities, serverInfo: { name: 'fake', version: '1' } };
    json({ id: message.id, result }, 200, hasSessions ? { 'mcp-session-id': id } : {});
  }

  private take(exchange: Exchange): void {
    const { message, json, response } = exchange;
    if (message.id === undefined || message.method === undefined) response.writeHead(202).end();
    else if (message.method === 'tools/call') this.run(exchange);
    else json({ id: message.id, result: message.method === 'tools/list' ? { tools: [] } : {} });
  }

  private listen(exchange: Exchange): void {
    const writer = exchange.stream();
    this.listeners.add(writer);
    exchange.response.on('close', () => {
      this.listeners.delete(writer);
      this.notice();
    });
  }

  private run(exchange: Exchange): void {
    const { name } = exchange.message.params;
    this.runs.set(name, (this.runs.get(name) ?? 0) + 1);
    exchange.text(`${name} has run`);
  }
}
