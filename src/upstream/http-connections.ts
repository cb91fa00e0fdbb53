// The connections to a server over HTTP: one pool that keeps them alive, through the proxy that the user's environment
// names, and without time limits of its own on what the server has to say.
import { rootCertificates } from 'node:tls';
import { EnvHttpProxyAgent, Pool, type Dispatcher } from 'undici';

export interface ConnectionOptions {
  /** PEM text of certificate authorities to trust beside the usual ones. */
  readonly ca: string | undefined;
  /** `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, as curl reads them. */
  readonly proxies: ProxySettings;
  /** How long a connection may take to be made. */
  readonly connectTimeoutMs: number;
}

export interface ProxySettings {
  readonly http: string | undefined;
  readonly https: string | undefined;
  readonly except: string | undefined;
}

export function createDispatcher(origin: string, options: ConnectionOptions): Dispatcher {
  const { ca, proxies, connectTimeoutMs } = options;
  const tls = ca === undefined ? {} : { ca: [...rootCertificates, ca] };
  const settings = {
    // A legacy server may be silent for as long as its call takes: the bridge's own limits count.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { ...tls, timeout: connectTimeoutMs },
  };
  if (proxies.http === undefined && proxies.https === undefined) return new Pool(origin, settings);
  return new EnvHttpProxyAgent({
    ...settings,
    httpProxy: proxies.http ?? '',
    httpsProxy: proxies.https ?? '',
    noProxy: proxies.except ?? '',
    requestTls: tls,
    proxyTls: tls,
  });
}
