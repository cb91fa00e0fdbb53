// Which arguments of a tool an HTTP client must repeat in `Mcp-Param-*` headers.
// spec 2026-07-28 basic/transports/streamable-http#schema-extension

/** One annotated parameter: where its value is in the arguments, and the header it must be repeated in. */
export interface ParamHeader {
  readonly path: readonly string[];
  /** In lower case, with its prefix. */
  readonly header: string;
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const primitive: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
const maxNesting = 32;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The annotations of a tool's `inputSchema` that can be reached by `properties` alone. An annotation that breaks the
 * rules makes a tool that no client may call with headers, so it binds nobody and is left out.
 */
export function paramHeadersOf(inputSchema: unknown): readonly ParamHeader[] {
  const found: ParamHeader[] = [];
  collect(inputSchema, [], found);
  const names = new Set(found.map(({ header }) => header));
  return names.size === found.length ? found : [];
}

function collect(schema: unknown, path: readonly string[], found: ParamHeader[]): void {
  if (!isObject(schema) || path.length > maxNesting) return;
  const name = schema['x-mcp-header'];
  if (path.length > 0 && typeof name === 'string' && token.test(name) && primitive.has(schema['type']))
    found.push({ path, header: `mcp-param-${name.toLowerCase()}` });
  const { properties } = schema;
  if (!isObject(properties)) return;
  for (const [key, value] of Object.entries(properties)) collect(value, [...path, key], found);
}
