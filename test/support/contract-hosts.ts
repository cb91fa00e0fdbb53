// The server of the contract suite behind each of the transports that need a socket.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { garbage, handle } from './contract-server.js';
import type { Message } from './scripted-upstream.ts';

export interface Host {
  readonly url: URL;
  readonly stop: () => Promise<void>;
}

type Serve = (request: IncomingMessage, response: ServerResponse, text: string) => void;

async function listen(serve: Serve, path: string): Promise<Host> {
  let readAt = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    const read = (): void => {
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const stop = /"stop reading".*"ms":(\d+)/.exec(text)?.[1];
        if (stop !== undefined) readAt = Date.now() + Number(stop);
        serve(request, response, text);
      });
    };
    setTimeout(read, Math.max(0, readAt - Date.now()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}${path}`),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** `data:` lines for every line of the text, as a good server writes them. */
function toEvent(text: string): string {
  return `${text
    .split(/\r\n|\n|\r/)
    .map((line) => `data: ${line}`)
    .join('\n')}\n\n`;
}

/** Answers every request on an event stream of its own; says nothing of its own accord. */
export function streamableHttpHost(): Promise<Host> {
  return listen((request, response, text) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const message = JSON.parse(text) as Message;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    handle(message, {
      send: (frame) => response.write(toEvent(frame)),
      garbage: ['\r', 'id: 1', ...garbage],
      die: () => response.socket!.destroy(),
      stopReading: () => undefined,
    });
    if (message.method !== 'die') response.end();
  }, '/mcp');
}

export async function httpSseHost(): Promise<Host> {
  let stream: ServerResponse | undefined;
  return listen((request, response, text) => {
    if (request.method === 'GET') {
      stream = response;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: messages?session=1\n\n');
      return;
    }
    // The transport of 2024-11-05 has no POST at the URL of its stream.
    if (!request.url!.includes('messages')) {
      response.writeHead(405).end();
      return;
    }
    response.writeHead(202).end('Accepted');
    handle(JSON.parse(text), {
      send: (frame) => stream!.write(toEvent(frame)),
      garbage: ['\r', ...garbage],
      die: () => stream!.socket!.destroy(),
      stopReading: () => undefined,
    });
  }, '/sse');
}

export async function webSocketHost(): Promise<Host> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  await new Promise((resolve) => server.once('listening', resolve));
  server.on('connection', (socket) => {
    socket.on('message', (data) => {
      handle(JSON.parse((data as Buffer).toString('utf8')), {
        send: (frame) => {
          socket.send(frame);
        },
        garbage,
        die: () => {
          socket.terminate();
        },
        stopReading: (ms: number) => {
          socket.pause();
          setTimeout(() => {
            socket.resume();
          }, ms);
        },
      });
    });
  });
  return {
    url: new URL(`ws://127.0.0.1:${String((server.address() as AddressInfo).port)}/`),
    stop: async () => {
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
