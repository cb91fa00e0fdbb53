// What the official client's OAuth functions want to know and to keep, out of the store.
import { randomBytes } from 'node:crypto';
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { isTrustworthy } from './guarded-fetch.ts';
import type { AuthorizationStore, StoredAuthorization } from './token-file.ts';

export interface ClientSettings {
  /** A client that was registered by hand. */
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** A client id metadata document: its URL is the client's id where the server takes such. */
  readonly clientMetadataUrl: string | undefined;
  readonly scope: string | undefined;
  readonly clientName: string;
}

/** For one authorization: the redirect's URL is that of this time. Without one it is the client's own credentials that count. */
export class StoredProvider implements OAuthClientProvider {
  readonly state = (): string => this.stateText;
  readonly stateText = randomBytes(24).toString('base64url');
  readonly clientMetadataUrl?: string;
  /** Only a registration is kept: a client registered by hand is not replaced by another one, wherever it is refused. */
  readonly saveClientInformation?: (client: StoredOAuthClientInformation) => void;
  private readonly settings: ClientSettings;
  private readonly store: AuthorizationStore;
  private readonly redirect: { readonly url: string; readonly port: number } | undefined;
  private readonly show: (url: URL) => void;
  private verifier = '';
  private discovery: OAuthDiscoveryState | undefined;

  constructor(
    settings: ClientSettings,
    store: AuthorizationStore,
    redirect: { readonly url: string; readonly port: number } | undefined,
    show: (url: URL) => void,
  ) {
    this.settings = settings;
    this.store = store;
    this.redirect = redirect;
    this.show = show;
    if (settings.clientMetadataUrl !== undefined) this.clientMetadataUrl = settings.clientMetadataUrl;
    if (settings.clientId === undefined)
      this.saveClientInformation = (client) => {
        this.update({ client, redirectPort: redirect?.port });
      };
  }

  get redirectUrl(): string | undefined {
    return this.redirect?.url;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { clientName, scope } = this.settings;
    return {
      client_name: clientName,
      redirect_uris: this.redirect === undefined ? [] : [this.redirect.url],
      grant_types:
        this.redirect === undefined ? ['client_credentials'] : ['authorization_code', 'refresh_token'],
      ...(this.redirect && { response_types: ['code'] }),
      ...(scope !== undefined && { scope }),
    };
  }

  /** A client registered by hand belongs to the first authorization server that it was used at. */
  clientInformation(context?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    const { clientId, clientSecret } = this.settings;
    const stored = this.store.read().client;
    if (clientId === undefined) return stored;
    const issuer = stored?.client_id === clientId ? stored.issuer : context?.issuer;
    return {
      client_id: clientId,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
      ...(issuer !== undefined && { issuer }),
    };
  }

  /** Without a user the client's own credentials are what tokens are given for. */
  prepareTokenRequest(scope?: string): URLSearchParams | undefined {
    if (this.redirect !== undefined) return undefined;
    return new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) });
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.store.read().tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    const { clientId } = this.settings;
    // The secret stays where the user keeps it.
    this.update(clientId === undefined ? { tokens } : { tokens, client: boundTo(clientId, tokens.issuer) });
  }

  /** What the authorization server names is opened by the user's system: nothing but a page may be. */
  redirectToAuthorization(url: URL): void {
    if (!isTrustworthy(url)) throw new Error('an authorization server must be reached by https');
    this.show(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  codeVerifier(): string {
    return this.verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.discovery;
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (scope === 'all' || scope === 'tokens') this.update({ tokens: undefined });
    const isOwnClient = this.settings.clientId === undefined;
    if (isOwnClient && (scope === 'all' || scope === 'client')) this.update({ client: undefined });
    if (scope === 'all' || scope === 'verifier') this.verifier = '';
    if (scope === 'all' || scope === 'discovery') this.discovery = undefined;
  }

  private update(change: StoredAuthorization): void {
    this.store.write({ ...this.store.read(), ...change });
  }
}

function boundTo(clientId: string, issuer: string | undefined): StoredOAuthClientInformation {
  return { client_id: clientId, ...(issuer !== undefined && { issuer }) };
}
