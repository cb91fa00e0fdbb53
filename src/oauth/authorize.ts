// One authorization from a server's challenge to tokens in the store. The only user of the official client package,
// and of nothing but its OAuth functions; loaded when a server asks for the first time.
import { auth, extractWWWAuthenticateParams, type FetchLike } from '@modelcontextprotocol/client';
import type { Challenge } from '../upstream/credentials.ts';
import { listenForRedirect, type RedirectListener } from './loopback.ts';
import { StoredProvider, type ClientSettings } from './stored-provider.ts';
import type { AuthorizationStore } from './token-file.ts';

export interface AuthorizeOptions {
  readonly server: URL;
  readonly client: ClientSettings;
  readonly store: AuthorizationStore;
  readonly fetch: FetchLike;
  /** Without a user: the client's own credentials. */
  readonly isClientCredentials: boolean;
  /** The port of the redirect; undefined: that of the registration, or any. */
  readonly redirectPort: number | undefined;
  /** Leads the user there. */
  readonly show: (url: URL) => void;
  /** How long the user may take. */
  readonly patienceMs: number;
}

/** What to ask for. */
export interface Wanted {
  readonly scope: string | undefined;
  /** A refresh cannot widen what was granted: the user is asked again. */
  readonly isWider: boolean;
}

/** The scopes and the metadata that a challenge names; what it names elsewhere than at the server is not looked at. */
export function parseChallenge(
  challenge: Challenge,
  server: URL,
): { scope?: string; resourceMetadataUrl?: URL } {
  const headers = { 'WWW-Authenticate': challenge.wwwAuthenticate ?? '' };
  const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(
    new Response(null, { status: challenge.status, headers }),
  );
  return {
    ...(scope !== undefined && { scope }),
    ...(resourceMetadataUrl?.origin === server.origin && { resourceMetadataUrl }),
  };
}

/** Resolves when tokens are in the store; rejects when there are none to be had. */
export async function authorize(
  options: AuthorizeOptions,
  challenge: Challenge,
  wanted: Wanted,
): Promise<void> {
  const { server, fetch, isClientCredentials } = options;
  const { resourceMetadataUrl } = parseChallenge(challenge, server);
  const listener = isClientCredentials ? undefined : await openListener(options);
  try {
    const provider = new StoredProvider(options.client, options.store, listener, options.show);
    const common = {
      serverUrl: server,
      fetchFn: fetch,
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(wanted.scope !== undefined && { scope: wanted.scope }),
    };
    const code = listener?.waitFor(provider.stateText);
    const result = await auth(provider, { ...common, forceReauthorization: wanted.isWider });
    if (result === 'AUTHORIZED' || code === undefined) return;
    const query = await inTime(code, options.patienceMs);
    const authorizationCode = query.get('code');
    if (authorizationCode === null) throw new Error('the user did not agree');
    const iss = query.get('iss');
    await auth(provider, { ...common, authorizationCode, ...(iss !== null && { iss }) });
  } finally {
    listener?.close();
  }
}

/** A registration holds for its redirect: where that port is taken, there must be a new one. */
async function openListener({ store, client, redirectPort }: AuthorizeOptions): Promise<RedirectListener> {
  if (redirectPort !== undefined) return listenForRedirect(redirectPort);
  const stored = store.read();
  if (client.clientId !== undefined || stored.client === undefined) return listenForRedirect(0);
  try {
    return await listenForRedirect(stored.redirectPort ?? 0);
  } catch {
    store.write({ ...stored, client: undefined });
    return listenForRedirect(0);
  }
}

async function inTime<Value>(promise: Promise<Value>, ms: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error('the user did not answer in time'));
    }, ms);
  });
  try {
    return await Promise.race([promise, expiry]);
  } finally {
    clearTimeout(timer);
  }
}
