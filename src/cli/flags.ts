// The options of the command line, each also as `MCP_BRIDGE_<NAME>`: names, defaults and what their values look like.
import { Command, InvalidArgumentError, Option } from 'commander';
import { bridgeDefaults } from '../bridge/options.ts';
import { httpFaceDefaults } from '../faces/http-limits.ts';
import { parseCount, parseDuration, parseHostName, parseOrigin, parseSize } from './parse-values.ts';

const defaultDrainMs = 5000;
const defaultLegacySessions = 100;
const defaultLegacyIdleMs = 1_800_000;

/** The options as read; times are milliseconds, sizes bytes. */
export interface Flags {
  readonly upstream?: string;
  readonly port?: number;
  readonly host: string;
  readonly path: string;
  readonly env: readonly string[];
  readonly inheritEnv?: boolean;
  readonly cwd?: string;
  readonly header: readonly string[];
  readonly headerFile?: string;
  readonly caFile?: string;
  readonly oauth: 'authorization-code' | 'client-credentials' | 'off';
  readonly oauthClientId?: string;
  readonly oauthClientSecretFile?: string;
  readonly oauthClientMetadataUrl?: string;
  readonly oauthScope?: string;
  readonly oauthRedirectPort?: number;
  readonly inputTtl: number;
  readonly maxParked: number;
  readonly maxParkedPerPrincipal?: number;
  readonly maxCalls: number;
  readonly maxCallsPerPrincipal?: number;
  readonly maxListens: number;
  readonly maxListensPerPrincipal?: number;
  readonly maxHeldBytes: number;
  readonly receiveTimeout: number;
  readonly stallTimeout: number;
  readonly drainTimeout: number;
  readonly authTokenFile?: string;
  readonly session?: 'shared' | 'principal';
  readonly attributionTimeout: number;
  readonly requestTimeout: number;
  readonly maxRequestTime: number;
  readonly protocol: 'auto' | 'legacy' | 'modern';
  readonly startTimeout: number;
  readonly discoverCache: boolean;
  readonly maxSessions: number;
  readonly queueTimeout: number;
  readonly quarantine: number;
  readonly maxMessageBytes?: number;
  readonly stateKeyFile?: string;
  readonly root: readonly string[];
  readonly legacyFace: boolean;
  readonly legacySse?: boolean;
  readonly maxLegacySessions: number;
  readonly legacyIdleTimeout: number;
  readonly allowUnauthenticated?: boolean;
  readonly allowedOrigin: readonly string[];
  readonly allowedHost: readonly string[];
  readonly cacheTtl: number;
  readonly cacheScope: 'public' | 'private';
  readonly forwardMethod: readonly string[];
  readonly logLevel: string;
  readonly logFormat?: 'json' | 'pretty';
  readonly logPayloads?: boolean;
}

/** Where the program writes its help, its version and what is wrong with its arguments. */
export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Commander's own wording for a bad value, whatever parser found it. */
function checked<Value>(parse: (value: string) => Value): (value: string) => Value {
  return (value) => {
    try {
      return parse(value);
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? `It must be: ${error.message}.` : '');
    }
  };
}

function option(flags: string, description: string): Option {
  const made = new Option(flags, description);
  return made.env(`MCP_BRIDGE_${made.name().replaceAll('-', '_').toUpperCase()}`);
}

function duration(name: string, description: string, defaultMs: number, shown: string): Option {
  return option(`--${name} <duration>`, description)
    .argParser(checked(parseDuration))
    .default(defaultMs, shown);
}

function count(name: string, description: string, defaultCount?: number): Option {
  const parse = checked((value) => parseCount(value, 1, 1_000_000));
  return option(`--${name} <n>`, description).argParser(parse).default(defaultCount);
}

/** May be given several times. */
function list(flags: string, description: string, parse = (value: string): string => value): Option {
  const none: readonly string[] = [];
  const one = checked(parse);
  const collect = (value: string, before: readonly string[]): readonly string[] => [...before, one(value)];
  return option(flags, `${description} (repeatable)`).argParser(collect).default(none, 'none');
}

