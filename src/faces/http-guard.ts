// Who may talk to the HTTP face at all: Host and Origin against DNS rebinding and foreign pages, and the CORS headers
// for pages that may. spec 2026-07-28 basic/transports/streamable-http#security--endpoint
import type { IncomingMessage } from 'node:http';

export interface GuardOptions {
  /** Bound to loopback: then only its names, and those allowed, are good hosts. */
  readonly isLoopback: boolean;
  /** Host names in lower case without ports, beside the names of loopback. */
  readonly allowedHosts: readonly string[];
  /** Origins as browsers send them, beside those of loopback. */
  readonly allowedOrigins: readonly string[];
}

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A name or an address as clients write them, and a port. */
const authorityText = /^(\[[\da-f:.]+\]|[^\s:/?#@[\]\\]+)(?::\d{0,5})?$/i;

/** The host of `name` or `name:port` in lower case; undefined for anything else. */
export function hostnameOf(authority: string): string | undefined {
  return authorityText.exec(authority)?.[1]?.toLowerCase();
}

export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || loopbackNames.has(address) || /^127(?:\.\d{1,3}){3}$/.test(address);
}

/** Whether the request names a host that this face is meant to be. */
export function isHostAllowed(request: IncomingMessage, options: GuardOptions): boolean {
  if (!options.isLoopback) return true;
  const isAllowed = (authority: string): boolean => {
    const name = hostnameOf(authority);
    return name !== undefined && (loopbackNames.has(name) || options.allowedHosts.includes(name));
  };
  if (!isAllowed(request.headers.host ?? '')) return false;
  const target = request.url ?? '';
  // An absolute-form target names a host of its own, and that is the one that counts.
  return target.startsWith('/') || isAllowed(/^https?:\/\/([^/?#]*)/i.exec(target)?.[1] ?? '');
}

/** Whether a page of this origin may call. */
export function isOriginAllowed(origin: string, options: GuardOptions): boolean {
  if (options.allowedOrigins.includes(origin)) return true;
  const authority = /^https?:\/\/([^/?#@]+)$/.exec(origin)?.[1];
  return authority !== undefined && loopbackNames.has(hostnameOf(authority) ?? '');
}

/** The headers that let a page of an allowed origin read the answer. */
export function corsHeaders(origin: string | undefined): Readonly<Record<string, string>> {
  return origin === undefined
    ? {}
    : {
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Expose-Headers': 'Mcp-Session-Id',
        Vary: 'Origin',
      };
}

/** The answer to a preflight: whatever MCP headers the page asks for may be sent, tool parameters' among them. */
export function preflightHeaders(request: IncomingMessage): Readonly<Record<string, string>> {
  const asked = request.headers['access-control-request-headers'] ?? '';
  const allowed = asked
    .split(',')
    .map((name) => name.trim())
    .filter((name) => /^(?:content-type|accept|authorization|last-event-id|mcp-[\w-]+)$/i.test(name));
  return {
    'Access-Control-Allow-Methods': 'POST, GET, DELETE',
    'Access-Control-Allow-Headers': allowed.join(', '),
    'Access-Control-Max-Age': '600',
  };
}
