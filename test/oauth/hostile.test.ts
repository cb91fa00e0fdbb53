// What a hostile server can make of authorization: nothing leaves for where it does not belong.
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '../../src/log.ts';
import { createOAuthCredentials, type OAuthOptions } from '../../src/oauth/credentials.ts';
import { guardFetch } from '../../src/oauth/guarded-fetch.ts';
import { memoryStore, type AuthorizationStore } from '../../src/oauth/token-file.ts';
import { combine, type Credentials } from '../../src/upstream/credentials.ts';
import { fixedHeaders } from '../../src/upstream/header-lines.ts';
import { FakeAuthServer } from '../support/fake-auth-server.ts';
import { FakeHttpServer, type Exchange } from '../support/fake-http-server.ts';
import { httpHarness, textOf } from '../support/upstream-harness.ts';

const client = {
  clientId: undefined,
  clientSecret: undefined,
  clientMetadataUrl: undefined,
  scope: undefined,
  clientName: 'bridge',
};

function credentials(server: URL, store: AuthorizationStore, more: Partial<OAuthOptions> = {}): Credentials {
  return createOAuthCredentials({
    server,
    client,
    store,
    isClientCredentials: false,
    redirectPort: undefined,
    patienceMs: 10_000,
    log: silentLogger,
    show: (url) => void fetch(url).then((response) => response.text()),
    ...more,
  });
}

async function servers(): Promise<{ good: FakeAuthServer; evil: FakeAuthServer }> {
  const good = await new FakeAuthServer().start();
  const evil = await new FakeAuthServer().start();
  onTestFinished(async () => {
    await good.stop();
    await evil.stop();
  });
  return { good, evil };
}

async function serve(on: (exchange: Exchange) => boolean): Promise<FakeHttpServer> {
  const server = await new FakeHttpServer({ on }).start();
  onTestFinished(() => server.stop());
  return server;
}

