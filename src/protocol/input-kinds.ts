// The requests that a legacy server may send to its client, and how one is refused.

export type InputKind = 'elicitation' | 'sampling' | 'roots';

const kinds: ReadonlyMap<string, InputKind> = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
]);

/** What kind of question a method is, if it is one. */
export function inputKind(method: string): InputKind | undefined {
  return kinds.get(method);
}
