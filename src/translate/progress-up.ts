// Notifications that belong to one request, as its client may see them.
import { find, isNull, stringMember, text, valueOf, type Chunks, type Frame } from '../jsonrpc/frame.ts';
import { editObject, type Change } from '../jsonrpc/object-edit.ts';
import { startsWith, type Member } from '../jsonrpc/scan.ts';
import { isAtLeast, isLogLevel, type LogLevel } from '../protocol/log-levels.ts';

export interface Progress {
  readonly value: number;
  /** JSON text of the params under the client's own token. */
  readonly params: Chunks;
}

/** Undefined when the notification is not one that a client may be sent. spec 2026-07-28 basic/patterns/progress */
export function toModernProgress(frame: Frame, token: Buffer): Progress | undefined {
  const { bytes } = frame;
  const params = find(frame.members, 'params')?.members;
  const progress = find(params, 'progress');
  const value = progress && numberOf(bytes, progress);
  if (params === undefined || value === undefined) return undefined;
  return {
    value,
    params: editObject(bytes, params, [], (member): Change => {
      if (member.key === 'progressToken') return [token];
      return isGoodMember(bytes, member) ? 'keep' : 'drop';
    }),
  };
}

function numberOf(bytes: Buffer, member: Member): number | undefined {
  const value = valueOf(bytes, member);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function isGoodMember(bytes: Buffer, member: Member): boolean {
  if (member.key === 'total') return numberOf(bytes, member) !== undefined;
  return member.key === 'message' ? startsWith(bytes, member, '"') : !isNull(bytes, member);
}

/** The params of a log message at or above `wanted`, or undefined. spec 2026-07-28 server/utilities/logging */
export function toModernLogMessage(frame: Frame, wanted: LogLevel): Chunks | undefined {
  const { bytes } = frame;
  const params = find(frame.members, 'params');
  const level = stringMember(bytes, params?.members, 'level');
  if (params?.members === undefined || !isLogLevel(level) || !isAtLeast(level, wanted)) return undefined;
  const hasData = find(params.members, 'data') !== undefined;
  const front = hasData ? [] : [[text('"data":null')]];
  return editObject(bytes, params.members, front, (member) =>
    member.key !== 'data' && isNull(bytes, member) ? 'drop' : 'keep',
  );
}
