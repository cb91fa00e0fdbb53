// What a client can be asked for, as it declares with every request. spec 2026-07-28 basic/patterns/mrtr

import { tasksExtension } from './meta-keys.ts';

/** A `ClientCapabilities` object, or the part of one that something needs. */
export type Capabilities = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Capabilities {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `elicitation: {}` is from before the modes and means form. spec 2026-07-28 client/elicitation#capabilities */
function withModes(declared: Capabilities): Capabilities {
  const elicitation = declared['elicitation'];
  if (!isObject(elicitation) || 'form' in elicitation || 'url' in elicitation) return declared;
  return { ...declared, elicitation: { ...elicitation, form: {} } };
}

function covers(declared: Capabilities, needed: Capabilities): boolean {
  return Object.entries(needed).every(([name, part]) => {
    const has = declared[name];
    return isObject(has) && (!isObject(part) || covers(has, part));
  });
}

/** Whether a client that declared `declared` may be asked for something that needs `needed`. */
export function isDeclared(declared: Capabilities, needed: Capabilities): boolean {
  return covers(withModes(declared), needed);
}

/** What a client must have declared to be given tasks. spec: extension io.modelcontextprotocol/tasks */
export const tasksNeeds: Capabilities = { extensions: { [tasksExtension]: {} } };

/** Everything that either of them names. */
export function union(left: Capabilities, right: Capabilities): Capabilities {
  const out: Record<string, unknown> = { ...left };
  for (const [name, part] of Object.entries(right)) {
    const has = out[name];
    out[name] = isObject(has) && isObject(part) ? union(has, part) : part;
  }
  return out;
}

/**
 * What the bridge declares to every legacy server, whatever the first client can do: lists must not depend on who
 * came first. Each call is then held to its own client's capabilities.
 */
export function bridgeCapabilities(version: string): Capabilities {
  if (version === '2024-11-05' || version === '2025-03-26')
    return { roots: { listChanged: true }, sampling: {} };
  if (version === '2025-06-18') return { roots: { listChanged: true }, sampling: {}, elicitation: {} };
  return {
    roots: { listChanged: true },
    sampling: { tools: {}, context: {} },
    elicitation: { form: {}, url: {} },
  };
}
