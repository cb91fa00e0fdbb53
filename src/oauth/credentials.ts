// Bearer tokens for a server that asks for them: kept, renewed when the server refuses them, and widened when it wants
// more. spec 2025-11-25 basic/authorization
import type { FetchLike } from '@modelcontextprotocol/client';
import type { Logger } from '../log.ts';
import type { Challenge, Credentials, HeaderLines } from '../upstream/credentials.ts';
import type { AuthorizeOptions, Wanted } from './authorize.ts';
import { guardFetch } from './guarded-fetch.ts';

export interface OAuthOptions extends Omit<AuthorizeOptions, 'fetch'> {
  readonly log: Logger;
  /** Reaches the authorization server; by default the platform's own. */
  readonly fetch?: FetchLike;
}

export function createOAuthCredentials(options: OAuthOptions): Credentials {
  return new OAuthCredentials(options);
}

class OAuthCredentials implements Credentials {
  private readonly options: OAuthOptions;
  private lines: HeaderLines;
  private token: string | undefined;
  /** What was asked for in this process. */
  private readonly askedScopes = new Set<string>();

  constructor(options: OAuthOptions) {
    this.options = options;
    this.lines = {};
    this.take();
  }

  headers(): HeaderLines {
    return this.lines;
  }

  async renew(challenge: Challenge): Promise<boolean> {
    try {
      return await this.options.store.locked(() => this.renewLocked(challenge));
    } catch (error) {
      // Names of errors are ours or the client package's; their messages hold what authorization servers say.
      const reason = error instanceof Error ? error.name : 'unknown';
      this.options.log.error({ upstream: this.options.server.host, reason }, 'authorization failed');
      this.options.log.debug({ message: String(error) }, 'authorization failed because of');
      return false;
    }
  }

  private async renewLocked(challenge: Challenge): Promise<boolean> {
    // Another process of the user's may have done it while this one waited for the lock.
    if (challenge.status === 401 && this.take()) return true;
    const { authorize, parseChallenge } = await import('./authorize.ts');
    const { scope } = parseChallenge(challenge, this.options.server);
    const wanted = this.wanted(scope, challenge.status === 403);
    if (wanted === undefined) return false;
    const fetch = guardFetch(this.options.fetch ?? globalThis.fetch, this.options.server);
    await authorize({ ...this.options, fetch }, challenge, wanted);
    return this.take();
  }

  /** Undefined where the server wants more than it was given although just that was asked for. */
  private wanted(challenged: string | undefined, isScopeLack: boolean): Wanted | undefined {
    const { client, store } = this.options;
    const granted = isScopeLack ? store.read().tokens?.scope : undefined;
    const scopes = [client.scope, granted, challenged].flatMap((text) => text?.split(' ') ?? []);
    const all = [...new Set(scopes.filter((each) => each !== ''))];
    if (isScopeLack && all.every((each) => this.askedScopes.has(each))) return undefined;
    for (const each of all) this.askedScopes.add(each);
    return { scope: all.length === 0 ? undefined : all.join(' '), isWider: isScopeLack };
  }

  /** Takes what the store holds. True when it is another token than before. */
  private take(): boolean {
    const token = this.options.store.read().tokens?.access_token;
    if (token === this.token || token === undefined || !/^[\x21-\x7e]+$/.test(token)) return false;
    this.token = token;
    this.lines = { authorization: `Bearer ${token}` };
    return true;
  }
}
