// A client's answer to an input request as the legacy result of the server's question. A misshapen answer is
// undefined: it is asked for again. spec 2026-07-28 basic/patterns/mrtr#error-handling
import { find, slice, stringMember, valueOf, type Chunks } from '../jsonrpc/frame.ts';
import { editObject, type Change } from '../jsonrpc/object-edit.ts';
import { elementsOf, membersOf, startsWith, type Member, type Span } from '../jsonrpc/scan.ts';
import type { InputKind } from '../protocol/input-kinds.ts';
import { takesContentList, type SessionVersion } from '../protocol/versions.ts';

/** The JSON text of the legacy result, or undefined when the answer is not one of its kind. */
export function toLegacyAnswer(
  bytes: Buffer,
  answer: Span,
  kind: InputKind,
  version: SessionVersion,
): Chunks | undefined {
  if (!startsWith(bytes, answer, '{')) return undefined;
  const members = membersOf(bytes, answer);
  switch (kind) {
    case 'elicitation':
      return elicitationAnswer(bytes, members);
    case 'sampling':
      return samplingAnswer(bytes, members, version);
    case 'roots':
      return rootsAnswer(bytes, members);
  }
}

/** `resultType` is of the modern era alone. */
function without(bytes: Buffer, members: readonly Member[], dropped: readonly string[]): Chunks {
  return editObject(bytes, members, [], (member) =>
    member.key === 'resultType' || dropped.includes(member.key) ? 'drop' : 'keep',
  );
}

function elicitationAnswer(bytes: Buffer, members: readonly Member[]): Chunks | undefined {
  const action = stringMember(bytes, members, 'action');
  if (action === 'decline' || action === 'cancel') return without(bytes, members, ['content']);
  if (action !== 'accept') return undefined;
  const content = find(members, 'content');
  return content === undefined || isFormContent(bytes, content) ? without(bytes, members, []) : undefined;
}

/** Values of a form are strings, numbers, booleans and lists of strings. */
function isFormContent(bytes: Buffer, content: Span): boolean {
  if (!startsWith(bytes, content, '{')) return false;
  return membersOf(bytes, content).every((member) => {
    if (startsWith(bytes, member, '['))
      return elementsOf(bytes, member).every((element) => startsWith(bytes, element, '"'));
    return !startsWith(bytes, member, '{') && valueOf(bytes, member) !== null;
  });
}

function samplingAnswer(
  bytes: Buffer,
  members: readonly Member[],
  version: SessionVersion,
): Chunks | undefined {
  const role = stringMember(bytes, members, 'role');
  const content = find(members, 'content');
  if (role !== 'user' && role !== 'assistant') return undefined;
  if (content === undefined || stringMember(bytes, members, 'model') === undefined) return undefined;
  if (startsWith(bytes, content, '{')) return without(bytes, members, []);
  if (!startsWith(bytes, content, '[')) return undefined;
  const blocks = elementsOf(bytes, content);
  if (!blocks.every((block) => startsWith(bytes, block, '{'))) return undefined;
  const only = blocks.length === 1 ? blocks[0] : undefined;
  if (takesContentList(version) || only === undefined) return without(bytes, members, []);
  return editObject(bytes, members, [], (member): Change => {
    if (member.key === 'resultType') return 'drop';
    return member === content ? [slice(bytes, only)] : 'keep';
  });
}

function rootsAnswer(bytes: Buffer, members: readonly Member[]): Chunks | undefined {
  const roots = find(members, 'roots');
  if (roots === undefined || !startsWith(bytes, roots, '[')) return undefined;
  const isRoot = (root: Span): boolean =>
    startsWith(bytes, root, '{') && stringMember(bytes, membersOf(bytes, root), 'uri') !== undefined;
  return elementsOf(bytes, roots).every(isRoot) ? without(bytes, members, []) : undefined;
}
