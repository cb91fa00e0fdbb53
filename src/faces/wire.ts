// Frames as a face writes them, and what both faces check before the bridge sees a request.
import type { Outcome } from '../bridge/outcome.ts';
import { BridgeError } from '../errors.ts';
import { find, text, toBytes, type Chunks, type Frame, type FrameFault } from '../jsonrpc/frame.ts';
import type { RequestId } from '../jsonrpc/request-id.ts';
import { invalidRequest, parseError, unsupportedVersion } from '../protocol/error-codes.ts';
import {
  isModern,
  parseModernRequest,
  type ClientMessage,
  type ModernRequest,
} from '../protocol/modern-request.ts';
import { servedVersions } from '../protocol/versions.ts';

const HEAD = text('{"jsonrpc":"2.0",');
const ID = text('"id":');
const RESULT = text('"result":');
const ERROR = text('"error":');
const COMMA = text(',');
const END = text('}');

/** A response. Without a readable id the member is left out. */
export function responseFrame(id: RequestId | undefined, outcome: Outcome): Chunks {
  const member = outcome.kind === 'result' ? RESULT : ERROR;
  const head = id === undefined ? [HEAD] : [HEAD, ID, id.text, COMMA];
  return [...head, member, ...outcome.body, END];
}

export function notificationFrame(method: string, params: Chunks): Chunks {
  return [HEAD, text('"method":'), toBytes(method), text(',"params":'), ...params, END];
}

/** spec 2026-07-28 basic/index#error-codes; a batch is one bad request, nothing of it is done. */
export function frameFault(reason: FrameFault): BridgeError {
  if (reason === 'unparsable')
    return new BridgeError(parseError, 'unparsable', 'Not valid JSON', { status: 400 });
  const what = reason === 'batch' ? 'Batches are not part of this protocol' : 'Not a JSON-RPC 2.0 request';
  return new BridgeError(invalidRequest, 'invalid_request', what, { status: 400 });
}

/** A message of a client that is over the limit. */
export function tooLarge(): BridgeError {
  const message = 'The message is over the size limit';
  return new BridgeError(invalidRequest, 'message_too_large', message, { status: 413 });
}

/** Whether a frame answers something: modern clients are never asked, so it is no message of theirs. */
export function isResponse(frame: Frame): boolean {
  const has = (name: string): boolean => find(frame.members, name) !== undefined;
  return !has('method') && (has('result') || has('error'));
}

/** The request with its metadata. A legacy `initialize` is told which versions are served. */
export function admit(message: ClientMessage & { kind: 'request' }): ModernRequest {
  if (message.method === 'initialize' && !isModern(message.frame)) throw legacyClient();
  return parseModernRequest(message);
}

/** spec 2026-07-28 basic/versioning#backward-compatibility-with-initialization-based-versions */
function legacyClient(): BridgeError {
  const versions = servedVersions.join(', ');
  return new BridgeError(
    unsupportedVersion,
    'unsupported_version',
    `This endpoint speaks MCP ${versions} only`,
    {
      status: 400,
      data: { supported: servedVersions, requested: 'initialize' },
    },
  );
}
