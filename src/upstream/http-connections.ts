// The connections to a server over HTTP: one pool that keeps them alive, through the proxy that the user's environment
// names, and without time limits of its own on what the server has to say.
import { Agent, fetch, Pool, ProxyAgent, type Dispatcher } from 'undici';
import { proxyFor, type ProxySettings } from './proxy.ts';

export interface ReachOptions {
  /** All certificate authorities to trust, as PEM; undefined: the usual ones. */
  readonly ca: readonly string[] | undefined;
  readonly proxies: ProxySettings;
}

export interface ConnectionOptions extends ReachOptions {
  /** How long a connection may take to be made. */
  readonly connectTimeoutMs: number;
}

/** The way to one server. */
export function createDispatcher(url: URL, { ca, proxies, connectTimeoutMs }: ConnectionOptions): Dispatcher {
  const tls = ca === undefined ? {} : { ca: [...ca] };
  // A legacy server may be silent for as long as its call takes: the bridge's own limits count.
  const endless = { headersTimeout: 0, bodyTimeout: 0 };
  const uri = proxyFor(url, proxies);
  return uri === undefined
    ? new Pool(url.origin, { ...endless, connect: { ...tls, timeout: connectTimeoutMs } })
    : new ProxyAgent({ ...endless, uri, requestTls: { ...tls, timeout: connectTimeoutMs }, proxyTls: tls });
}

/** A fetch to wherever, through the same proxies and with the same trust. */
export function createFetch({ ca, proxies }: ReachOptions): typeof globalThis.fetch {
  const tls = ca === undefined ? {} : { ca: [...ca] };
  const direct = new Agent({ connect: tls });
  const reach = (url: string | URL, init: object): Promise<unknown> => {
    const uri = proxyFor(new URL(url), proxies);
    const dispatcher = uri === undefined ? direct : new ProxyAgent({ uri, requestTls: tls, proxyTls: tls });
    return fetch(url, { ...init, dispatcher });
  };
  // The types of undici and those of the platform describe the same thing.
  return reach as typeof globalThis.fetch;
}