function port(name: string, description: string): Option {
  const parse = checked((value) => parseCount(value, 0, 65_535));
  return option(`--${name} <n>`, description).argParser(parse);
}

/** For a server at a URL. */
const urlOptions = (): readonly Option[] => [
  list('--header <line>', 'a header line for a server at a URL: "Name: value"'),
  option('--header-file <file>', 'header lines in a file, read again when the server refuses them'),
  option('--ca-file <file>', 'certificate authorities to trust beside the usual ones, as PEM'),
  option('--oauth <flow>', 'how to get a token when the server asks for one')
    .choices(['authorization-code', 'client-credentials', 'off'])
    .default('authorization-code'),
  option('--oauth-client-id <id>', 'a client that was registered with the authorization server by hand'),
  option('--oauth-client-secret-file <file>', 'its secret in a file; or in MCP_BRIDGE_OAUTH_CLIENT_SECRET'),
  option('--oauth-client-metadata-url <url>', 'a client id metadata document, instead of registering'),
  option('--oauth-scope <scopes>', 'scopes to ask for, beside those that the server wants'),
  port('oauth-redirect-port', 'port on 127.0.0.1 to which the browser comes back (default: any free)'),
];

const upstreamOptions = (): readonly Option[] => [
  option(
    '--upstream <command or URL>',
    'the legacy server: a command as one string, split into words, run by no shell, or an http(s) or ws(s) URL',
  ),
  list('--env <NAME[=VALUE]>', 'pass a variable on to the server, or set one'),
  option('--inherit-env', "pass the whole environment on, but the bridge's own settings"),
  option('--cwd <dir>', 'working directory of the server'),
  option('--protocol <era>', 'what the server speaks (auto: found out, again after each start)')
    .choices(['auto', 'legacy', 'modern'])
    .default('auto'),
  duration('start-timeout', "the server's start", bridgeDefaults.startTimeoutMs, '60s'),
  option('--no-discover-cache', 'do not keep what the server says of itself for its next start').default(
    true,
  ),
  count('max-sessions', 'legacy sessions (processes) at once', bridgeDefaults.maxSessions),
  list('--root <uri-or-path>', 'a root to tell the server of, instead of asking clients'),
];

const faceOptions = (): readonly Option[] => [
  port('port', 'serve Streamable HTTP here (0: any free port); without it, serve stdio'),
  option('--host <addr>', 'address to listen on').default('127.0.0.1'),
  option('--path <path>', 'path of the HTTP endpoint').default('/mcp'),
  list('--allowed-host <name>', 'a host name to serve under, beside those of loopback', parseHostName),
  list('--allowed-origin <origin>', 'an origin whose pages may call, beside those of loopback', parseOrigin),
  option('--auth-token-file <file>', 'bearer tokens of clients, one name:token a line'),
  option('--session <whose>', 'legacy sessions (default: principal with tokens, else shared)').choices([
    'shared',
    'principal',
  ]),
  option('--allow-unauthenticated', 'listen beyond loopback although callers are not authenticated'),
  option(
    '--max-message-bytes <size>',
    'largest message (default: 4MiB from clients, 64MiB from servers)',
  ).argParser(checked(parseSize)),
  list('--forward-method <pattern>', "let methods of the server's own through: acme/*"),
  duration('cache-ttl', 'how long clients may keep lists', bridgeDefaults.cacheTtlMs, '60s'),
  option('--cache-scope <scope>', 'who may keep lists').choices(['public', 'private']).default('private'),
];

