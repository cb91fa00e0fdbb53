// A modern request as the legacy request for the same thing. Pure: the ids and tokens come from the session.
import { find, slice, text, toBytes, type Chunks } from '../jsonrpc/frame.ts';
import { editObject, entry, type Change } from '../jsonrpc/object-edit.ts';
import type { Member } from '../jsonrpc/scan.ts';
import { metaPrefix } from '../protocol/meta-keys.ts';
import type { ModernRequest } from '../protocol/modern-request.ts';

const CLOSE = text('}');
const PROGRESS_TOKEN = text('"progressToken":');

/**
 * The legacy frame. What belongs to the modern era alone is taken out: the `io.modelcontextprotocol/*` metadata and
 * the multi round-trip members. A progress token is put in where `progressToken` is given, and a wish to have the call
 * run as a task where `taskTtlMs` is. All else is the client's own text, in its order.
 */
export function toLegacyRequest(
  request: ModernRequest,
  id: number,
  progressToken: number | undefined,
  taskTtlMs?: number,
): Chunks {
  const { bytes, members } = request.frame;
  const method = find(members, 'method') as Member;
  return [
    text(`{"jsonrpc":"2.0","id":${String(id)},"method":`),
    slice(bytes, method),
    text(',"params":'),
    ...toLegacyParams(request, progressToken, taskTtlMs),
    CLOSE,
  ];
}

function toLegacyParams(
  request: ModernRequest,
  progressToken: number | undefined,
  taskTtlMs: number | undefined,
): Chunks {
  const { bytes } = request.frame;
  const meta = toLegacyMeta(request, progressToken);
  const task = taskTtlMs === undefined ? [] : [entry('task', [toBytes({ ttl: taskTtlMs })])];
  // Whether a call becomes a task is not for a modern client to say.
  const isTool = request.method === 'tools/call';
  return editObject(bytes, request.params.members, task, (member): Change => {
    if (member.key === 'task' && isTool) return 'drop';
    if (member.key === 'inputResponses' || member.key === 'requestState') return 'drop';
    return member.key === '_meta' ? meta : 'keep';
  });
}

function toLegacyMeta(request: ModernRequest, progressToken: number | undefined): Chunks | 'drop' {
  const members = find(request.params.members, '_meta')?.members ?? [];
  const isForeign = (member: Member): boolean =>
    member.key !== 'progressToken' && !member.key.startsWith(metaPrefix);
  const front = progressToken === undefined ? [] : [[PROGRESS_TOKEN, text(String(progressToken))]];
  if (front.length === 0 && !members.some(isForeign)) return 'drop';
  return editObject(request.frame.bytes, members, front, (member) => (isForeign(member) ? 'keep' : 'drop'));
}
