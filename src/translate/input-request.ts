// A legacy server's question (elicitation, sampling, roots) as an input request of a modern result.
// spec 2026-07-28 basic/patterns/mrtr#inputrequests
import { find, slice, stringMember, text, valueOf, type Chunks, type Frame } from '../jsonrpc/frame.ts';
import { editObject, type Change } from '../jsonrpc/object-edit.ts';
import { membersOf, startsWith, type Member } from '../jsonrpc/scan.ts';
import type { Capabilities } from '../protocol/client-capabilities.ts';
import type { InputKind } from '../protocol/input-kinds.ts';
import { inputKeyKey, metaPrefix } from '../protocol/meta-keys.ts';

export interface InputRequest {
  readonly kind: InputKind;
  /** The key to show it under, not yet made unique. */
  readonly key: string;
  /** What the client must have declared to be asked. */
  readonly needs: Capabilities;
  /** JSON text of the modern request object. */
  readonly body: Chunks;
}

/** Params that steer things that only the legacy side has. */
const legacyOnly: ReadonlySet<string> = new Set(['elicitationId', 'task']);

// Kept with a parked call: parts of the pool that short buffers are cut from would keep all of it.
const METHOD = text('{"method":');
const PARAMS = text(',"params":');
const CLOSE = text('}');
const rootsRequest = text('{"method":"roots/list"}');

/** The question, or undefined when its params are not an object. */
export function toInputRequest(frame: Frame, kind: InputKind): InputRequest | undefined {
  const { bytes } = frame;
  const params = find(frame.members, 'params');
  if (params === undefined && kind === 'roots')
    return { kind, key: 'roots', needs: { roots: {} }, body: [rootsRequest] };
  if (params?.members === undefined) return undefined;
  const meta = find(params.members, '_meta')?.members;
  return {
    kind,
    key: stringMember(bytes, meta, inputKeyKey) ?? onlyProperty(bytes, params.members) ?? kind,
    needs: needsOf(bytes, params.members, kind),
    body: [
      METHOD,
      slice(bytes, find(frame.members, 'method') as Member),
      PARAMS,
      ...toModernParams(bytes, params.members),
      CLOSE,
    ],
  };
}

/** The name of the only property of a form with one property. */
function onlyProperty(bytes: Buffer, params: readonly Member[]): string | undefined {
  const schema = find(params, 'requestedSchema');
  if (schema === undefined || !startsWith(bytes, schema, '{')) return undefined;
  const properties = find(membersOf(bytes, schema), 'properties');
  if (properties === undefined || !startsWith(bytes, properties, '{')) return undefined;
  const names = membersOf(bytes, properties);
  return names.length === 1 ? names[0]?.key : undefined;
}

function needsOf(bytes: Buffer, params: readonly Member[], kind: InputKind): Capabilities {
  if (kind === 'roots') return { roots: {} };
  if (kind === 'sampling') {
    const tools = find(params, 'tools');
    return { sampling: tools && startsWith(bytes, tools, '[') ? { tools: {} } : {} };
  }
  const mode = find(params, 'mode');
  return { elicitation: mode && valueOf(bytes, mode) === 'url' ? { url: {} } : { form: {} } };
}

function toModernParams(bytes: Buffer, params: readonly Member[]): Chunks {
  return editObject(bytes, params, [], (member): Change => {
    if (legacyOnly.has(member.key)) return 'drop';
    return member.key === '_meta' ? toModernMeta(bytes, member) : 'keep';
  });
}

function toModernMeta(bytes: Buffer, meta: Member): Chunks | 'drop' {
  const isOwn = (member: Member): boolean =>
    member.key !== 'progressToken' && member.key !== inputKeyKey && !member.key.startsWith(metaPrefix);
  const members = meta.members ?? [];
  if (!members.some(isOwn)) return 'drop';
  return editObject(bytes, members, [], (member) => (isOwn(member) ? 'keep' : 'drop'));
}
