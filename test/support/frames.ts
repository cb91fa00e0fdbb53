// Frames and requests for tests of the pure rooms.
import { join, parseFrame, type Chunks, type Frame } from '../../src/jsonrpc/frame.ts';
import {
  parseClientMessage,
  parseModernRequest,
  type ModernRequest,
} from '../../src/protocol/modern-request.ts';
import { metadata } from './harness.ts';

export function frameOf(text: string): Frame {
  const parsed = parseFrame(Buffer.from(text));
  if (!parsed.ok) throw new Error(`not a frame: ${parsed.reason}`);
  return parsed.frame;
}

export function requestOf(text: string): ModernRequest {
  const message = parseClientMessage(frameOf(text));
  if (message.kind !== 'request') throw new Error('not a request');
  return parseModernRequest(message);
}

/** A request with good metadata; `params` is the inside of an object's text. */
export function requestWith(method: string, params = '', meta: object = {}): ModernRequest {
  const _meta = JSON.stringify({ ...metadata(), ...meta });
  return requestOf(
    `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{${params}${params === '' ? '' : ','}"_meta":${_meta}}}`,
  );
}

export function textOf(chunks: Chunks | undefined): string {
  if (chunks === undefined) throw new Error('nothing came out');
  return join(chunks).toString('utf8');
}
