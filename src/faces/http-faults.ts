// What is wrong with a connection before there is a request: too slow, too large, no HTTP. It is told as an error of
// JSON-RPC like everything else, and the connection is closed.
import type { Duplex } from 'node:stream';
import { outcomeOf } from '../bridge/outcome.ts';
import { BridgeError } from '../errors.ts';
import { join } from '../jsonrpc/frame.ts';
import { invalidRequest } from '../protocol/error-codes.ts';
import { responseFrame } from './wire.ts';

export function answerFault(code: string | undefined, socket: Duplex): void {
  if (!socket.writable || code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, name, error } = faultOf(code);
  const body = join(responseFrame(undefined, outcomeOf(error)));
  const head = [
    `HTTP/1.1 ${String(status)} ${name}`,
    'Content-Type: application/json',
    `Content-Length: ${String(body.length)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body.toString('utf8')}`);
}

function faultOf(code: string | undefined): { status: number; name: string; error: BridgeError } {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const error = new BridgeError(invalidRequest, 'too_slow', 'The request took too long to come');
    return { status: 408, name: 'Request Timeout', error };
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    const error = new BridgeError(invalidRequest, 'headers_too_large', 'The headers are over the size limit');
    return { status: 431, name: 'Request Header Fields Too Large', error };
  }
  const error = new BridgeError(invalidRequest, 'invalid_request', 'Not an HTTP request');
  return { status: 400, name: 'Bad Request', error };
}
