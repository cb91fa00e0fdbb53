// A connection on which whole requests are written as bytes, one after the other, and their responses read.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawResponse {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

export class RawConnection {
  private readonly port: number;
  private socket: Socket | undefined;
  private received = Buffer.alloc(0);
  private onMore: () => void = () => undefined;

  constructor(port: number) {
    this.port = port;
  }

  get isConnecting(): boolean {
    return this.socket === undefined || this.socket.connecting;
  }

  /** The response; undefined where the connection was closed without one. */
  async request(bytes: Buffer): Promise<RawResponse | undefined> {
    const socket = await this.open();
    this.received = Buffer.alloc(0);
    socket.write(bytes);
    for (;;) {
      const response = parseResponse(this.received, socket.destroyed);
      if (response !== undefined) {
        if (/^connection: close/im.test(response.headers)) this.close();
        return response;
      }
      if (socket.destroyed) return undefined;
      await new Promise<void>((resolve) => (this.onMore = resolve));
    }
  }

  /** Ends the connection at once, as those do who vanish. */
  close(): void {
    this.socket?.resetAndDestroy();
    this.socket = undefined;
  }

  private async open(): Promise<Socket> {
    if (this.socket !== undefined && !this.socket.destroyed) return this.socket;
    const socket = connect(this.port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.onMore();
    });
    socket.on('data', (chunk: Buffer) => {
      this.received = Buffer.concat([this.received, chunk]);
      this.onMore();
    });
    this.socket = socket;
    await once(socket, 'connect');
    return socket;
  }
}

function parseResponse(bytes: Buffer, isEnded: boolean): RawResponse | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const headers = bytes.toString('latin1', 0, end);
  const status = Number(headers.slice(9, 12));
  const rest = bytes.subarray(end + 4);
  const length = /^content-length: (\d+)/im.exec(headers)?.[1];
  if (status === 204 || status === 202) return { status, headers, body: '' };
  if (length !== undefined)
    return rest.length < Number(length) ? undefined : { status, headers, body: rest.toString('utf8') };
  const isWhole = isEnded || rest.subarray(-5).toString('latin1') === '0\r\n\r\n';
  return isWhole ? { status, headers, body: rest.toString('utf8') } : undefined;
}
