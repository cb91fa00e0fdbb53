// The body of a request, whole and within its limits: its own, and that of all bodies that are on their way.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tooManyBytes } from '../protocol/refusals.ts';
import type { BridgeError } from '../errors.ts';
import { tooLarge } from './wire.ts';

export type BodyHandler = (body: Buffer | BridgeError) => void;

export interface BodyLimits {
  readonly maxMessageBytes: number;
  /** Of all bodies that are being read. One alone may always have more. */
  readonly maxHeldBytes: number;
}

/** How long is read what nobody wants any more. */
const lingerMs = 1000;

/** Ends a response in the middle of its request: closed on what is unread, the connection would take the answer along. */
export function linger(request: IncomingMessage, response: ServerResponse): void {
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, lingerMs);
  request.once('close', end).once('end', end).resume();
}

export class BodyReader {
  private readonly limits: BodyLimits;
  private heldBytes = 0;

  constructor(limits: BodyLimits) {
    this.limits = limits;
  }

  /**
   * Reads the body. One that is too much is told of at once; the connection is then not worth keeping. A request that
   * ends before its body does is not told of.
   */
  read(request: IncomingMessage, onBody: BodyHandler): void {
    const { maxMessageBytes, maxHeldBytes } = this.limits;
    if (Number(request.headers['content-length'] ?? 0) > maxMessageBytes) {
      onBody(tooLarge());
      return;
    }
    let chunks: Buffer[] = [];
    let size = 0;
    let isOver = false;
    const stop = (): void => {
      isOver = true;
      this.heldBytes -= size;
      size = 0;
      chunks = [];
    };
    const refuse = (error: BridgeError): void => {
      stop();
      onBody(error);
    };
    const onData = (chunk: Buffer): void => {
      if (isOver) return;
      const isOthersToo = this.heldBytes > size;
      size += chunk.length;
      this.heldBytes += chunk.length;
      chunks.push(chunk);
      if (size > maxMessageBytes) refuse(tooLarge());
      else if (isOthersToo && this.heldBytes > maxHeldBytes) refuse(tooManyBytes());
    };
    const onEnd = (): void => {
      if (isOver) return;
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      stop();
      onBody(body);
    };
    request.on('data', onData).on('end', onEnd).on('close', stop);
  }
}
