// The messages of a subscriptions/listen stream. spec 2026-07-28 basic/patterns/subscriptions
import { find, text, toBytes, valueOf, type Chunks, type Frame } from '../jsonrpc/frame.ts';
import { editObject, entry, toObject, type Change } from '../jsonrpc/object-edit.ts';
import { startsWith, type Member } from '../jsonrpc/scan.ts';
import { serverInfoKey, subscriptionIdKey } from '../protocol/meta-keys.ts';

/** What a client wants to be told of, or what it will be told of. */
export interface SubscriptionFilter {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
  readonly uris: readonly string[];
}

/** Reads `params.notifications`. Unknown kinds, and anything of another type, ask for nothing. */
export function parseFilter(bytes: Buffer, notifications: Member): SubscriptionFilter {
  const value = valueOf(bytes, notifications) as Readonly<Record<string, unknown>>;
  const uris = value['resourceSubscriptions'];
  return {
    tools: value['toolsListChanged'] === true,
    prompts: value['promptsListChanged'] === true,
    resources: value['resourcesListChanged'] === true,
    uris: Array.isArray(uris)
      ? [...new Set(uris.filter((uri): uri is string => typeof uri === 'string'))]
      : [],
  };
}

export function isEmpty(filter: SubscriptionFilter): boolean {
  return !filter.tools && !filter.prompts && !filter.resources && filter.uris.length === 0;
}

/** The params of the acknowledgement. `id` is the JSON text of the listen request's id. */
export function toAcknowledgement(id: Buffer, filter: SubscriptionFilter): Chunks {
  const honoured = {
    ...(filter.tools && { toolsListChanged: true }),
    ...(filter.prompts && { promptsListChanged: true }),
    ...(filter.resources && { resourcesListChanged: true }),
    ...(filter.uris.length > 0 && { resourceSubscriptions: filter.uris }),
  };
  return [
    text(`{"_meta":{"${subscriptionIdKey}":`),
    id,
    text('},"notifications":'),
    toBytes(honoured),
    text('}'),
  ];
}

/** The params of an event, as the server sent it (`frame`) or made up by the bridge. */
export function toEvent(id: Buffer, frame: Frame | undefined, uri: string | undefined): Chunks {
  const tag = entry(subscriptionIdKey, [id]);
  const params = find(frame?.members, 'params');
  if (frame === undefined || params?.members === undefined) {
    const members = [entry('_meta', toObject([tag]))];
    if (uri !== undefined) members.push(entry('uri', [toBytes(uri)]));
    return toObject(members);
  }
  const meta = find(params.members, '_meta');
  const tagged = meta !== undefined && startsWith(frame.bytes, meta, '{') ? (meta.members ?? []) : [];
  const newMeta = editObject(frame.bytes, tagged, [tag], (each) =>
    each.key === subscriptionIdKey ? 'drop' : 'keep',
  );
  return editObject(frame.bytes, params.members, [entry('_meta', newMeta)], (member): Change =>
    member.key === '_meta' ? 'drop' : 'keep',
  );
}

/** The result that ends a stream gracefully. spec 2026-07-28 basic/patterns/subscriptions#graceful-closure */
export function toListenResult(id: Buffer, serverInfo: Buffer): Chunks {
  return [
    text(`{"resultType":"complete","_meta":{"${subscriptionIdKey}":`),
    id,
    text(`,"${serverInfoKey}":`),
    serverInfo,
    text('}}'),
  ];
}
