// The methods of 2026-07-28: what each needs of the server and what its params must hold.

/** How the bridge serves a method. Only those that may ask can end in `input_required`. */
export type MethodKind = 'discover' | 'list' | 'ask' | 'complete' | 'listen' | 'task' | 'forward';

export type ServerCapability = 'tools' | 'prompts' | 'resources' | 'completions' | 'tasks';

type ParamShape = 'string' | 'object';

/** What a param must be, if it is there; those that are required must be. */
interface ParamRule {
  readonly name: string;
  readonly shape: ParamShape;
  readonly isRequired: boolean;
}

export interface Method {
  readonly name: string;
  readonly kind: MethodKind;
  /** The capability without which the upstream does not have the method. */
  readonly capability: ServerCapability | undefined;
  readonly params: readonly ParamRule[];
  /** The param that says what is asked for; HTTP clients repeat it in `Mcp-Name`. */
  readonly nameParam: 'name' | 'uri' | 'taskId' | undefined;
  /** Whether results carry `ttlMs` and `cacheScope`. spec 2026-07-28 server/utilities/caching */
  readonly isCacheable: boolean;
}

const required = (name: string, shape: ParamShape): ParamRule => ({ name, shape, isRequired: true });
const optional = (name: string, shape: ParamShape): ParamRule => ({ name, shape, isRequired: false });

function method(name: string, kind: MethodKind, more: Partial<Method> = {}): [string, Method] {
  const plain = {
    capability: undefined,
    params: [],
    nameParam: undefined,
    isCacheable: false,
  };
  return [name, { ...plain, name, kind, ...more }];
}

function list(name: string, capability: ServerCapability): [string, Method] {
  return method(name, 'list', { capability, params: [optional('cursor', 'string')], isCacheable: true });
}

/** Of the extension io.modelcontextprotocol/tasks. */
function task(name: string, ...params: readonly ParamRule[]): [string, Method] {
  const all = [required('taskId', 'string'), ...params];
  return method(name, 'task', { capability: 'tasks', params: all, nameParam: 'taskId' });
}

const byName: ReadonlyMap<string, Method> = new Map([
  method('server/discover', 'discover', { isCacheable: true }),
  list('tools/list', 'tools'),
  list('prompts/list', 'prompts'),
  list('resources/list', 'resources'),
  list('resources/templates/list', 'resources'),
  method('tools/call', 'ask', {
    capability: 'tools',
    params: [required('name', 'string'), optional('arguments', 'object')],
    nameParam: 'name',
  }),
  method('prompts/get', 'ask', {
    capability: 'prompts',
    params: [required('name', 'string'), optional('arguments', 'object')],
    nameParam: 'name',
  }),
  method('resources/read', 'ask', {
    capability: 'resources',
    params: [required('uri', 'string')],
    nameParam: 'uri',
    isCacheable: true,
  }),
  method('completion/complete', 'complete', {
    capability: 'completions',
    params: [required('ref', 'object'), required('argument', 'object')],
  }),
  task('tasks/get'),
  task('tasks/update', required('inputResponses', 'object')),
  task('tasks/cancel'),
  method('subscriptions/listen', 'listen', { params: [required('notifications', 'object')] }),
]);

/** Methods of earlier revisions: a server that still knows them must never be sent one by a modern client. */
const retired = /^(?:initialize|ping|logging\/setLevel|resources\/(?:un)?subscribe|tasks\/.*)$/;

/**
 * The method of that name, or undefined when the modern revision has none.
 * `forwarded` are patterns (`acme/*`) of methods that the user lets through.
 */
export function findMethod(name: string, forwarded: readonly string[]): Method | undefined {
  const known = byName.get(name);
  if (known !== undefined) return known;
  if (retired.test(name) || name.startsWith('notifications/')) return undefined;
  return forwarded.some((pattern) => matches(pattern, name)) ? method(name, 'forward')[1] : undefined;
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}
