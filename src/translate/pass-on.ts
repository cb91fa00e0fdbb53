// Messages between a modern client and a modern server, which pass as they are: what the bridge puts in their place to
// tell its clients apart (ids, progress tokens, the ids of subscriptions) is put back on the way.
import { find, slice, toBytes, type Chunks, type Frame } from '../jsonrpc/frame.ts';
import { editObject, type Change } from '../jsonrpc/object-edit.ts';
import { startsWith, type Member } from '../jsonrpc/scan.ts';
import { subscriptionIdKey } from '../protocol/meta-keys.ts';
import type { ModernRequest } from '../protocol/modern-request.ts';

/** The request under another id, which is its progress token as well where the client asks for progress. */
export function toForwarded({ frame, params }: ModernRequest, id: number): Chunks {
  const idText = [toBytes(id)];
  return editObject(frame.bytes, frame.members, [], (member): Change => {
    if (member.key === 'id') return idText;
    return member.key === 'params' ? withMeta(frame.bytes, params, 'progressToken', idText) : 'keep';
  });
}

/** The params of a progress notification under the client's own token. */
export function withToken({ bytes, members }: Frame, token: Buffer): Chunks | undefined {
  const params = find(members, 'params')?.members;
  return params && editObject(bytes, params, [], ({ key }) => (key === 'progressToken' ? [token] : 'keep'));
}

/** The params of a notification, or a result, that bears the id of a listen request, with the client's own. */
export function withSubscription(
  { bytes, members }: Frame,
  name: 'params' | 'result',
  id: Buffer,
): Chunks | undefined {
  const member = find(members, name);
  return member?.members && withMeta(bytes, member, subscriptionIdKey, [id]);
}

/** The object as it is, but for one member of its `_meta`, if that is there. */
function withMeta(bytes: Buffer, object: Member, key: string, value: Chunks): Chunks {
  const meta = find(object.members, '_meta');
  const isThere = meta !== undefined && startsWith(bytes, meta, '{') && find(meta.members, key) !== undefined;
  if (!isThere) return [slice(bytes, object)];
  const changed = editObject(bytes, meta.members ?? [], [], (each) => (each.key === key ? value : 'keep'));
  return editObject(bytes, object.members ?? [], [], (each) => (each === meta ? changed : 'keep'));
}
