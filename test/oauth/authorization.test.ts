// Tokens for a server that asks for them, from the first challenge on. spec 2025-11-25 basic/authorization
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLogger } from '../../src/log.ts';
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import {
  createOAuthCredentials,
  createProviderCredentials,
  type OAuthOptions,
} from '../../src/oauth/credentials.ts';
import { fileStore, memoryStore } from '../../src/oauth/token-file.ts';
import type { Credentials } from '../../src/upstream/credentials.ts';
import { FakeAuthServer, type AuthScript } from '../support/fake-auth-server.ts';
import { FakeHttpServer, type FakeScript } from '../support/fake-http-server.ts';
import { httpHarness, textOf, type UpstreamHarness } from '../support/upstream-harness.ts';

interface Setup extends UpstreamHarness {
  readonly server: FakeHttpServer;
  readonly authorization: FakeAuthServer;
  /** The URLs to which the user was led. */
  readonly shown: URL[];
  readonly credentialsOf: (options?: Partial<OAuthOptions>) => Credentials;
}

interface SetupOptions {
  readonly auth?: AuthScript;
  readonly oauth?: Partial<OAuthOptions>;
  readonly on?: (authorization: FakeAuthServer) => NonNullable<FakeScript['on']>;
}

const noClient = {
  clientId: undefined,
  clientSecret: undefined,
  clientMetadataUrl: undefined,
  scope: undefined,
  clientName: 'bridge',
};

async function setup({ auth = {}, oauth = {}, on }: SetupOptions = {}): Promise<Setup> {
  const authorization = await new FakeAuthServer(auth).start();
  const guard = on?.(authorization) ?? ((exchange) => authorization.guard(exchange));
  const server = await new FakeHttpServer({ on: guard }).start();
  const shown: URL[] = [];
  const credentialsOf = (more: Partial<OAuthOptions> = {}): Credentials =>
    createOAuthCredentials({
      server: server.url,
      client: noClient,
      store: memoryStore(),
      isClientCredentials: false,
      redirectPort: undefined,
      patienceMs: 5000,
      log: silentLogger,
      // A user whose browser follows every redirect, the last of which leads back.
      show: (url) => {
        shown.push(url);
        void fetch(url).then((response) => response.text());
      },
      ...oauth,
      ...more,
    });
  const harness = httpHarness(server.url, { credentials: credentialsOf() });
  onTestFinished(async () => {
    await harness.close();
    await server.stop();
    await authorization.stop();
  });
  return { ...harness, server, authorization, shown, credentialsOf };
}

