// Where the browser comes back to after the user has said yes: a listener on the loopback address, for one answer.
// RFC 8252 section 7.3
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RedirectListener {
  readonly url: string;
  readonly port: number;
  /** The query of the redirect that carries this `state`; anything else that comes is turned away. */
  waitFor(state: string): Promise<URLSearchParams>;
  close(): void;
}

const path = '/callback';

/** `port` 0: any free one. Rejects when it cannot be had. */
export async function listenForRedirect(port: number): Promise<RedirectListener> {
  let expected: { readonly state: string; readonly resolve: (query: URLSearchParams) => void } | undefined;
  const server = createServer((request, response) => {
    const target = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isOurs = target.pathname === path && target.searchParams.get('state') === expected?.state;
    if (request.method !== 'GET' || expected === undefined || !isOurs) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n');
      return;
    }
    const text = target.searchParams.has('code')
      ? 'Done. You can close this window.\n'
      : 'The server was not authorized. You can close this window.\n';
    response.writeHead(200, { 'content-type': 'text/plain', connection: 'close' }).end(text);
    expected.resolve(target.searchParams);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  server.unref();
  const actual = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${String(actual)}${path}`,
    port: actual,
    waitFor: (state) =>
      new Promise((resolve) => {
        expected = { state, resolve };
      }),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
