// The command line and the environment as settings. What is wrong with them is a `UsageError`: exit code 2.
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CommanderError } from 'commander';
import { toStaticRoots, type BridgeOptions } from '../bridge/options.ts';
import { createKeyRing, parseKeyRing, type KeyRing } from '../continuation/key-ring.ts';
import { isLoopbackAddress } from '../faces/http-guard.ts';
import { httpFaceDefaults, type HttpFaceLimits } from '../faces/http-limits.ts';
import { parseTokens, type Tokens } from '../faces/http-tokens.ts';
import type { Environment } from './child-env.ts';
import { cacheFolder } from './folders.ts';
import { createProgram, type Flags, type Output } from './flags.ts';
import { readText } from './read-text.ts';
import { upstreamSettings, type UpstreamSettings } from './upstream-settings.ts';
import { UsageError } from './usage-error.ts';

export interface Settings {
  readonly upstream: UpstreamSettings;
  /** Undefined: the stdio face. */
  readonly http: HttpSettings | undefined;
  /** Where what servers say of themselves is kept; undefined: nowhere. */
  readonly discoverFolder: string | undefined;
  /** Whether legacy clients are served. */
  readonly hasLegacyFace: boolean;
  /** How long what is in flight may take when the bridge is told to stop. */
  readonly drainMs: number;
  readonly maxClientMessageBytes: number;
  readonly maxServerMessageBytes: number;
  readonly startTimeoutMs: number;
  readonly keyRing: KeyRing;
  readonly bridge: Partial<BridgeOptions>;
  readonly logLevel: string;
  readonly logFormat: 'json' | 'pretty' | undefined;
  readonly logPayloads: boolean;
}

export interface HttpSettings {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly isLoopback: boolean;
  readonly tokens: Tokens | undefined;
  /** Whether each principal has a legacy session of its own. */
  readonly hasSessionPerPrincipal: boolean;
  readonly limits: HttpFaceLimits;
  readonly hasLegacySse: boolean;
  readonly maxLegacySessions: number;
  readonly legacyIdleMs: number;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

const parkedPerPrincipalWithTokens = 100;
/** For connections that are idle, or are being refused. */
const spareConnections = 1000;
const serverMessageBytes = 64 * 1024 * 1024;

/** `argv` without the program's own two words. */
export function parseSettings(
  argv: readonly string[],
  environment: Environment,
  version: string,
  output: Output,
): Settings {
  const program = createProgram(version, output);
  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    // Commander has written its message already.
    if (error instanceof CommanderError) throw new UsageError('', error.exitCode === 0 ? 0 : 2);
    throw error;
  }
  return toSettings(program.opts<Flags>(), program.args, environment);
}

function toSettings(flags: Flags, rest: readonly string[], environment: Environment): Settings {
  const http = httpSettings(flags, environment);
  const parkedPerPrincipal = http?.tokens === undefined ? flags.maxParked : parkedPerPrincipalWithTokens;
  return {
    upstream: upstreamSettings(flags, rest, environment),
    http,
    discoverFolder: flags.discoverCache
      ? join(cacheFolder(environment), 'mcp-bridge', 'discover')
      : undefined,
    hasLegacyFace: flags.legacyFace,
    drainMs: flags.drainTimeout,
    maxClientMessageBytes: flags.maxMessageBytes ?? httpFaceDefaults.maxMessageBytes,
    maxServerMessageBytes: flags.maxMessageBytes ?? serverMessageBytes,
    startTimeoutMs: flags.startTimeout,
    keyRing: keyRingOf(flags.stateKeyFile, environment['MCP_BRIDGE_STATE_KEYS']),
    logLevel: flags.logLevel,
    logFormat: flags.logFormat,
    logPayloads: flags.logPayloads ?? false,
    bridge: {
      inputTtlMs: flags.inputTtl,
      maxParked: flags.maxParked,
      maxParkedPerPrincipal: flags.maxParkedPerPrincipal ?? parkedPerPrincipal,
      maxCalls: flags.maxCalls,
      maxCallsPerPrincipal: flags.maxCallsPerPrincipal ?? flags.maxCalls,
      maxListens: flags.maxListens,
      maxListensPerPrincipal: flags.maxListensPerPrincipal ?? flags.maxListens,
      maxHeldBytes: flags.maxHeldBytes,
      attributionTimeoutMs: flags.attributionTimeout,
      requestTimeoutMs: flags.requestTimeout,
      maxRequestMs: flags.maxRequestTime,
      protocol: flags.protocol,
      startTimeoutMs: flags.startTimeout,
      maxSessions: flags.maxSessions,
      queueTimeoutMs: flags.queueTimeout,
      quarantineMs: flags.quarantine,
      cacheTtlMs: flags.cacheTtl,
      cacheScope: flags.cacheScope,
      staticRoots: toStaticRoots(flags.root.map(toRootUri)),
      forwardedMethods: flags.forwardMethod,
    },
  };
}