describe('a hostile server', () => {
  it('that names another authorization server later gets no refresh token and no registration of the first', async () => {
    const { good, evil } = await servers();
    let current = good;
    const server = await serve((exchange) => current.guard(exchange));
    const store = memoryStore();
    const harness = httpHarness(server.url, { credentials: credentials(server.url, store) });
    onTestFinished(() => harness.close());
    await harness.client.call('one');
    const { access_token, refresh_token } = store.read().tokens!;
    const { client_id } = store.read().client!;
    current = evil;
    await harness.client.call('two');
    const seen = JSON.stringify(evil.requests);
    expect(evil.requests.length).toBeGreaterThan(0);
    for (const secret of [access_token, refresh_token!, client_id]) expect(seen).not.toContain(secret);
  });

  it('gets the secret of a client registered by hand for the first authorization server only', async () => {
    const { good, evil } = await servers();
    let current = good;
    const server = await serve((exchange) => current.guard(exchange));
    const machine = { ...client, clientId: 'machine', clientSecret: 'machine-secret' };
    const options = { isClientCredentials: true, client: machine };
    const harness = httpHarness(server.url, { credentials: credentials(server.url, memoryStore(), options) });
    onTestFinished(() => harness.close());
    expect(textOf(await harness.client.call('one'))).toBe('one has run');
    current = evil;
    for (let count = 0; count < 3; count += 1) await harness.client.call('two');
    const secret = Buffer.from('machine:machine-secret').toString('base64');
    const seen = JSON.stringify(evil.requests);
    expect(JSON.stringify(good.requests)).toContain(secret);
    expect(evil.requests.length).toBeGreaterThan(0);
    expect(seen).not.toContain(secret);
    expect(seen).not.toContain('machine-secret');
  });

  it('that names its metadata elsewhere sends nobody there', async () => {
    const { good, evil } = await servers();
    const server = await serve((exchange) =>
      good.guard(
        exchange,
        'basic',
        `, resource_metadata="${evil.issuer}/.well-known/oauth-protected-resource"`,
      ),
    );
    const harness = httpHarness(server.url, { credentials: credentials(server.url, memoryStore()) });
    onTestFinished(() => harness.close());
    expect(textOf(await harness.client.call('one'))).toBe('one has run');
    expect(evil.requests).toEqual([]);
  });

  it.each([
    'Bearer resource_metadata="file:///etc/passwd"',
    'Bearer resource_metadata="http://169.254.169.254/latest"',
    'Bearer resource_metadata=""',
    `Bearer scope="${'x'.repeat(5000)}"`,
    'Bearer error="insufficient_scope" error="x", scope=\\"',
    'Basic realm="x", Bearer',
    '"',
    ',,,,=',
  ])('may challenge with %s: a clear error or a token, nothing else', async (challenge) => {
    const { good } = await servers();
    const server = await serve((exchange) => {
      if (exchange.path.startsWith('/.well-known/')) return good.guard(exchange);
      exchange.response.writeHead(401, { 'www-authenticate': challenge }).end();
      return true;
    });
    const harness = httpHarness(server.url, { credentials: credentials(server.url, memoryStore()) });
    onTestFinished(() => harness.close());
    const { error } = await harness.client.call('one');
    expect(error.data.reason).toBe('upstream_unavailable');
    expect(error.message).not.toContain('xxx');
  });

  it.each([
    'file:///etc/passwd',
    'http://evil.example/authorize',
    'x-apple-helpbasic://a',
    'javascript:alert(1)',
  ])('whose authorization server leads the user to %s: nothing is opened', async (authorizationEndpoint) => {
    const odd = await new FakeAuthServer({ authorizationEndpoint }).start();
    onTestFinished(() => odd.stop());
    const server = await serve((exchange) => odd.guard(exchange));
    const shown: URL[] = [];
    const show = (url: URL): void => void shown.push(url);
    const harness = httpHarness(server.url, {
      credentials: credentials(server.url, memoryStore(), { show }),
    });
    onTestFinished(() => harness.close());
    expect((await harness.client.call('one')).error.data.reason).toBe('upstream_unavailable');
    expect(odd.requests.length).toBeGreaterThan(0);
    expect(shown).toEqual([]);
  });

  it('sees header lines that belong to it, and no authorization server does', async () => {
    const { good } = await servers();
    const server = await serve((exchange) => good.guard(exchange));
    const both = combine(fixedHeaders({ 'x-api-key': 'canary' }), credentials(server.url, memoryStore()));
    const harness = httpHarness(server.url, { credentials: both });
    onTestFinished(() => harness.close());
    await harness.client.call('one');
    expect(
      server.requests
        .filter(({ path }) => path === '/mcp')
        .every(({ headers }) => headers['x-api-key'] === 'canary'),
    ).toBe(true);
    expect(JSON.stringify(good.requests)).not.toContain('canary');
    const metadata = server.requests.filter(({ path }) => path.startsWith('/.well-known'));
    expect(JSON.stringify(metadata)).not.toContain('canary');
  });
});

describe('the fetch for authorization', () => {
  const server = new URL('https://server.example/mcp');

  it('goes by TLS, to the own machine, or to the server itself', async () => {
    const fetch = guardFetch(() => Promise.resolve(new Response('{}')), server);
    for (const url of ['https://a.example/', 'http://127.0.0.1:1/', 'http://localhost:1/', 'http://[::1]:1/'])
      await expect(fetch(url)).resolves.toBeInstanceOf(Response);
    for (const url of [
      'http://a.example/',
      'http://169.254.169.254/',
      'http://localhost.evil.example/',
      'file:///etc/passwd',
    ])
      await expect(fetch(url)).rejects.toThrow('https');
  });

  it('carries no body along a redirect, and reads no endless answer', async () => {
    const inits: RequestInit[] = [];
    const endless = new ReadableStream({
      pull: (controller) => {
        controller.enqueue(new Uint8Array(64 * 1024));
      },
    });
    const fetch = guardFetch((_, init) => {
      inits.push(init!);
      return Promise.resolve(new Response(inits.length === 1 ? '{}' : endless));
    }, server);
    await fetch('https://a.example/token', { method: 'POST', body: 'secret' });
    expect(inits[0]!.redirect).toBe('error');
    await expect(fetch('https://a.example/')).rejects.toThrow('too large');
  });
});
