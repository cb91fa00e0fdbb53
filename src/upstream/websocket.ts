// A legacy server over WebSocket: one text message for each frame. No specification has it; servers agree on the
// subprotocol `mcp`. When the socket closes, the session is over.
import { WebSocket, type RawData } from 'ws';
import type { Agent } from 'node:http';
import type { Clock } from '../clock.ts';
import { join, type Chunks } from '../jsonrpc/frame.ts';
import type { Logger } from '../log.ts';
import { Backlog } from './backlog.ts';
import type { Credentials } from './credentials.ts';
import { failureText } from './failure-text.ts';
import { framesOfText } from './frames-of-text.ts';
import type { Link, LinkHandlers, Upstream } from './port.ts';

export interface WebSocketUpstreamOptions {
  readonly url: URL;
  readonly clock: Clock;
  readonly log: Logger;
  readonly credentials: Credentials;
  /** The socket is closed on a larger message: there is no reading on behind it. */
  readonly maxMessageBytes: number;
  readonly connectTimeoutMs: number;
  /** All certificate authorities to trust, as PEM; undefined: the usual ones. */
  readonly ca: readonly string[] | undefined;
  /** Makes the connection, where it goes through a proxy. */
  readonly agent: Agent | undefined;
}

const pingMs = 30_000;
const closePatienceMs = 1000;

/** One socket for each link. */
export function createWebSocketUpstream(options: WebSocketUpstreamOptions): Upstream {
  return { label: options.url.host, open: (handlers) => new WebSocketLink(options, handlers) };
}

class WebSocketLink implements Link {
  private readonly options: WebSocketUpstreamOptions;
  private readonly handlers: LinkHandlers;
  private socket: WebSocket;
  private readonly backlog = new Backlog(() => this.socket.bufferedAmount);
  private readonly untilTaken = new Set<() => void>();
  private held: Buffer[] = [];
  private isOver = false;
  private isAlive = true;
  private answersPings = false;
  private hasRenewed = false;
  private stopTimer: () => void = () => undefined;
  private closing: Promise<void> | undefined;

  constructor(options: WebSocketUpstreamOptions, handlers: LinkHandlers) {
    this.options = options;
    this.handlers = handlers;
    this.socket = this.connect(['mcp']);
  }

  send(frame: Chunks): void {
    if (this.isOver) return;
    const bytes = join(frame);
    if (this.socket.readyState === WebSocket.CONNECTING) this.held.push(bytes);
    else this.write(bytes);
  }

  get isBacklogged(): boolean {
    return !this.isOver && this.backlog.isFull;
  }

  onceTaken(run: () => void): void {
    this.untilTaken.add(run);
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private connect(protocols: readonly string[]): WebSocket {
    const { options } = this;
    const socket = new WebSocket(options.url, [...protocols], {
      headers: options.credentials.headers(),
      maxPayload: options.maxMessageBytes,
      handshakeTimeout: options.connectTimeoutMs,
      perMessageDeflate: false,
      followRedirects: false,
      ...(options.ca && { ca: [...options.ca] }),
      ...(options.agent && { agent: options.agent }),
    });
    // A server that knows no subprotocols is a server all the same; the library takes its silence for a fault.
    socket.on('upgrade', ({ headers }) => {
      if (protocols.length === 0 || headers['sec-websocket-protocol'] !== undefined || this.isOver) return;
      leave(socket);
      this.socket = this.connect([]);
    });
    this.listen(socket);
    return socket;
  }

  private listen(socket: WebSocket): void {
    socket.on('open', () => {
      for (const bytes of this.held.splice(0)) this.write(bytes);
      this.watch();
    });
    socket.on('message', (data, isBinary) => {
      this.isAlive = true;
      if (!this.isOver && !isBinary) this.onText(data);
    });
    socket.on('pong', () => {
      this.isAlive = true;
      this.answersPings = true;
    });
    socket.on('unexpected-response', (request, response) => {
      leave(socket);
      request.destroy();
      void this.onRefused(response.statusCode ?? 0, response.headers['www-authenticate']);
    });
    // Its `close` follows and says the rest.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.finish(reasonOf(error));
      socket.terminate();
    });
    socket.on('close', (code) => {
      this.finish(`the server closed the connection (code ${String(code)})`);
    });
  }

  /** Credentials that the server refuses are looked for anew, once. */
  private async onRefused(status: number, wwwAuthenticate: string | undefined): Promise<void> {
    const mayRenew = status === 401 && !this.hasRenewed;
    this.hasRenewed = true;
    const hasOthers = mayRenew && (await this.options.credentials.renew({ status, wwwAuthenticate }));
    if (hasOthers && !this.isOver) this.socket = this.connect(['mcp']);
    else this.finish(`the server answered HTTP ${String(status)}`);
  }

  private onText(data: RawData): void {
    const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer);
    const frames = framesOfText([bytes]);
    for (const frame of frames) this.handlers.onFrame(frame);
    if (frames.length === 0)
      this.options.log.warn({ bytes: bytes.length }, 'server sent a message that is not JSON-RPC; ignored');
  }

  private write(bytes: Buffer): void {
    if (!this.backlog.mayTake(bytes.length)) {
      this.finish('the server does not read what it is sent');
      this.socket.terminate();
      return;
    }
    this.socket.send(bytes, { binary: false }, (error) => {
      if (error) this.finish('the connection broke');
      else if (this.socket.bufferedAmount === 0) this.tellTaken();
    });
  }

  /** A peer that has answered pings and does not any more is gone; one that never does may be as it is. */
  private watch(): void {
    this.stopTimer = this.options.clock.after(pingMs, () => {
      if (!this.isAlive && this.answersPings) {
        this.finish('the server does not answer any more');
        this.socket.terminate();
        return;
      }
      this.isAlive = false;
      this.socket.ping();
      this.watch();
    });
  }

  private finish(reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.held = [];
    this.stopTimer();
    this.handlers.onClosed(reason);
    this.tellTaken();
  }

  private tellTaken(): void {
    const waiting = [...this.untilTaken];
    this.untilTaken.clear();
    for (const run of waiting) run();
  }

  private async end(): Promise<void> {
    this.finish('closed');
    const { socket } = this;
    if (socket.readyState === WebSocket.CLOSED) return;
    await new Promise<void>((resolve) => {
      const stopPatience = this.options.clock.after(closePatienceMs, () => {
        socket.terminate();
      });
      socket.once('close', () => {
        stopPatience();
        resolve();
      });
      socket.close(1000);
    });
  }
}

/** Nothing is heard of it any more. */
function leave(socket: WebSocket): void {
  socket.removeAllListeners();
  socket.on('error', () => undefined);
  socket.terminate();
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH')
    return 'the server sent a message over the size limit';
  return failureText(error);
}
