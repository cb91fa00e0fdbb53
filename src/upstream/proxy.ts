// Which proxy of the user's environment a URL is reached through. As curl reads `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`.

export interface ProxySettings {
  readonly http: string | undefined;
  readonly https: string | undefined;
  /** Hosts that are reached directly: names with all below them, `host:port`, or `*`. */
  readonly except: string | undefined;
}

const defaultPorts: Readonly<Record<string, string>> = {
  'http:': '80',
  'ws:': '80',
  'https:': '443',
  'wss:': '443',
};

/** Undefined: there is none, or not for this host. */
export function proxyFor(url: URL, proxies: ProxySettings): string | undefined {
  const isSecure = url.protocol === 'https:' || url.protocol === 'wss:';
  const proxy = isSecure ? proxies.https : proxies.http;
  if (proxy === undefined || proxy === '') return undefined;
  const entries = (proxies.except ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
  return entries.some((entry) => isExcepted(url, entry.toLowerCase())) ? undefined : proxy;
}

function isExcepted({ hostname, port, protocol }: URL, entry: string): boolean {
  if (entry === '*') return true;
  const [, name = entry, entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (entryPort !== undefined && entryPort !== (port === '' ? defaultPorts[protocol] : port)) return false;
  const bare = name.replace(/^\*?\./, '');
  return hostname === bare || hostname.endsWith(`.${bare}`);
}