const legacyOptions = (): readonly Option[] => [
  option('--no-legacy-face', 'refuse legacy clients, which open with initialize').default(true),
  option('--legacy-sse', 'over HTTP: serve the transport of 2024-11-05 too, at /sse and /messages'),
  count(
    'max-legacy-sessions',
    'over HTTP: how many legacy clients may have a session',
    defaultLegacySessions,
  ),
  duration(
    'legacy-idle-timeout',
    'over HTTP: a legacy session with nothing open',
    defaultLegacyIdleMs,
    '30m',
  ),
];

const callOptions = (): readonly Option[] => [
  duration('request-timeout', 'a call without progress', bridgeDefaults.requestTimeoutMs, '60s'),
  duration('max-request-time', 'a call in all, questions not counted', bridgeDefaults.maxRequestMs, '30m'),
  duration('input-ttl', 'how long a question may wait for its answer', bridgeDefaults.inputTtlMs, '10m'),
  count('max-parked', 'how many calls may wait for answers', bridgeDefaults.maxParked),
  count('max-parked-per-principal', 'the same for each principal (default: 100 with tokens)'),
  duration(
    'attribution-timeout',
    'to find out whose question it is',
    bridgeDefaults.attributionTimeoutMs,
    '10s',
  ),
  duration('queue-timeout', 'waiting for a turn to ask', bridgeDefaults.queueTimeoutMs, '60s'),
  duration('quarantine', 'how long a cancelled call may still ask', bridgeDefaults.quarantineMs, '30s'),
  option('--state-key-file <file>', 'keys that seal request states, one name:base64 a line'),
];

const loadOptions = (): readonly Option[] => [
  count('max-calls', 'how many requests may be in flight', bridgeDefaults.maxCalls),
  count('max-calls-per-principal', 'the same for each principal (default: as --max-calls)'),
  count('max-listens', 'how many listen streams may be open', bridgeDefaults.maxListens),
  count('max-listens-per-principal', 'the same for each principal (default: as --max-listens)'),
  option('--max-held-bytes <size>', 'requests in flight, and unread answers over HTTP, in all')
    .argParser(checked(parseSize))
    .default(bridgeDefaults.maxHeldBytes, '256MiB'),
  duration(
    'receive-timeout',
    'over HTTP: for a request to come in',
    httpFaceDefaults.requestTimeoutMs,
    '30s',
  ),
  duration(
    'stall-timeout',
    'over HTTP: a client that reads nothing of its answer',
    httpFaceDefaults.stallMs,
    '60s',
  ),
  duration('drain-timeout', 'what is in flight when the bridge is told to stop', defaultDrainMs, '5s'),
];

const logOptions = (): readonly Option[] => [
  option('--log-level <level>', 'log level on stderr')
    .choices(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info'),
  option('--log-format <format>', 'log format (default: pretty on a terminal)').choices(['json', 'pretty']),
  option('--log-payloads', 'log every message whole, with all secrets that are in it'),
];

/** What was given may be a secret in the wrong place: it is not repeated. */
function withoutValues(text: string): string {
  return text
    .replace(/ (argument|value) '[^]*?'( from env '\w+')? is invalid/, ' $1$2 is invalid')
    .replace(/unknown option '(--?[\w-]+)[^]*'/, "unknown option '$1'");
}

export function createProgram(version: string, output: Output): Command {
  const program = new Command('mcp-bridge')
    .description(
      'Puts a modern (2026-07-28), stateless MCP face on a legacy MCP server, which stays as it is.',
    )
    .usage('[options] --upstream <command or URL>\n       mcp-bridge [options] -- <command> [args...]')
    .version(version, '--version')
    .argument('[command...]', 'the legacy server and its arguments, passed on exactly (after --)')
    .configureOutput({
      writeOut: output.out,
      writeErr: output.err,
      outputError: (text, write) => {
        write(withoutValues(text));
      },
    })
    .exitOverride();
  for (const each of [
    ...upstreamOptions(),
    ...urlOptions(),
    ...faceOptions(),
    ...legacyOptions(),
    ...callOptions(),
    ...loadOptions(),
    ...logOptions(),
  ])
    program.addOption(each);
  return program;
}
