// The body of a request, whole and within its limit.
import type { IncomingMessage } from 'node:http';
import type { BridgeError } from '../errors.ts';
import { tooLarge } from './wire.ts';

export type BodyHandler = (body: Buffer | BridgeError) => void;

/** Reads the body. An oversize one is told of at once; the connection is then not worth keeping. */
export function readBody(request: IncomingMessage, maxBytes: number, onBody: BodyHandler): void {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBytes) {
    onBody(tooLarge());
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    chunks.push(chunk);
    if (size <= maxBytes) return;
    request.off('data', onData);
    request.off('end', onEnd);
    request.pause();
    onBody(tooLarge());
  };
  const onEnd = (): void => {
    onBody(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
  };
  request.on('data', onData);
  request.on('end', onEnd);
}
