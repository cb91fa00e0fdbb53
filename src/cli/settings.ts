// The command line and the environment as settings. What is wrong with them is a `UsageError`: exit code 2.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { bridgeDefaults, toStaticRoots, type BridgeOptions } from '../bridge/options.ts';
import { createKeyRing, parseKeyRing, type KeyRing } from '../continuation/key-ring.ts';
import { isLoopbackAddress } from '../faces/http-guard.ts';
import type { Environment } from './child-env.ts';
import { parseCount, parseDuration, parseSize, splitWords } from './parse-values.ts';

export interface Settings {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: readonly string[];
  readonly inheritEnv: boolean;
  /** Undefined: the stdio face. */
  readonly http: HttpSettings | undefined;
  readonly maxClientMessageBytes: number;
  readonly maxServerMessageBytes: number;
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

export class UsageError extends Error {
  /** 0 where the user asked for help or the version. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

interface Flags {
  readonly upstream?: string;
  readonly port?: number;
  readonly host: string;
  readonly path: string;
  readonly env: readonly string[];
  readonly inheritEnv?: boolean;
  readonly cwd?: string;
  readonly inputTtl: number;
  readonly maxParked: number;
  readonly attributionTimeout: number;
  readonly requestTimeout: number;
  readonly maxRequestTime: number;
  readonly startTimeout: number;
  readonly maxSessions: number;
  readonly queueTimeout: number;
  readonly quarantine: number;
  readonly maxMessageBytes?: number;
  readonly stateKeyFile?: string;
  readonly root: readonly string[];
  readonly allowUnauthenticated?: boolean;
  readonly allowedOrigin: readonly string[];
  readonly allowedHost: readonly string[];
  readonly cacheTtl: number;
  readonly cacheScope: 'public' | 'private';
  readonly forwardMethod: readonly string[];
  readonly logLevel: string;
  readonly logFormat?: 'json' | 'pretty';
}

const clientMessageBytes = 4 * 1024 * 1024;
const serverMessageBytes = 64 * 1024 * 1024;

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

const duration = checked(parseDuration);
const count = checked((value) => parseCount(value, 1, 1_000_000));
const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

function option(flags: string, description: string): Option {
  const made = new Option(flags, description);
  return made.env(`MCP_BRIDGE_${made.name().replaceAll('-', '_').toUpperCase()}`);
}

function timed(flags: string, description: string, defaultMs: number, shown: string): Option {
  return option(`${flags} <duration>`, description).argParser(duration).default(defaultMs, shown);
}

function listed(flags: string, description: string): Option {
  return option(flags, description)
    .argParser(collect)
    .default([] as readonly string[], 'none');
}

function createProgram(version: string, output: Output): Command {
  const defaults = bridgeDefaults;
  return new Command('mcp-bridge')
    .description('Puts a modern (2026-07-28), stateless MCP face on a legacy MCP server, which stays as it is.')
    .usage('[options] --upstream <command>\n       mcp-bridge [options] -- <command> [args...]')
    .version(version, '--version')
    .argument('[command...]', 'the legacy server and its arguments, passed on exactly (after --)')
    .addOption(option('--upstream <command>', 'the legacy server as one string, split into words, run by no shell'))
    .addOption(
      option('--port <n>', 'serve Streamable HTTP on this port (0: any free); without it, serve stdio').argParser(
        checked((value) => parseCount(value, 0, 65_535)),
      ),
    )
    .addOption(option('--host <addr>', 'address to listen on').default('127.0.0.1'))
    .addOption(option('--path <path>', 'path of the HTTP endpoint').default('/mcp'))
    .addOption(listed('--env <NAME[=VALUE]>', 'pass a variable on to the server, or set one (repeatable)'))
    .addOption(option('--inherit-env', "pass the whole environment on, but the bridge's own settings"))
    .addOption(option('--cwd <dir>', 'working directory of the server'))
    .addOption(timed('--input-ttl', 'how long a question may wait for its answer', defaults.inputTtlMs, '10m'))
    .addOption(option('--max-parked <n>', 'how many calls may wait for answers').argParser(count).default(1000))
    .addOption(
      timed('--attribution-timeout', 'how long to find out whose question it is', defaults.attributionTimeoutMs, '10s'),
    )
    .addOption(timed('--request-timeout', 'a call without progress', defaults.requestTimeoutMs, '60s'))
    .addOption(timed('--max-request-time', 'a call in all, questions not counted', defaults.maxRequestMs, '30m'))
    .addOption(timed('--start-timeout', "the server's start", defaults.startTimeoutMs, '60s'))
    .addOption(option('--max-sessions <n>', 'legacy sessions (processes) at once').argParser(count).default(1))
    .addOption(timed('--queue-timeout', 'waiting for a turn to ask', defaults.queueTimeoutMs, '60s'))
    .addOption(timed('--quarantine', 'how long a cancelled call may still ask', defaults.quarantineMs, '30s'))
    .addOption(
      option('--max-message-bytes <size>', 'largest message either way (default: 4MiB from clients, 64MiB from servers)')
        .argParser(checked(parseSize)),
    )
    .addOption(option('--state-key-file <file>', 'keys that seal request states, one name:base64 a line'))
    .addOption(listed('--root <uri-or-path>', 'a root to tell the server of, instead of asking clients (repeatable)'))
    .addOption(option('--allow-unauthenticated', 'listen beyond loopback although callers are not authenticated'))
    .addOption(listed('--allowed-origin <origin>', 'an origin whose pages may call, beside loopback (repeatable)'))
    .addOption(listed('--allowed-host <name>', 'a host name to serve under, beside loopback (repeatable)'))
    .addOption(timed('--cache-ttl', 'how long clients may keep lists', defaults.cacheTtlMs, '60s'))
    .addOption(option('--cache-scope <scope>', 'who may keep lists').choices(['public', 'private']).default('private'))
    .addOption(listed('--forward-method <pattern>', "let a method of the server's own through: acme/* (repeatable)"))
    .addOption(
      option('--log-level <level>', 'log level on stderr')
        .choices(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
        .default('info'),
    )
    .addOption(option('--log-format <format>', 'log format (default: pretty on a terminal)').choices(['json', 'pretty']))
    .configureOutput({ writeOut: output.out, writeErr: output.err })
    .exitOverride();
}

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
  const [command, ...args] = commandOf(flags.upstream, rest);
  if (command === undefined) throw new UsageError('Say which server to put behind the bridge: --upstream "<command>" or -- <command>');
  return {
    command,
    args,
    cwd: flags.cwd,
    env: flags.env,
    inheritEnv: flags.inheritEnv ?? false,
    http: httpSettings(flags),
    maxClientMessageBytes: flags.maxMessageBytes ?? clientMessageBytes,
    maxServerMessageBytes: flags.maxMessageBytes ?? serverMessageBytes,
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

function commandOf(upstream: string | undefined, rest: readonly string[]): readonly string[] {
  if (upstream !== undefined && rest.length > 0)
    throw new UsageError('Give the server either with --upstream or after --, not both');
  if (upstream === undefined) return rest;
  if (/^(?:https?|wss?):\/\//i.test(upstream))
    throw new UsageError('--upstream takes a command; servers at a URL are not served by this version');
  try {
    return splitWords(upstream);
  } catch (error) {
    throw new UsageError(`--upstream: ${error instanceof Error ? error.message : 'not a command'}`);
  }
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
  const parsed = parseKeyRing(file === undefined ? (keys ?? '') : readKeyFile(file));
  if (!parsed.ok) throw new UsageError(`State keys: ${parsed.reason}`);
  return parsed.ring;
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new UsageError('--state-key-file: the file cannot be read');
  }
}

/** A root is a `file:` URI; a path is made into one. */
function toRootUri(root: string): string {
  return /^[a-z][a-z0-9+.-]+:/i.test(root) ? root : pathToFileURL(resolve(root)).href;
}
