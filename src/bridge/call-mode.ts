// How a call is run, and by which name it is remembered.
import { isDeclared, tasksNeeds } from '../protocol/client-capabilities.ts';
import type { Method } from '../protocol/methods.ts';
import { capabilitiesOf, paramString, type ModernRequest } from '../protocol/modern-request.ts';
import type { Session } from '../session/session.ts';
import type { BridgeContext } from './context.ts';
import type { ToolTraits } from './known-tools.ts';

/** `follow`: as a task, which is followed for the client; `hand over`: as a task that the client follows by itself. */
export type CallMode = 'plain' | 'follow' | 'hand over';

/** How long a server may keep a task. */
export const wantedTaskTtlMs = 3_600_000;

const maxNameLength = 256;

/** Tools that must run as tasks do; those that may do for clients that know tasks. */
export function callMode(
  { knownTools, pool }: BridgeContext,
  request: ModernRequest,
  session: Session,
): CallMode | Promise<CallMode> {
  if (request.method !== 'tools/call' || !session.profile.tasks.call) return 'plain';
  const knowsTasks = isDeclared(capabilitiesOf(request), tasksNeeds);
  const mode = ({ taskSupport }: ToolTraits): CallMode => {
    if (taskSupport === 'forbidden') return 'plain';
    if (knowsTasks) return 'hand over';
    return taskSupport === 'required' ? 'follow' : 'plain';
  };
  const traits = knownTools.of(paramString(request, 'name') ?? '', session, () => pool.primary());
  return traits instanceof Promise ? traits.then(mode) : mode(traits);
}

/** The name of a tool or prompt. Resources are many; those of one scheme come from one place. */
export function askerNameOf(request: ModernRequest, { nameParam = 'name' }: Method): string {
  const { method } = request;
  const name = (paramString(request, nameParam) ?? '').slice(0, maxNameLength);
  return method === 'resources/read' ? `${method} ${name.slice(0, name.indexOf(':'))}` : `${method} ${name}`;
}
