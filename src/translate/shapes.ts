// Which objects of a result are the protocol's own, as against the server's data. In the protocol's objects a null
// stands for a missing member and is left out, as strict clients refuse it; data is never touched.
import type { MethodKind } from '../protocol/methods.ts';

export interface Shape {
  /** Members that are objects or lists of the protocol's own. */
  readonly members?: Readonly<Record<string, Shape>>;
  /** Set on lists: what the elements are. */
  readonly items?: Shape;
  /** Members that mean nothing to a modern client. */
  readonly dropped?: readonly string[];
  /** Members in which null is a value. */
  readonly data?: readonly string[];
}

const plain: Shape = {};
const icons: Shape = { items: plain };
const named: Shape = { members: { annotations: plain, icons } };
const block: Shape = { members: { annotations: plain, icons, resource: plain } };

const byMethod: Readonly<Record<string, Shape>> = {
  // Tasks of 2025-11-25 have no meaning on the modern side.
  'tools/list': { members: { tools: { items: { ...named, dropped: ['execution'] } } } },
  'prompts/list': {
    members: { prompts: { items: { members: { icons, arguments: { items: plain } } } } },
  },
  'resources/list': { members: { resources: { items: named } } },
  'resources/templates/list': { members: { resourceTemplates: { items: named } } },
  'tools/call': { members: { content: { items: block } }, data: ['structuredContent'] },
  'prompts/get': { members: { messages: { items: { members: { content: block } } } } },
  'resources/read': { members: { contents: { items: plain } } },
  'completion/complete': { members: { completion: plain } },
};

/** The shape of a method's result. */
export function resultShape(method: string, kind: MethodKind): Shape | undefined {
  return kind === 'forward' ? undefined : byMethod[method];
}
