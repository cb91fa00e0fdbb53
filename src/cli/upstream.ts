// Makes the way to the server that the settings name. What only a URL needs is loaded only for one.
import { systemClock } from '../clock.ts';
import type { Logger } from '../log.ts';
import { combine, type Credentials } from '../upstream/credentials.ts';
import { fileHeaders, fixedHeaders } from '../upstream/header-lines.ts';
import { proxyFor } from '../upstream/proxy.ts';
import type { Upstream } from '../upstream/port.ts';
import { createStdioUpstream } from '../upstream/stdio.ts';
import { childEnv } from './child-env.ts';
import { showUrl } from './open-browser.ts';
import type { Settings } from './settings.ts';
import type { OAuthSettings, UrlSettings } from './upstream-settings.ts';

type Authorities = readonly string[] | undefined;

/** How long a person may take to authorize the bridge. */
const userPatienceMs = 300_000;

export async function createUpstream(settings: Settings, log: Logger, hurry: AbortSignal): Promise<Upstream> {
  const upstream = await createBareUpstream(settings, log, hurry);
  if (log.payload === undefined) return upstream;
  const { withPayloadLog } = await import('../upstream/payload-log.ts');
  return withPayloadLog(upstream, log.payload);
}

function createBareUpstream(settings: Settings, log: Logger, hurry: AbortSignal): Promise<Upstream> {
  const { upstream, maxServerMessageBytes: maxMessageBytes } = settings;
  if (upstream.kind === 'url') return createUrlUpstream(settings, upstream, log, hurry);
  const { command, args, cwd } = upstream;
  const env = childEnv(process.env, upstream);
  return Promise.resolve(createStdioUpstream({ command, args, env, cwd, maxMessageBytes, log, hurry }));
}

async function createUrlUpstream(
  settings: Settings,
  upstream: UrlSettings,
  log: Logger,
  hurry: AbortSignal,
): Promise<Upstream> {
  const { url, proxies } = upstream;
  const ca = await authorities(upstream);
  const common = {
    url,
    clock: systemClock,
    log,
    maxMessageBytes: settings.maxServerMessageBytes,
    connectTimeoutMs: settings.startTimeoutMs,
  };
  const credentials = await createCredentials(upstream, ca, log);
  if (url.protocol.startsWith('ws')) {
    const { createWebSocketUpstream } = await import('../upstream/websocket.ts');
    const proxy = proxyFor(url, proxies);
    const agent =
      proxy === undefined ? undefined : new (await import('https-proxy-agent')).HttpsProxyAgent(proxy);
    return createWebSocketUpstream({ ...common, credentials, ca, agent });
  }
  const { createHttpUpstream } = await import('../upstream/http.ts');
  return createHttpUpstream({ ...common, credentials, ca, proxies, hurry });
}

/** All that are to be trusted; undefined: the usual ones. */
async function authorities({ ca }: UrlSettings): Promise<Authorities> {
  return ca && [...(await import('node:tls')).rootCertificates, ...ca];
}

async function createCredentials(upstream: UrlSettings, ca: Authorities, log: Logger): Promise<Credentials> {
  const { headers, readHeaders, oauth } = upstream;
  const given = [fixedHeaders(headers), ...(readHeaders ? [fileHeaders(readHeaders)] : [])];
  return oauth === undefined
    ? combine(...given)
    : combine(...given, await createOAuth(upstream, ca, oauth, log));
}

async function createOAuth(
  { url, proxies }: UrlSettings,
  ca: Authorities,
  oauth: OAuthSettings,
  log: Logger,
): Promise<Credentials> {
  const { createOAuthCredentials } = await import('../oauth/credentials.ts');
  const { fileStore } = await import('../oauth/token-file.ts');
  const { createFetch } = await import('../upstream/http-connections.ts');
  return createOAuthCredentials({
    server: url,
    client: { ...oauth, clientName: 'mcp-bridge' },
    store: fileStore(oauth.folder, `${url.href} ${oauth.clientId ?? ''}`),
    fetch: createFetch({ ca, proxies }),
    isClientCredentials: oauth.isClientCredentials,
    redirectPort: oauth.redirectPort,
    patienceMs: userPatienceMs,
    show: (authorizationUrl) => {
      showUrl(authorizationUrl, url.host, process.env);
    },
    log,
  });
}
