// The command line and the environment as settings. What is wrong with them is a `UsageError`: exit code 2.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CommanderError } from 'commander';
import { toStaticRoots, type BridgeOptions } from '../bridge/options.ts';
import { createKeyRing, parseKeyRing, type KeyRing } from '../continuation/key-ring.ts';
import { isLoopbackAddress } from '../faces/http-guard.ts';
import type { Environment } from './child-env.ts';
import { createProgram, type Flags, type Output } from './flags.ts';
import { readText } from './read-text.ts';
import { upstreamSettings, type UpstreamSettings } from './upstream-settings.ts';
import { UsageError } from './usage-error.ts';

export interface Settings {
  readonly upstream: UpstreamSettings;
  /** Undefined: the stdio face. */
  readonly http: HttpSettings | undefined;
  readonly maxClientMessageBytes: number;
  readonly maxServerMessageBytes: number;
  readonly startTimeoutMs: number;
  readonly keyRing: KeyRing;
  readonly bridge: Partial<BridgeOptions>;
  readonly logLevel: string;
  readonly logFormat: 'json' | 'pretty' | undefined;
}

export interface HttpSettings {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly isLoopback: boolean;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

const clientMessageBytes = 4 * 1024 * 1024;
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
  return {
    upstream: upstreamSettings(flags, rest, environment),
    http: httpSettings(flags),
    maxClientMessageBytes: flags.maxMessageBytes ?? clientMessageBytes,
    maxServerMessageBytes: flags.maxMessageBytes ?? serverMessageBytes,
    startTimeoutMs: flags.startTimeout,
    keyRing: keyRingOf(flags.stateKeyFile, environment['MCP_BRIDGE_STATE_KEYS']),
    logLevel: flags.logLevel,
    logFormat: flags.logFormat,
    bridge: {
      inputTtlMs: flags.inputTtl,
      maxParked: flags.maxParked,
      attributionTimeoutMs: flags.attributionTimeout,
      requestTimeoutMs: flags.requestTimeout,
      maxRequestMs: flags.maxRequestTime,
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

function httpSettings(flags: Flags): HttpSettings | undefined {
  const { host, port, path } = flags;
  if (port === undefined) return undefined;
  if (!/^\/[\w\-./~]*$/.test(path)) throw new UsageError('--path must be a plain path that begins with /');
  const isLoopback = isLoopbackAddress(host);
  if (!isLoopback && flags.allowUnauthenticated !== true)
    throw new UsageError(
      `--host ${host} is not a loopback address: anyone who reaches it could call. If something in front of the bridge ` +
        'authenticates callers, say --allow-unauthenticated',
    );
  return {
    host,
    port,
    path,
    isLoopback,
    allowedHosts: flags.allowedHost,
    allowedOrigins: flags.allowedOrigin,
  };
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