function httpSettings(flags: Flags, environment: Environment): HttpSettings | undefined {
  const { host, port, path, authTokenFile, session, legacySse = false } = flags;
  if (port === undefined) {
    checkStdio(flags);
    return undefined;
  }
  const tokens = tokensOf(authTokenFile, environment['MCP_BRIDGE_AUTH_TOKEN']);
  if (!/^\/[\w\-./~]*$/.test(path)) throw new UsageError('--path must be a plain path that begins with /');
  if (legacySse) checkLegacySse(flags);
  const isLoopback = isLoopbackAddress(host);
  if (!isLoopback && tokens === undefined && flags.allowUnauthenticated !== true)
    throw new UsageError(
      `--host ${host} is not a loopback address: anyone who reaches it could call. Give --auth-token-file, or, if ` +
        'something in front of the bridge authenticates callers, say --allow-unauthenticated',
    );
  return {
    host,
    port,
    path,
    isLoopback,
    tokens,
    hasSessionPerPrincipal: (session ?? (tokens === undefined ? 'shared' : 'principal')) === 'principal',
    limits: faceLimits(flags),
    hasLegacySse: legacySse,
    maxLegacySessions: flags.maxLegacySessions,
    legacyIdleMs: flags.legacyIdleTimeout,
    allowedHosts: flags.allowedHost,
    allowedOrigins: flags.allowedOrigin,
  };
}

function checkStdio({ authTokenFile, session, legacySse }: Flags): void {
  if (authTokenFile !== undefined || session !== undefined || legacySse === true)
    throw new UsageError('--auth-token-file, --session and --legacy-sse are for --port');
}

function checkLegacySse({ legacyFace, path }: Flags): void {
  if (!legacyFace) throw new UsageError('--legacy-sse and --no-legacy-face contradict each other');
  if (path === '/sse' || path === '/messages')
    throw new UsageError(`--path ${path} is taken by --legacy-sse`);
}

function faceLimits(flags: Flags): HttpFaceLimits {
  const {
    maxMessageBytes = httpFaceDefaults.maxMessageBytes,
    maxHeldBytes,
    receiveTimeout,
    maxCalls,
    maxListens,
  } = flags;
  return {
    ...httpFaceDefaults,
    maxMessageBytes,
    maxHeldBytes,
    maxConnections: maxCalls + maxListens + spareConnections,
    requestTimeoutMs: receiveTimeout,
    headersTimeoutMs: Math.min(receiveTimeout, httpFaceDefaults.headersTimeoutMs),
    stallMs: flags.stallTimeout,
  };
}

function tokensOf(file: string | undefined, token: string | undefined): Tokens | undefined {
  if (file === undefined && token === undefined) return undefined;
  const text = file === undefined ? `token:${token ?? ''}` : readText(file, '--auth-token-file');
  try {
    return parseTokens(text);
  } catch (error) {
    throw new UsageError(`Tokens of clients: ${error instanceof Error ? error.message : 'there are none'}`);
  }
}

function keyRingOf(file: string | undefined, keys: string | undefined): KeyRing {
  if (file === undefined && keys === undefined) return createKeyRing();
  const parsed = parseKeyRing(file === undefined ? (keys ?? '') : readText(file, '--state-key-file'));
  if (!parsed.ok) throw new UsageError(`State keys: ${parsed.reason}`);
  return parsed.ring;
}

/** A root is a `file:` URI; a path is made into one. */
function toRootUri(root: string): string {
  return /^[a-z][a-z0-9+.-]+:/i.test(root) ? root : pathToFileURL(resolve(root)).href;
}