describe('a server that asks for a token', () => {
  it('gets one by registration, the browser and PKCE, and the call goes on', async () => {
    const { client, server, authorization, shown } = await setup();
    expect(textOf(await client.call('one'))).toBe('one has run');
    expect(shown).toHaveLength(1);
    expect(shown[0]!.searchParams.get('code_challenge_method')).toBe('S256');
    expect(shown[0]!.searchParams.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect(authorization.count('/register')).toBe(1);
    expect(server.runs.get('one')).toBe(1);
    expect(server.count('initialize')).toBe(2);
  });

  it('a token that does not hold any more is refreshed once for ten calls, each of which runs once', async () => {
    const { client, server, authorization, shown } = await setup();
    await client.call('first');
    authorization.revoke();
    const tokens = authorization.count('/token');
    const names = Array.from({ length: 10 }, (_, index) => `tool-${String(index)}`);
    const answers = await Promise.all(names.map((name) => client.call(name)));
    expect(answers.map(textOf)).toEqual(names.map((name) => `${name} has run`));
    expect(authorization.count('/token')).toBe(tokens + 1);
    expect(names.map((name) => server.runs.get(name))).toEqual(names.map(() => 1));
    expect(shown).toHaveLength(1);
    expect(server.count('initialize')).toBe(2);
  });

  it('a second process that shares the file does not refresh what the first has refreshed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-bridge-oauth-'));
    onTestFinished(() => {
      rmSync(folder, { recursive: true });
    });
    const store = (): ReturnType<typeof fileStore> => fileStore(folder, 'server');
    const { server, authorization, credentialsOf, shown } = await setup();
    const first = httpHarness(server.url, { credentials: credentialsOf({ store: store() }) });
    await first.client.call('one');
    const second = httpHarness(server.url, { credentials: credentialsOf({ store: store() }) });
    await second.client.call('two');
    expect(shown).toHaveLength(1);
    authorization.revoke();
    const answers = await Promise.all([first.client.call('three'), second.client.call('four')]);
    expect(answers.map(textOf)).toEqual(['three has run', 'four has run']);
    expect(shown).toHaveLength(1);
    expect(
      authorization.requests.filter(({ body }) => body.includes('grant_type=refresh_token')),
    ).toHaveLength(1);
    await Promise.all([first.close(), second.close()]);
  });

  it('wider scopes are asked for once, together with those that were granted', async () => {
    const { client, authorization, shown } = await setup({
      on: (auth) => (exchange) =>
        auth.guard(exchange, exchange.message.params?.name === 'admin' ? 'wide' : 'basic'),
    });
    await client.call('plain');
    expect(textOf(await client.call('admin'))).toBe('admin has run');
    expect(shown[1]!.searchParams.get('scope')!.split(' ').sort()).toEqual(['basic', 'wide']);
    expect(authorization.count('/register')).toBe(1);
  });

  it('scopes that were granted and are not enough are not asked for again and again', async () => {
    const { client, shown } = await setup({
      on: (auth) => (exchange) => {
        if (auth.guard(exchange)) return true;
        if (exchange.message.method !== 'tools/call') return false;
        exchange.response.writeHead(403, {
          'www-authenticate': 'Bearer error="insufficient_scope", scope="more"',
        });
        exchange.response.end();
        return true;
      },
    });
    for (let count = 0; count < 4; count += 1)
      expect((await client.call('one')).error.data.reason).toBe('upstream_no_answer');
    expect(shown).toHaveLength(2);
  });

  it('a user who does not agree: the start fails, and nothing is kept', async () => {
    const store = memoryStore();
    const { client } = await setup({ auth: { isUserUnwilling: true }, oauth: { store } });
    const { error } = await client.call('one');
    expect(error.data.reason).toBe('upstream_unavailable');
    expect(error.message).toContain('401');
    expect(store.read().tokens).toBeUndefined();
  });

  it('a user who does not answer: the start fails in time', async () => {
    const { client } = await setup({ oauth: { patienceMs: 30, show: () => undefined } });
    expect((await client.call('one')).error.data.reason).toBe('upstream_unavailable');
  });

  it('a client id metadata document stands for a registration', async () => {
    const clientMetadataUrl = 'https://bridge.example/client.json';
    const { client, authorization, shown } = await setup({
      auth: { takesMetadataUrls: true },
      oauth: { client: { ...noClient, clientMetadataUrl } },
    });
    await client.call('one');
    expect(authorization.count('/register')).toBe(0);
    expect(shown[0]!.searchParams.get('client_id')).toBe(clientMetadataUrl);
  });

  it("the client's own credentials need no user", async () => {
    const { client, authorization, shown } = await setup({
      oauth: {
        isClientCredentials: true,
        client: { ...noClient, clientId: 'machine', clientSecret: 'machine-secret' },
      },
    });
    expect(textOf(await client.call('one'))).toBe('one has run');
    authorization.revoke();
    expect(textOf(await client.call('two'))).toBe('two has run');
    expect(shown).toHaveLength(0);
    expect(authorization.count('/token')).toBe(2);
  });
});

