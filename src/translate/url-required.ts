// The legacy error that says what a user has to open first, as the questions that ask for it. The request that it
// answers has not run. spec 2025-11-25 client/elicitation#url-elicitation-required-error
import { find, join, parseFrame, slice, stringMember, text, type Frame } from '../jsonrpc/frame.ts';
import { editObject, entry } from '../jsonrpc/object-edit.ts';
import { elementsOf, membersOf, startsWith, type Span } from '../jsonrpc/scan.ts';

const urlRequired = '-32042';

/** Requests `elicitation/create` in URL mode, without ids; undefined when the frame is no such error, or a broken one. */
export function toUrlElicitations(frame: Frame): readonly Frame[] | undefined {
  const error = find(frame.members, 'error')?.members;
  const code = find(error, 'code');
  if (code === undefined) return undefined;
  const { bytes } = frame;
  if (slice(bytes, code).toString('latin1') !== urlRequired) return undefined;
  const data = find(error, 'data');
  const list =
    data && startsWith(bytes, data, '{') ? find(membersOf(bytes, data), 'elicitations') : undefined;
  if (list === undefined || !startsWith(bytes, list, '[')) return undefined;
  const found = elementsOf(bytes, list).map((element) => toRequest(bytes, element));
  return found.length > 0 && found.every((each) => each !== undefined) ? found : undefined;
}

function toRequest(bytes: Buffer, element: Span): Frame | undefined {
  const params = startsWith(bytes, element, '{') ? membersOf(bytes, element) : [];
  const isWhole = ['url', 'message'].every((name) => stringMember(bytes, params, name) !== undefined);
  if (!isWhole) return undefined;
  const mode = entry('mode', [text('"url"')]);
  const inUrlMode = editObject(bytes, params, [mode], ({ key }) => (key === 'mode' ? 'drop' : 'keep'));
  const head = text('{"jsonrpc":"2.0","method":"elicitation/create","params":');
  const parsed = parseFrame(join([head, ...inUrlMode, text('}')]));
  return parsed.ok ? parsed.frame : undefined;
}
