// A legacy server inside the test: it does what the test says, when the test says so.
import { parseFrame, join } from '../../src/jsonrpc/frame.ts';
import { framesOfText } from '../../src/upstream/frames-of-text.ts';
import type { Link, LinkHandlers, Upstream } from '../../src/upstream/port.ts';

export interface Message {
  readonly jsonrpc?: string;
  readonly id?: any;
  readonly method?: string;
  readonly params?: any;
  readonly result?: any;
  readonly error?: any;
}

export interface Script {
  readonly capabilities?: object;
  readonly version?: string;
  /** More members of the initialize result. */
  readonly hello?: object;
  /** Whether pings are answered (the fence's is one). */
  readonly ping?: boolean;
  /** Takes messages over; what it does not take is answered as a plain server would. */
  readonly on?: (message: Message, server: ScriptedServer) => boolean | undefined;
}

const everything = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

/** One link of the upstream: a legacy session as the server sees it. */
export class ScriptedServer implements Link {
  readonly received: Message[] = [];
  readonly rawReceived: string[] = [];
  isClosed = false;
  isForgotten = false;
  private readonly script: Script;
  private readonly handlers: LinkHandlers;
  private waiters: {
    readonly matches: (message: Message) => boolean;
    readonly resolve: (m: Message) => void;
  }[] = [];
  private taken = 0;

  constructor(script: Script, handlers: LinkHandlers) {
    this.script = script;
    this.handlers = handlers;
  }

  send(frame: readonly Buffer[], requestId?: number, onUndelivered?: (reason: string) => void): void {
    const line = join(frame).toString('utf8');
    if (this.isClosed) return;
    if (line.includes('\n')) throw new Error('a frame for a line-framed server holds a line break');
    queueMicrotask(() => {
      if (!this.isForgotten) this.take(line);
      else if (!this.isClosed) {
        this.handlers.onSessionGone(requestId);
        onUndelivered?.('HTTP 404');
      }
    });
  }

  /** From now on the server does not know the session: nothing is taken any more, what runs may still end. */
  forget(): void {
    this.isForgotten = true;
  }

  close(): Promise<void> {
    this.exit('closed');
    return Promise.resolve();
  }

  /** The server is gone. */
  exit(reason = 'server exited (code 1)'): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.handlers.onClosed(reason);
  }

  /** Sends a message to the bridge; `origin` is the request on whose stream it comes. */
  say(message: object, origin?: number): void {
    this.sayRaw(JSON.stringify({ jsonrpc: '2.0', ...message }), origin);
  }

  sayRaw(line: string, origin?: number): void {
    for (const frame of framesOfText([Buffer.from(line)])) this.handlers.onFrame(frame, origin);
  }

  /** The response stream of that request has ended without its answer. */
  endStream(request: Message): void {
    this.handlers.onStreamEnd(request.id as number, 'the connection broke before the answer');
  }

  oversize(start: string): void {
    this.handlers.onOversize(Buffer.from(start));
  }

  answer(request: Message, result: object): void {
    this.say({ id: request.id, result });
  }

  fail(request: Message, code: number, message: string, data?: unknown): void {
    this.say({ id: request.id, error: { code, message, data } });
  }

  text(request: Message, value: string): void {
    this.answer(request, { content: [{ type: 'text', text: value }] });
  }

  /** The next message of that method that no test has taken yet; waits for it. */
  next(method: string): Promise<Message> {
    return this.nextWhere((message) => message.method === method);
  }

  /** The answer to a question of the server. */
  answerTo(id: unknown): Promise<Message> {
    return this.nextWhere((message) => message.method === undefined && message.id === id);
  }

  count(method: string): number {
    return this.received.filter((message) => message.method === method).length;
  }

  private nextWhere(matches: (message: Message) => boolean): Promise<Message> {
    const index = this.received.findIndex((message, at) => at >= this.taken && matches(message));
    if (index !== -1) {
      const [message] = this.received.splice(index, 1);
      this.received.splice(this.taken, 0, message!);
      this.taken += 1;
      return Promise.resolve(message!);
    }
    return new Promise((resolve) => {
      this.waiters.push({ matches, resolve });
    });
  }

  private take(line: string): void {
    const parsed = parseFrame(Buffer.from(line));
    if (!parsed.ok) throw new Error(`the bridge wrote something that is no frame: ${line.slice(0, 200)}`);
    const message = JSON.parse(line) as Message;
    this.rawReceived.push(line);
    const waiter = this.waiters.find((each) => each.matches(message));
    if (waiter === undefined) this.received.push(message);
    else {
      this.waiters = this.waiters.filter((each) => each !== waiter);
      this.received.splice(this.taken, 0, message);
      this.taken += 1;
      waiter.resolve(message);
    }
    if (this.script.on?.(message, this) !== true) this.serve(message);
  }

  private serve(message: Message): void {
    const { capabilities = everything, version = '2025-11-25', hello = {}, ping = true } = this.script;
    if (message.method === 'initialize')
      this.answer(message, {
        protocolVersion: version,
        capabilities,
        serverInfo: { name: 'scripted', version: '1' },
        ...hello,
      });
    else if (message.method === 'ping' && ping) this.answer(message, {});
    else if (message.method === 'logging/setLevel' || message.method?.startsWith('resources/sub') === true)
      this.answer(message, {});
  }
}

export class ScriptedUpstream implements Upstream {
  readonly label = 'scripted';
  /** Every link there has been, in order. */
  readonly servers: ScriptedServer[] = [];
  private readonly script: Script;
  private readonly opened: ((server: ScriptedServer) => void)[] = [];

  constructor(script: Script = {}) {
    this.script = script;
  }

  open(handlers: LinkHandlers): ScriptedServer {
    const server = new ScriptedServer(this.script, handlers);
    this.servers.push(server);
    for (const resolve of this.opened.splice(0)) resolve(server);
    return server;
  }

  get server(): ScriptedServer {
    return this.servers.at(-1)!;
  }

  nextServer(): Promise<ScriptedServer> {
    return new Promise((resolve) => {
      this.opened.push(resolve);
    });
  }
}
