// Leaves out of a value what its shape says has no place in it. Copies nothing when there is nothing to leave out.
import { isNull, slice, text, type Chunks, type Frame } from '../jsonrpc/frame.ts';
import { editObject, type Change } from '../jsonrpc/object-edit.ts';
import { elementsOf, membersOf, startsWith, type Member, type Span } from '../jsonrpc/scan.ts';
import type { Shape } from './shapes.ts';

const OPEN = text('[');
const CLOSE = text(']');
const COMMA = text(',');
const NULL = text('null');
const COLON = 0x3a;
const QUOTE = 0x22;

/** A search for what tidying would take away: most results have nothing of it and need no second look. */
export function mayNeedTidying(frame: Frame, span: Span, shape: Shape): boolean {
  const { long } = frame;
  if (long === undefined) return isTidyable(frame.bytes, span, shape);
  return isTidyable(long.outline, { start: 0, end: long.outline.length }, shape);
}

function isTidyable(bytes: Buffer, span: Span, shape: Shape): boolean {
  return hasNullMember(bytes, span) || droppedNames(shape).some((name) => hasKey(bytes, span, name));
}

const droppedIn = new WeakMap<Shape, readonly string[]>();

/** The names of all that is dropped somewhere inside. */
function droppedNames(shape: Shape): readonly string[] {
  const known = droppedIn.get(shape);
  if (known !== undefined) return known;
  const inner = [...Object.values(shape.members ?? {}), ...(shape.items ? [shape.items] : [])];
  const names = [...(shape.dropped ?? []), ...inner.flatMap(droppedNames)];
  droppedIn.set(shape, names);
  return names;
}

function hasKey(bytes: Buffer, span: Span, name: string): boolean {
  const at = bytes.indexOf(`"${name}"`, span.start);
  return at !== -1 && at < span.end;
}

function hasNullMember(bytes: Buffer, span: Span): boolean {
  for (
    let at = bytes.indexOf(NULL, span.start);
    at !== -1 && at < span.end;
    at = bytes.indexOf(NULL, at + 4)
  ) {
    let before = at - 1;
    while (before > span.start && (bytes[before] as number) <= 0x20) before -= 1;
    if (bytes[before] === COLON && bytes[before - 1] !== undefined && isAfterKey(bytes, before)) return true;
  }
  return false;
}

function isAfterKey(bytes: Buffer, colon: number): boolean {
  let before = colon - 1;
  while ((bytes[before] as number) <= 0x20) before -= 1;
  return bytes[before] === QUOTE;
}

/** What becomes of one member of an object of this shape. */
export function tidyMember(bytes: Buffer, member: Member, shape: Shape): Change {
  if (shape.dropped?.includes(member.key) === true) return 'drop';
  if (isNull(bytes, member)) return shape.data?.includes(member.key) === true ? 'keep' : 'drop';
  const inner = shape.members?.[member.key];
  if (inner === undefined || member.key === '_meta') return 'keep';
  return tidy(bytes, member, inner) ?? 'keep';
}

function tidy(bytes: Buffer, span: Span, shape: Shape): Chunks | undefined {
  if (shape.items !== undefined) return tidyList(bytes, span, shape.items);
  if (!startsWith(bytes, span, '{')) return undefined;
  return editObject(bytes, membersOf(bytes, span), [], (member) => tidyMember(bytes, member, shape));
}

function tidyList(bytes: Buffer, span: Span, items: Shape): Chunks | undefined {
  if (!startsWith(bytes, span, '[')) return undefined;
  const out: Buffer[] = [OPEN];
  for (const element of elementsOf(bytes, span)) {
    if (out.length > 1) out.push(COMMA);
    out.push(...(tidy(bytes, element, items) ?? [slice(bytes, element)]));
  }
  out.push(CLOSE);
  return out;
}
