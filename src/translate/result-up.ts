// A legacy result as the modern result: marked complete, signed with the server's name, given cache hints where the
// method has them. Everything else of it passes as text.
import { find, sourceOf, text, toBytes, type Chunks, type Frame } from '../jsonrpc/frame.ts';
import { editObject, entry, toObject, type Change } from '../jsonrpc/object-edit.ts';
import type { Member } from '../jsonrpc/scan.ts';
import { relatedTaskKey, serverInfoKey } from '../protocol/meta-keys.ts';
import { mayNeedTidying, tidyMember } from './tidy.ts';
import type { Shape } from './shapes.ts';

export type CacheScope = 'public' | 'private';

/** How long, and for whom, a result may be kept. spec 2026-07-28 server/utilities/caching */
export interface CacheHints {
  readonly ttlMs: number;
  readonly cacheScope: CacheScope;
}

export interface ResultRules {
  /** JSON text of the server's `Implementation`. */
  readonly serverInfo: Buffer;
  readonly hints: CacheHints | undefined;
  readonly shape: Shape | undefined;
}

const COMPLETE = entry('resultType', [text('"complete"')]);

function hintEntries(hints: CacheHints | undefined): readonly Chunks[] {
  if (hints === undefined) return [];
  return [entry('ttlMs', [toBytes(hints.ttlMs)]), entry('cacheScope', [toBytes(hints.cacheScope)])];
}

const META = text(`"_meta":{"${serverInfoKey}":`);
const END = text('}');

/** The `_meta` of a result that has none of its own, with the server's name in it. */
export function signature(serverInfo: Buffer): Chunks {
  return [META, serverInfo, END];
}

/** A result of the bridge's own making. */
export function completeResult(entries: readonly Chunks[], serverInfo: Buffer): Chunks {
  return toObject([...entries, signature(serverInfo)]);
}

/** The modern result, or undefined when the legacy frame holds no readable one. */
export function toModernResult(frame: Frame, rules: ResultRules): Chunks | undefined {
  const result = find(frame.members, 'result');
  if (result?.members === undefined || find(frame.members, 'error') !== undefined) return undefined;
  const meta = find(result.members, '_meta');
  const signed = meta && signedMeta(frame, meta, rules.serverInfo);
  const front = [COMPLETE, ...hintEntries(rules.hints)];
  if (signed === undefined) front.push(signature(rules.serverInfo));
  const shape = rules.shape && mayNeedTidying(frame, result, rules.shape) ? rules.shape : undefined;
  return editObject(sourceOf(frame), result.members, front, (member): Change => {
    if (member.key === 'resultType') return 'drop';
    if (member.key === '_meta') return member === meta && signed !== undefined ? signed : 'drop';
    if (rules.hints !== undefined && (member.key === 'ttlMs' || member.key === 'cacheScope')) return 'drop';
    return shape === undefined ? 'keep' : tidyMember(frame.bytes, member, shape);
  });
}

function signedMeta(frame: Frame, { members }: Member, serverInfo: Buffer): Chunks | undefined {
  if (members === undefined) return undefined;
  return editObject(sourceOf(frame), members, [entry(serverInfoKey, [serverInfo])], (member) =>
    member.key === serverInfoKey || member.key === relatedTaskKey ? 'drop' : 'keep',
  );
}

/** Whether a legacy tool result says that the tool failed. */
export function isErrorResult(frame: Frame): boolean {
  const flag = find(find(frame.members, 'result')?.members, 'isError');
  return flag !== undefined && frame.bytes[flag.start] === 0x74;
}
