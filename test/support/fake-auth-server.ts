// An authorization server inside the test: metadata, registration, a user who says yes, tokens that rotate. Keeps what
// reached it.
import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange } from './fake-http-server.ts';
import { LocalServer } from './local-server.ts';

export interface AuthScript {
  /** The lifetime of nothing: tokens hold until `revoke`. */
  readonly hasRefresh?: boolean;
  readonly isUserUnwilling?: boolean;
  readonly takesMetadataUrls?: boolean;
  /** Where the user is led. */
  readonly authorizationEndpoint?: string;
}

export class FakeAuthServer extends LocalServer {
  readonly requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] =
    [];
  readonly clients = new Map<string, { readonly secret?: string; readonly redirects: readonly string[] }>();
  private readonly script: AuthScript;
  private readonly codes = new Map<string, { challenge: string; scope: string }>();
  private readonly access = new Map<string, string>();
  private readonly refresh = new Map<string, string>();

  constructor(script: AuthScript = {}) {
    super();
    this.script = script;
  }

  get issuer(): string {
    return this.origin;
  }

  count(path: string): number {
    return this.requests.filter(({ url }) => url.startsWith(path)).length;
  }

  /** No access token holds any more. */
  revoke(): void {
    this.access.clear();
  }

  /** Guards a fake server: true when it has refused the request, or answered for its metadata. */
  guard(exchange: Exchange, needed = 'basic', challenge = ''): boolean {
    const { path, response, headers, server } = exchange;
    if (path.startsWith('/.well-known/oauth-protected-resource')) {
      const body = {
        resource: server.url.href,
        authorization_servers: [this.issuer],
        scopes_supported: ['basic'],
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      return true;
    }
    if (path.startsWith('/.well-known/')) {
      response.writeHead(404).end();
      return true;
    }
    const scope = this.access.get(/^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '');
    if (scope?.split(' ').includes(needed) === true) return false;
    const error = scope === undefined ? 'invalid_token' : 'insufficient_scope';
    response.writeHead(scope === undefined ? 401 : 403, {
      'www-authenticate': `Bearer error="${error}", scope="${needed}"${challenge}`,
    });
    response.end();
    return true;
  }

  protected receive(request: IncomingMessage, body: string, response: ServerResponse): void {
    const url = new URL(request.url!, this.issuer);
    this.requests.push({ method: request.method!, url: request.url!, headers: request.headers, body });
    const json = (value: object, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    switch (url.pathname) {
      case '/.well-known/oauth-authorization-server':
        json(this.metadata());
        return;
      case '/register':
        json(this.register(JSON.parse(body)), 201);
        return;
      case '/authorize':
        this.authorize(url.searchParams, response);
        return;
      case '/token':
        this.token(new URLSearchParams(body), request.headers.authorization, json);
        return;
      default:
        response.writeHead(404).end();
    }
  }

  private metadata(): object {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: this.script.authorizationEndpoint ?? `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
      client_id_metadata_document_supported: this.script.takesMetadataUrls ?? false,
      authorization_response_iss_parameter_supported: true,
    };
  }

  private register(wanted: { redirect_uris: string[] }): object {
    const id = randomUUID();
    this.clients.set(id, { redirects: wanted.redirect_uris });
    return { ...wanted, client_id: id };
  }

  private authorize(query: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID();
    const redirect = new URL(query.get('redirect_uri')!);
    if (this.script.isUserUnwilling === true) redirect.searchParams.set('error', 'access_denied');
    else {
      this.codes.set(code, { challenge: query.get('code_challenge')!, scope: query.get('scope') ?? '' });
      redirect.searchParams.set('code', code);
    }
    redirect.searchParams.set('state', query.get('state')!);
    redirect.searchParams.set('iss', this.issuer);
    response.writeHead(302, { location: redirect.href }).end();
  }

  private token(
    form: URLSearchParams,
    authorization: string | undefined,
    json: (value: object, status?: number) => void,
  ): void {
    const scope = this.grant(form, authorization);
    if (scope === undefined) {
      json({ error: 'invalid_grant' }, 400);
      return;
    }
    const access = `access-${randomUUID()}`;
    const refresh = `refresh-${randomUUID()}`;
    this.access.set(access, scope);
    const hasRefresh = this.script.hasRefresh !== false && form.get('grant_type') !== 'client_credentials';
    if (hasRefresh) this.refresh.set(refresh, scope);
    json({
      access_token: access,
      token_type: 'Bearer',
      scope,
      ...(hasRefresh && { refresh_token: refresh }),
    });
  }

  private grant(form: URLSearchParams, authorization: string | undefined): string | undefined {
    switch (form.get('grant_type')) {
      case 'authorization_code': {
        const code = this.codes.get(form.get('code')!);
        this.codes.delete(form.get('code')!);
        const digest = createHash('sha256').update(form.get('code_verifier')!).digest('base64url');
        return digest === code?.challenge ? code.scope : undefined;
      }
      case 'refresh_token': {
        // Each holds once: who presents it twice has lost.
        const scope = this.refresh.get(form.get('refresh_token')!);
        this.refresh.delete(form.get('refresh_token')!);
        return scope;
      }
      case 'client_credentials': {
        const [id, secret] = Buffer.from(authorization?.slice('Basic '.length) ?? '', 'base64')
          .toString()
          .split(':');
        return id === 'machine' && secret === 'machine-secret' ? (form.get('scope') ?? 'basic') : undefined;
      }
      case null:
      default:
        return undefined;
    }
  }
}
