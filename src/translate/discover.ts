// The discover result made of what a legacy server said of itself. spec 2026-07-28 server/discover#response
import { find, isNull, text, toBytes, valueOf, type Chunks } from '../jsonrpc/frame.ts';
import { editObject, entry, toObject, type Change } from '../jsonrpc/object-edit.ts';
import { membersOf, startsWith, type Member } from '../jsonrpc/scan.ts';
import { tasksExtension } from '../protocol/meta-keys.ts';
import { isPresent, type ServerProfile } from '../protocol/server-profile.ts';
import { servedVersions } from '../protocol/versions.ts';
import { signature, type CacheHints } from './result-up.ts';

const flags = new Set(['listChanged', 'subscribe']);

/** Nothing invented, nothing lost; `tasks` is an extension now. */
function toModernCapabilities({ bytes, capabilities, tasks }: ServerProfile): Chunks {
  const extensions = tasks.call
    ? [entry('extensions', withTasks(bytes, find(capabilities, 'extensions')))]
    : [];
  return editObject(bytes, capabilities, extensions, (member): Change => {
    if (member.key === 'extensions' && tasks.call) return 'drop';
    if (member.key === 'tasks' || !isPresent(bytes, member)) return 'drop';
    if (!startsWith(bytes, member, '{')) return [text('{}')];
    return editObject(bytes, membersOf(bytes, member), [], (inner) => {
      const isOdd = flags.has(inner.key) && typeof valueOf(bytes, inner) !== 'boolean';
      return isOdd || isNull(bytes, inner) ? 'drop' : 'keep';
    });
  });
}

function withTasks(bytes: Buffer, extensions: Member | undefined): Chunks {
  const own =
    extensions !== undefined && startsWith(bytes, extensions, '{') ? membersOf(bytes, extensions) : [];
  return editObject(bytes, own, [entry(tasksExtension, [text('{}')])], ({ key }) =>
    key === tasksExtension ? 'drop' : 'keep',
  );
}

export function toDiscoverResult(profile: ServerProfile, hints: CacheHints): Chunks {
  const members: Chunks[] = [
    entry('resultType', [text('"complete"')]),
    entry('supportedVersions', [toBytes(servedVersions)]),
    entry('capabilities', toModernCapabilities(profile)),
    entry('ttlMs', [toBytes(hints.ttlMs)]),
    entry('cacheScope', [toBytes(hints.cacheScope)]),
    signature(profile.serverInfo),
  ];
  if (profile.instructions !== undefined) members.push(entry('instructions', [profile.instructions]));
  return toObject(members);
}
