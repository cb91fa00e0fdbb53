// Bearer tokens for a server that asks for them: kept, renewed when the server refuses them, and widened when it wants
// more. spec 2025-11-25 basic/authorization
import type { FetchLike, StoredOAuthTokens } from '@modelcontextprotocol/client';
import type { Logger } from '../log.ts';
import type { Challenge, Credentials, HeaderLines } from '../upstream/credentials.ts';
import type { Flow, Reach, StoredFlowOptions, Wanted } from './authorize.ts';
import { guardFetch } from './guarded-fetch.ts';

interface CommonOptions {
  /** The MCP server that asks. */
  readonly server: URL;
  readonly log: Logger;
  /** Reaches the authorization server; by default the platform's own. */
  readonly fetch?: FetchLike;
}

export type OAuthOptions = CommonOptions & StoredFlowOptions;

/** With a provider of the caller's own, who keeps what there is to keep. */
export type ProviderOptions = CommonOptions & Flow;

/** Where tokens come from. */
interface TokenSource {
  /** What is there at the start. */
  readonly first: StoredOAuthTokens | undefined;
  readonly scope: string | undefined;
  readonly read: () => Promise<StoredOAuthTokens | undefined>;
  readonly locked: <Value>(run: () => Promise<Value>) => Promise<Value>;
  readonly authorize: (reach: Reach, challenge: Challenge, wanted: Wanted) => Promise<void>;
}

/** Credentials out of a store that several processes may share. */
export function createOAuthCredentials(options: OAuthOptions): Credentials {
  const { store } = options;
  return new OAuthCredentials(options, {
    first: store.read().tokens,
    scope: options.client.scope,
    read: () => Promise.resolve(store.read().tokens),
    locked: (run) => store.locked(run),
    authorize: async (reach, challenge, wanted) => {
      const { authorizeStored } = await import('./authorize.ts');
      await authorizeStored(reach, options, challenge, wanted);
    },
  });
}

/** Credentials of a provider as the official client package knows it. */
export function createProviderCredentials(options: ProviderOptions): Credentials {
  const { provider } = options;
  return new OAuthCredentials(options, {
    first: undefined,
    scope: provider.clientMetadata.scope,
    read: async () => provider.tokens(),
    locked: (run) => run(),
    authorize: async (reach, challenge, wanted) => {
      const { authorize } = await import('./authorize.ts');
      await authorize(reach, options, challenge, wanted);
    },
  });
}

class OAuthCredentials implements Credentials {
  private readonly options: CommonOptions;
  private readonly source: TokenSource;
  private lines: HeaderLines = {};
  private token: string | undefined;
  /** What was asked for in this process. */
  private readonly askedScopes = new Set<string>();

  constructor(options: CommonOptions, source: TokenSource) {
    this.options = options;
    this.source = source;
    this.take(source.first);
  }

  headers(): HeaderLines {
    return this.lines;
  }

  async renew(challenge: Challenge): Promise<boolean> {
    try {
      return await this.source.locked(() => this.renewLocked(challenge));
    } catch (error) {
      // Names of errors are ours or the client package's; their messages hold what authorization servers say.
      const { code, name } = error as NodeJS.ErrnoException;
      const reason = code ?? name;
      this.options.log.error({ upstream: this.options.server.host, reason }, 'authorization failed');
      return false;
    }
  }

  private async renewLocked(challenge: Challenge): Promise<boolean> {
    const { server, fetch = globalThis.fetch } = this.options;
    const kept = await this.source.read();
    // Another process of the user's may have done it while this one waited for the lock.
    if (challenge.status === 401 && this.take(kept)) return true;
    const { parseChallenge } = await import('./authorize.ts');
    const { scope } = parseChallenge(challenge, server);
    const wanted = this.wanted(scope, challenge.status === 403 ? (kept?.scope ?? '') : undefined);
    if (wanted === undefined) return false;
    await this.source.authorize({ server, fetch: guardFetch(fetch, server) }, challenge, wanted);
    return this.take(await this.source.read());
  }

  /**
   * `granted`: the scopes of a token that was too narrow. Undefined where the server wants more than it was given
   * although just that was asked for.
   */
  private wanted(challenged: string | undefined, granted: string | undefined): Wanted | undefined {
    const texts = [this.source.scope, granted, challenged];
    const scopes = texts.flatMap((text) => text?.split(' ') ?? []).filter((each) => each !== '');
    const all = [...new Set(scopes)];
    const isWider = granted !== undefined;
    if (isWider && all.every((each) => this.askedScopes.has(each))) return undefined;
    for (const each of all) this.askedScopes.add(each);
    return { scope: all.length === 0 ? undefined : all.join(' '), isWider };
  }

  /** True when it is another token than before, and one that a header can carry. */
  private take(tokens: StoredOAuthTokens | undefined): boolean {
    const token = tokens?.access_token;
    if (token === this.token || token === undefined || !/^[\x21-\x7e]+$/.test(token)) return false;
    this.token = token;
    this.lines = { authorization: `Bearer ${token}` };
    return true;
  }
}
