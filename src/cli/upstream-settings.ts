// Which server, and how it is reached, out of the command line and the environment.
import { join } from 'node:path';
import type { HeaderLines } from '../upstream/credentials.ts';
import type { ProxySettings } from '../upstream/proxy.ts';
import { parseHeaderFile, parseHeaderLines } from '../upstream/header-lines.ts';
import type { Environment } from './child-env.ts';
import type { Flags } from './flags.ts';
import { stateFolder } from './folders.ts';
import { splitWords } from './parse-values.ts';
import { readText } from './read-text.ts';
import { UsageError } from './usage-error.ts';

export type UpstreamSettings = CommandSettings | UrlSettings;

interface CommandSettings {
  readonly kind: 'command';
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: readonly string[];
  readonly inheritEnv: boolean;
}

export interface UrlSettings {
  readonly kind: 'url';
  readonly url: URL;
  readonly headers: HeaderLines;
  /** Reads the header file; undefined where there is none. */
  readonly readHeaders: (() => HeaderLines) | undefined;
  /** Certificate authorities to trust beside the usual ones, as PEM; undefined: none. */
  readonly ca: readonly string[] | undefined;
  readonly proxies: ProxySettings;
  readonly oauth: OAuthSettings | undefined;
}

export interface OAuthSettings {
  readonly isClientCredentials: boolean;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly clientMetadataUrl: string | undefined;
  readonly scope: string | undefined;
  readonly redirectPort: number | undefined;
  /** Where tokens are kept. */
  readonly folder: string;
}

const isUrl = (upstream: string): boolean => /^(?:https?|wss?):\/\//i.test(upstream);

export function upstreamSettings(
  flags: Flags,
  rest: readonly string[],
  environment: Environment,
): UpstreamSettings {
  const { upstream } = flags;
  if (upstream !== undefined && rest.length > 0)
    throw new UsageError('Give the server either with --upstream or after --, not both');
  if (upstream !== undefined && isUrl(upstream)) return urlSettings(flags, upstream, environment);
  const [command, ...args] = upstream === undefined ? rest : wordsOf(upstream);
  if (command === undefined)
    throw new UsageError(
      'Say which server to put behind the bridge: --upstream "<command>", --upstream <url> or -- <command>',
    );
  if (/^[A-Za-z_]\w*=/.test(command))
    throw new UsageError(
      'The command begins with an assignment, which no shell will see: use --env NAME=VALUE',
    );
  if (flags.header.length > 0 || flags.headerFile !== undefined)
    throw new UsageError('--header and --header-file are for a server at a URL');
  const { cwd, env, inheritEnv = false } = flags;
  return { kind: 'command', command, args, cwd, env, inheritEnv };
}

function wordsOf(command: string): readonly string[] {
  try {
    return splitWords(command);
  } catch (error) {
    throw new UsageError(`--upstream: It must be: ${error instanceof Error ? error.message : 'a command'}`);
  }
}

function urlSettings(flags: Flags, text: string, environment: Environment): UrlSettings {
  if (!URL.canParse(text)) throw new UsageError('--upstream is not a URL');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    throw new UsageError('--upstream: give credentials by --header or --header-file, not in the URL');
  url.hash = '';
  const { headerFile } = flags;
  const readHeaders =
    headerFile === undefined ? undefined : () => parseHeaderFile(readText(headerFile, '--header-file'));
  const headers = checked('--header', () => parseHeaderLines(flags.header));
  const fromFile = readHeaders && checked('--header-file', readHeaders);
  const isWebSocket = url.protocol.startsWith('ws');
  const hasToken = 'authorization' in { ...headers, ...fromFile };
  return {
    kind: 'url',
    url,
    headers,
    readHeaders,
    ca: flags.caFile === undefined ? undefined : moreAuthorities(flags.caFile, environment),
    proxies: {
      http: environment['http_proxy'] ?? environment['HTTP_PROXY'],
      https: environment['https_proxy'] ?? environment['HTTPS_PROXY'],
      except: environment['no_proxy'] ?? environment['NO_PROXY'],
    },
    oauth: isWebSocket || hasToken ? undefined : oauthSettings(flags, environment),
  };
}

function oauthSettings(flags: Flags, environment: Environment): OAuthSettings | undefined {
  if (flags.oauth === 'off') return undefined;
  const clientId = flags.oauthClientId;
  const clientSecret =
    flags.oauthClientSecretFile === undefined
      ? environment['MCP_BRIDGE_OAUTH_CLIENT_SECRET']
      : readText(flags.oauthClientSecretFile, '--oauth-client-secret-file').trim();
  const isClientCredentials = flags.oauth === 'client-credentials';
  if (isClientCredentials && (clientId === undefined || clientSecret === undefined))
    throw new UsageError('--oauth client-credentials needs --oauth-client-id and a client secret');
  return {
    isClientCredentials,
    clientId,
    clientSecret,
    clientMetadataUrl: flags.oauthClientMetadataUrl,
    scope: flags.oauthScope,
    redirectPort: flags.oauthRedirectPort,
    folder: join(stateFolder(environment), 'mcp-bridge', 'oauth'),
  };
}

/** A list of one's own takes the place of those that Node is told of, so that these go into it. */
function moreAuthorities(file: string, environment: Environment): readonly string[] {
  const extra = environment['NODE_EXTRA_CA_CERTS'] ?? '';
  const more = extra === '' ? [] : [readText(extra, 'NODE_EXTRA_CA_CERTS')];
  return [...more, readText(file, '--ca-file')];
}

function checked<Value>(option: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${option}: ${error instanceof Error ? error.message : 'not a header'}`);
  }
}
