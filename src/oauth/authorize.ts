// One authorization from a server's challenge to tokens in the store. The only user of the official client package,
// and of nothing but its OAuth functions; loaded when a server asks for the first time.
import {
  auth,
  extractWWWAuthenticateParams,
  type FetchLike,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import type { Challenge } from '../upstream/credentials.ts';
import { listenForRedirect, type RedirectListener } from './loopback.ts';
import { StoredProvider, type ClientSettings } from './stored-provider.ts';
import type { AuthorizationStore } from './token-file.ts';

export interface StoredFlowOptions {
  readonly client: ClientSettings;
  readonly store: AuthorizationStore;
  /** Without a user: the client's own credentials. */
  readonly isClientCredentials: boolean;
  /** The port of the redirect; undefined: that of the registration, or any. */
  readonly redirectPort: number | undefined;
  /** Leads the user there. */
  readonly show: (url: URL) => void;
  /** How long the user may take. */
  readonly patienceMs: number;
}

/** Who knows and keeps what one authorization needs, and how the user comes back from it. */
export interface Flow {
  readonly provider: OAuthClientProvider;
  /** The query of the redirect; undefined where no user is asked. */
  readonly waitForRedirect: (() => Promise<URLSearchParams>) | undefined;
}

export interface Reach {
  readonly server: URL;
  readonly fetch: FetchLike;
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

/** Resolves when the provider has tokens; rejects when there are none to be had. */
export async function authorize(
  { server, fetch }: Reach,
  { provider, waitForRedirect }: Flow,
  challenge: Challenge,
  wanted: Wanted,
): Promise<void> {
  const { resourceMetadataUrl } = parseChallenge(challenge, server);
  const common = {
    serverUrl: server,
    fetchFn: fetch,
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
    ...(wanted.scope !== undefined && { scope: wanted.scope }),
  };
  const redirect = waitForRedirect?.();
  redirect?.catch(() => undefined);
  const result = await auth(provider, { ...common, forceReauthorization: wanted.isWider });
  if (result === 'AUTHORIZED') return;
  const query = await redirect;
  const authorizationCode = query?.get('code') ?? undefined;
  if (authorizationCode === undefined) throw new Error('the user did not agree');
  const iss = query?.get('iss') ?? undefined;
  await auth(provider, { ...common, authorizationCode, ...(iss !== undefined && { iss }) });
}

/** The same with what is kept in a store, and a redirect to the loopback address. */
export async function authorizeStored(
  reach: Reach,
  options: StoredFlowOptions,
  challenge: Challenge,
  wanted: Wanted,
): Promise<void> {
  const { client, store, show, patienceMs } = options;
  const listener = options.isClientCredentials ? undefined : await openListener(options);
  try {
    const provider = new StoredProvider(client, store, listener, show);
    const waitForRedirect = listener && (() => inTime(listener.waitFor(provider.stateText), patienceMs));
    await authorize(reach, { provider, waitForRedirect }, challenge, wanted);
  } finally {
    listener?.close();
  }
}

/** A registration holds for its redirect: where that port is taken, there must be a new one. */
async function openListener({ store, client, redirectPort }: StoredFlowOptions): Promise<RedirectListener> {
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
