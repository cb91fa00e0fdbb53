// What an HTTP client says of a modern request beside its body. spec 2026-07-28 basic/transports/streamable-http
import { findMethod } from './methods.ts';
import { paramBytes, paramString, type ModernRequest } from './modern-request.ts';
import type { ParamHeader } from './param-headers.ts';

const plain = /^(?!=\?base64\?)[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;
/** Header lines by name. `rules`: the arguments of the called tool that are to be repeated. */
export function modernHeaders(
  request: ModernRequest,
  rules: readonly ParamHeader[],
): Readonly<Record<string, string>> {
  const lines: Record<string, string> = {
    'mcp-protocol-version': encoded(request.version),
    'mcp-method': encoded(request.method),
  };
  const nameParam = findMethod(request.method, [])?.nameParam;
  const name = nameParam === undefined ? undefined : paramString(request, nameParam);
  if (name !== undefined) lines['mcp-name'] = encoded(name);
  const args = rules.length === 0 ? undefined : paramBytes(request, 'arguments');
  if (args === undefined) return lines;
  const values: unknown = JSON.parse(args.toString('utf8'));
  for (const { path, header } of rules) {
    const value = argumentAt(values, path);
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      lines[header] = encoded(String(value));
  }
  return lines;
}

/** The value of an argument; undefined where there is none. */
export function argumentAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

/** What a header cannot carry is sent in Base64. #value-encoding */
function encoded(value: string): string {
  return plain.test(value) ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}
