// A client's frame as a modern request: every check of the body that needs nothing but the body.
// Knows no transport; HTTP's header rules are in faces/.
import { BridgeError } from '../errors.ts';
import { find, hasDuplicate, slice, stringMember, valueOf, type Frame } from '../jsonrpc/frame.ts';
import { parseRequestId, type RequestId } from '../jsonrpc/request-id.ts';
import { startsWith, type Member } from '../jsonrpc/scan.ts';
import type { Capabilities } from './client-capabilities.ts';
import { invalidParams, invalidRequest } from './error-codes.ts';
import { isLogLevel, type LogLevel } from './log-levels.ts';
import { metaPrefix } from './meta-keys.ts';
import type { Method } from './methods.ts';

export interface ModernRequest {
  readonly frame: Frame;
  readonly id: RequestId;
  readonly method: string;
  /** The member `params`; its own members are listed. */
  readonly params: Member & { readonly members: readonly Member[] };
  readonly version: string;
  /** The client's capabilities, an object; see `capabilitiesOf`. */
  readonly declared: Member;
  readonly logLevel: LogLevel | undefined;
  readonly progressToken: RequestId | undefined;
  readonly inputResponses: Member | undefined;
  readonly requestState: string | undefined;
}

export type ClientMessage =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly frame: Frame }
  | { readonly kind: 'notification'; readonly method: string; readonly frame: Frame };

/** The envelope alone. Throws -32600 with HTTP 400. spec 2026-07-28 basic/index#requests */
export function parseClientMessage(frame: Frame): ClientMessage {
  const { bytes, members } = frame;
  if (hasDuplicate(members)) throw notARequest('a member appears twice');
  if (stringMember(bytes, members, 'jsonrpc') !== '2.0') throw notARequest('"jsonrpc" must be "2.0"');
  const method = stringMember(bytes, members, 'method');
  if (method === undefined) throw notARequest('"method" must be a string');
  const idMember = find(members, 'id');
  if (idMember === undefined) return { kind: 'notification', method, frame };
  const id = parseRequestId(bytes, idMember);
  if (id === undefined) throw notARequest('"id" must be a string or an integer');
  return { kind: 'request', id, method, frame };
}

/**
 * Whether a client's message is one of the modern era. On a dual-era endpoint anything else is for a legacy session.
 * spec 2026-07-28 basic/versioning#backward-compatibility-with-initialization-based-versions
 */
export function isModern(frame: Frame): boolean {
  const meta = find(find(frame.members, 'params')?.members, '_meta')?.members;
  return find(meta, `${metaPrefix}protocolVersion`) !== undefined;
}

function notARequest(why: string): BridgeError {
  return new BridgeError(invalidRequest, 'invalid_request', `Not a JSON-RPC 2.0 request: ${why}.`, {
    status: 400,
  });
}

function badMetadata(why: string): BridgeError {
  return new BridgeError(invalidParams, 'invalid_metadata', `Request metadata: ${why}.`, { status: 400 });
}

function badParams(why: string): BridgeError {
  return new BridgeError(invalidParams, 'invalid_params', `Invalid params: ${why}.`, { status: 400 });
}

type ListedMember = Member & { readonly members: readonly Member[] };

/** The request metadata. Throws -32602 with HTTP 400. spec 2026-07-28 basic/index#meta */
export function parseModernRequest(message: ClientMessage & { kind: 'request' }): ModernRequest {
  const { bytes, members } = message.frame;
  const params = listed(find(members, 'params'), 'params');
  const meta = listed(find(params.members, '_meta'), '_meta');
  const version = stringMember(bytes, meta.members, `${metaPrefix}protocolVersion`);
  if (version === undefined) throw badMetadata('protocolVersion is missing');
  const declared = find(meta.members, `${metaPrefix}clientCapabilities`);
  if (declared === undefined || !startsWith(bytes, declared, '{'))
    throw badMetadata('clientCapabilities is missing');
  const inputResponses = find(params.members, 'inputResponses');
  if (inputResponses !== undefined && !startsWith(bytes, inputResponses, '{'))
    throw badParams('"inputResponses" must be an object');
  return {
    frame: message.frame,
    id: message.id,
    method: message.method,
    params,
    version,
    declared,
    logLevel: logLevelOf(bytes, meta),
    progressToken: progressTokenOf(bytes, meta),
    inputResponses,
    requestState: requestStateOf(bytes, params),
  };
}

/** What the client can be asked for. Read when it matters: most calls ask nothing. */
export function capabilitiesOf({ frame, declared }: ModernRequest): Capabilities {
  return valueOf(frame.bytes, declared) as Capabilities;
}

/** An object whose members can be trusted to be read alike by everyone. */
function listed(member: Member | undefined, name: string): ListedMember {
  if (member?.members === undefined) throw badMetadata(`"${name}" must be an object`);
  if (hasDuplicate(member.members)) throw badMetadata(`a member of "${name}" appears twice`);
  return member as ListedMember;
}

function logLevelOf(bytes: Buffer, meta: ListedMember): LogLevel | undefined {
  const member = find(meta.members, `${metaPrefix}logLevel`);
  if (member === undefined) return undefined;
  const level = valueOf(bytes, member);
  if (!isLogLevel(level)) throw badMetadata('unknown logLevel');
  return level;
}

function progressTokenOf(bytes: Buffer, meta: ListedMember): RequestId | undefined {
  const member = find(meta.members, 'progressToken');
  if (member === undefined) return undefined;
  const token = parseRequestId(bytes, member);
  if (token === undefined) throw badMetadata('progressToken must be a string or an integer');
  return token;
}

function requestStateOf(bytes: Buffer, params: ListedMember): string | undefined {
  const member = find(params.members, 'requestState');
  if (member === undefined) return undefined;
  const state = stringMember(bytes, params.members, 'requestState');
  if (state === undefined) throw badParams('"requestState" must be a string');
  return state;
}

/** The params that the method's own shape asks for. Throws -32602 with HTTP 400. */
export function checkParams(request: ModernRequest, method: Method): void {
  for (const { name, shape, isRequired } of method.params) {
    const member = find(request.params.members, name);
    if (member === undefined) {
      if (isRequired) throw badParams(`"${name}" is missing`);
    } else if (!startsWith(request.frame.bytes, member, shape === 'string' ? '"' : '{')) {
      throw badParams(`"${name}" must be ${shape === 'string' ? 'a string' : 'an object'}`);
    }
  }
}

/** The bytes of a param as the client wrote them. */
export function paramBytes(request: ModernRequest, name: string): Buffer | undefined {
  const member = find(request.params.members, name);
  return member && slice(request.frame.bytes, member);
}

/** The string of a param, or undefined. */
export function paramString(request: ModernRequest, name: string): string | undefined {
  return stringMember(request.frame.bytes, request.params.members, name);
}
