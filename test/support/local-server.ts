// What the fake servers of the tests have in common: a port of the loopback address, bodies read whole, and a way to
// wait for what a test is after.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export abstract class LocalServer {
  /** The one that it listens on, or did. */
  port = 0;
  private readonly server: Server;
  private waiters: (() => void)[] = [];

  constructor() {
    this.server = createServer((request, response) => {
      void this.read(request, response);
    });
  }

  /** `port` 0: any free one. */
  async start(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get origin(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  /** Resolves when `isDone` holds; looked at whenever something has arrived. */
  async until(isDone: () => boolean): Promise<void> {
    while (!isDone()) await new Promise<void>((resolve) => this.waiters.push(resolve));
  }

  protected abstract receive(request: IncomingMessage, body: string, response: ServerResponse): void;

  /** Something has happened that a test may wait for. */
  protected notice(): void {
    for (const resolve of this.waiters.splice(0)) resolve();
  }

  private async read(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    request.setEncoding('utf8');
    try {
      for await (const chunk of request) body += String(chunk);
    } catch {
      // Whoever sent it has gone.
      return;
    }
    this.receive(request, body, response);
    this.notice();
  }
}
