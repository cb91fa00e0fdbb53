// The fetch that authorization goes through. Which servers it asks comes from the outside, so what it sends is kept to
// TLS or the own machine, secrets are never carried along a redirect, and answers are bounded in size and time.
import type { FetchLike } from '@modelcontextprotocol/client';

const maxBodyBytes = 1024 * 1024;
const patienceMs = 30_000;

/** `server`: the MCP server, whose own origin may be asked whatever its scheme is. */
export function guardFetch(fetch: FetchLike, server: URL): FetchLike {
  return async (input, init = {}) => {
    const url = new URL(input);
    if (!isTrustworthy(url) && url.origin !== server.origin)
      throw new Error('an authorization server must be reached by https');
    const isRead = init.method === undefined || init.method === 'GET';
    const response = await fetch(url, {
      ...init,
      redirect: isRead ? 'follow' : 'error',
      signal: AbortSignal.timeout(patienceMs),
    });
    const { status, statusText, headers } = response;
    const body = await readBounded(response);
    return new Response(status === 204 || status === 304 ? null : body, { status, statusText, headers });
  };
}

/** TLS, or the own machine. */
export function isTrustworthy({ hostname, protocol }: URL): boolean {
  if (protocol === 'https:') return true;
  return protocol === 'http:' && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

async function readBounded(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  if (response.body !== null)
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBodyBytes) throw new Error('the answer of an authorization server is too large');
      chunks.push(chunk);
    }
  return new Uint8Array(Buffer.concat(chunks));
}