describe("a provider of the caller's own", () => {
  it("keeps everything itself, and the fetch is the caller's too", async () => {
    const authorization = await new FakeAuthServer().start();
    const server = await new FakeHttpServer({ on: (exchange) => authorization.guard(exchange) }).start();
    let tokens: StoredOAuthTokens | undefined;
    let information: StoredOAuthClientInformation | undefined;
    let discovery: OAuthDiscoveryState | undefined;
    let verifier = '';
    let arrive: (query: URLSearchParams) => void = () => undefined;
    const fetched: string[] = [];
    const provider: OAuthClientProvider = {
      redirectUrl: 'https://app.example/callback',
      clientMetadata: { redirect_uris: ['https://app.example/callback'] },
      clientInformation: () => information,
      saveClientInformation: (value) => void (information = value),
      tokens: () => tokens,
      saveTokens: (value) => void (tokens = value),
      saveCodeVerifier: (value) => void (verifier = value),
      codeVerifier: () => verifier,
      saveDiscoveryState: (value) => void (discovery = value),
      discoveryState: () => discovery,
      state: () => 'own state',
      redirectToAuthorization: async (url) => {
        const response = await fetch(url, { redirect: 'manual' });
        arrive(new URL(response.headers.get('location')!).searchParams);
      },
    };
    const credentials = createProviderCredentials({
      server: server.url,
      log: silentLogger,
      provider,
      waitForRedirect: () => new Promise((resolve) => (arrive = resolve)),
      fetch: (url, init) => {
        fetched.push(String(url));
        return fetch(url, init);
      },
    });
    const harness = httpHarness(server.url, { credentials });
    onTestFinished(async () => {
      await harness.close();
      await server.stop();
      await authorization.stop();
    });
    expect(textOf(await harness.client.call('one'))).toBe('one has run');
    expect(tokens).toBeDefined();
    expect(fetched).toContain(`${authorization.issuer}/token`);
    authorization.revoke();
    expect(textOf(await harness.client.call('two'))).toBe('two has run');
  });
});

describe('what is kept', () => {
  it('is in a file that nobody else can read, without the secret of a client registered by hand', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-bridge-oauth-'));
    onTestFinished(() => {
      rmSync(folder, { recursive: true });
    });
    const { client } = await setup({
      oauth: {
        store: fileStore(join(folder, 'new', 'folder'), 'server'),
        isClientCredentials: true,
        client: { ...noClient, clientId: 'machine', clientSecret: 'machine-secret' },
      },
    });
    await client.call('one');
    const files = readdirSync(join(folder, 'new', 'folder'));
    expect(files).toHaveLength(1);
    const file = join(folder, 'new', 'folder', files[0]!);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'new', 'folder')).mode & 0o777).toBe(0o700);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('access-');
    expect(text).not.toContain('machine-secret');
  });

  const lockOf = (): { store: ReturnType<typeof fileStore>; file: string; lock: string } => {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-bridge-oauth-'));
    onTestFinished(() => {
      rmSync(folder, { recursive: true });
    });
    const store = fileStore(folder, 'server');
    store.write({ redirectPort: 1 });
    const file = join(folder, readdirSync(folder)[0]!);
    return { store, file, lock: `${file}.lock` };
  };

  it.each([
    ['has ended', '4194305', undefined],
    ['does not answer for it', String(process.pid), 0],
  ])('a lock whose owner %s is taken, and a broken file is as good as none', async (_, owner, modified) => {
    const { store, file, lock } = lockOf();
    writeFileSync(lock, owner);
    if (modified !== undefined) utimesSync(lock, modified, modified);
    writeFileSync(file, '{"tokens":');
    expect(await store.locked(() => Promise.resolve(store.read()))).toEqual({});
    expect(readdirSync(dirname(file))).toEqual([basename(file)]);
  });

  it('a lock is answered for as long as it is held', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { store, lock } = lockOf();
    await store.locked(() => {
      utimesSync(lock, 0, 0);
      vi.advanceTimersByTime(5000);
      expect(Date.now() - statSync(lock).mtimeMs).toBeLessThan(60_000);
      return Promise.resolve();
    });
  });

  it('two who want the lock have it one after the other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-bridge-oauth-'));
    onTestFinished(() => {
      rmSync(folder, { recursive: true });
    });
    const order: string[] = [];
    const hold = (name: string): Promise<void> =>
      fileStore(folder, 'server').locked(async () => {
        order.push(`${name} in`);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`${name} out`);
      });
    await Promise.all([hold('a'), hold('b')]);
    expect(order).toEqual(['a in', 'a out', 'b in', 'b out']);
  });
});
