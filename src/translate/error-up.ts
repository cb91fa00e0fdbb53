// A legacy error as the modern error. Codes whose meaning changed are given another; the rest passes as text.
import { find, slice, text, toBytes, valueOf, type Chunks, type Frame } from '../jsonrpc/frame.ts';
import { editObject, entry, toObject, type Change } from '../jsonrpc/object-edit.ts';
import { membersOf, startsWith, type Member, type Span } from '../jsonrpc/scan.ts';
import { internalError, invalidParams, isReserved, legacyResourceNotFound } from '../protocol/error-codes.ts';

interface Verdict {
  readonly code: number;
  /** Members to put into `data`. */
  readonly data: readonly Chunks[];
}

/**
 * The modern error object. `uri` is the JSON text of the URI that was read, for "resource not found".
 * spec 2026-07-28 basic/index#error-codes
 */
export function toModernError(frame: Frame, uri: Buffer | undefined): Chunks {
  const { bytes } = frame;
  const error = find(frame.members, 'error');
  if (error?.members === undefined) return unreadable();
  const code = find(error.members, 'code');
  const message = find(error.members, 'message');
  const verdict = judge(bytes, error.members, uri);
  const isReadable = message !== undefined && startsWith(bytes, message, '"');
  if (verdict === undefined && isReadable) return [slice(bytes, error)];
  return [
    text('{"code":'),
    verdict === undefined ? slice(bytes, code as Member) : toBytes(verdict.code),
    text(',"message":'),
    isReadable ? slice(bytes, message) : text('"The server gave an error without a message"'),
    ...dataOf(bytes, find(error.members, 'data'), verdict?.data ?? []),
    text('}'),
  ];
}

function unreadable(): Chunks {
  return [text(`{"code":${String(internalError)},"message":"The server gave an unreadable error"}`)];
}

/** Undefined when the code may stay. */
function judge(bytes: Buffer, members: readonly Member[], uri: Buffer | undefined): Verdict | undefined {
  const member = find(members, 'code');
  const code = member && valueOf(bytes, member);
  if (code === legacyResourceNotFound) {
    const known = uri !== undefined && !hasUri(bytes, find(members, 'data'));
    return { code: invalidParams, data: known ? [entry('uri', [uri])] : [] };
  }
  if (typeof code === 'number' && Number.isSafeInteger(code) && !isReserved(code)) return undefined;
  const text = member ? slice(bytes, member) : Buffer.from('null');
  return { code: internalError, data: [entry('legacyCode', [text])] };
}

function hasUri(bytes: Buffer, data: Span | undefined): boolean {
  if (data === undefined || !startsWith(bytes, data, '{')) return false;
  return find(membersOf(bytes, data), 'uri') !== undefined;
}

/** `,"data":…` with the added members in front; data that is not an object is kept beside them. */
function dataOf(bytes: Buffer, data: Member | undefined, added: readonly Chunks[]): Chunks {
  if (data === undefined) return added.length === 0 ? [] : wrapped(toObject(added));
  if (added.length === 0) return wrapped([slice(bytes, data)]);
  if (!startsWith(bytes, data, '{'))
    return wrapped(toObject([...added, entry('data', [slice(bytes, data)])]));
  const keep = (member: Member): Change => (member.key === 'legacyCode' ? 'drop' : 'keep');
  return wrapped(editObject(bytes, membersOf(bytes, data), added, keep));
}

function wrapped(data: Chunks): Chunks {
  return [text(',"data":'), ...data];
}
