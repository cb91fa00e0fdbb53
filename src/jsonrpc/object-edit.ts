// Changes to a JSON object that leave every other byte of it as it was: members are dropped, replaced or put in
// front, and all that stays is copied as text, in its order.
import { text, type Chunks } from './frame.ts';
import type { LongText } from './long-text.ts';
import type { Member } from './scan.ts';

/** What becomes of a member: kept as it is, dropped, or given another value. */
export type Change = 'keep' | 'drop' | Chunks;

const OPEN = text('{');
const CLOSE = text('}');
const COMMA = text(',');
const nothing = Buffer.alloc(0);

/** One `"key":value` to put in front of an object's own members. */
export function entry(key: string, value: Chunks): Chunks {
  return [text(`${JSON.stringify(key)}:`), ...value];
}

/** The object that has just these entries. */
export function toObject(entries: readonly Chunks[]): Chunks {
  return editObject(nothing, [], entries, () => 'keep');
}

/**
 * The object with `front` before its own members and each of those changed as `change` says.
 * Runs of kept members are copied in one piece.
 */
export function editObject(
  source: Buffer | LongText,
  members: readonly Member[],
  front: readonly Chunks[],
  change: (member: Member) => Change,
): Chunks {
  const out: Buffer[] = [OPEN];
  const copy = (start: number, end: number): void => {
    if (Buffer.isBuffer(source)) out.push(source.subarray(start, end));
    else out.push(...source.chunks(start, end));
  };
  const separate = (): void => {
    if (out.length > 1) out.push(COMMA);
  };
  for (const chunks of front) {
    separate();
    out.push(...chunks);
  }
  let runStart = -1;
  let runEnd = -1;
  const endRun = (): void => {
    if (runStart === -1) return;
    separate();
    copy(runStart, runEnd);
    runStart = -1;
  };
  for (const member of members) {
    const wish = change(member);
    if (wish === 'keep') {
      if (runStart === -1) runStart = member.keyStart;
      runEnd = member.end;
      continue;
    }
    endRun();
    if (wish === 'drop') continue;
    separate();
    copy(member.keyStart, member.start);
    out.push(...wish);
  }
  endRun();
  out.push(CLOSE);
  return out;
}
