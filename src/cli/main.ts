// Arguments in, exit code out: builds a bridge from its parts, runs it behind one face until it is told to stop, and
// leaves nothing behind. The only room that touches the process itself.
import { readFileSync } from 'node:fs';
import { Bridge } from '../bridge/bridge.ts';
import { HttpFace } from '../faces/http.ts';
import { StdioFace } from '../faces/stdio.ts';
import type { Logger } from '../log.ts';
import { killAllGroups } from '../upstream/process-group.ts';
import { createStdioUpstream } from '../upstream/stdio.ts';
import { childEnv } from './child-env.ts';
import { createLogger, openDestination } from './logger.ts';
import { parseSettings, UsageError, type HttpSettings, type Settings } from './settings.ts';

/** How long what is in flight may take to end when the bridge is told to stop. */
const drainMs = 2000;
const keepAliveMs = 15_000;
const parentWatchMs = 1000;

/** Runs the program. Resolves to its exit code: 0 clean, 1 a failure at run time, 2 wrong usage. */
export async function run(): Promise<number> {
  const version = packageVersion();
  let settings: Settings;
  try {
    settings = parseSettings(process.argv.slice(2), process.env, version, {
      out: (text) => process.stdout.write(text),
      err: (text) => process.stderr.write(text),
    });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    if (error.message !== '') process.stderr.write(`error: ${error.message}\n`);
    return error.exitCode;
  }
  const format = settings.logFormat ?? (process.stderr.isTTY ? 'pretty' : 'json');
  const log = createLogger(settings.logLevel, await openDestination(format));
  process.on('exit', killAllGroups);
  const hurry = new AbortController();
  const bridge = createBridge(settings, version, log, hurry.signal);
  bridge.warmUp();
  return settings.http === undefined
    ? runStdio(bridge, settings, log, hurry)
    : runHttp(bridge, settings, settings.http, log);
}

function packageVersion(): string {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(file) as { readonly version: string }).version;
}

function createBridge(settings: Settings, version: string, log: Logger, hurry: AbortSignal): Bridge {
  const upstream = createStdioUpstream({
    command: settings.command,
    args: settings.args,
    env: childEnv(process.env, settings),
    cwd: settings.cwd,
    maxMessageBytes: settings.maxServerMessageBytes,
    log,
    hurry,
  });
  const options = { ...settings.bridge, clientInfo: { name: 'mcp-bridge', version } };
  return new Bridge({ upstream, options, log, keyRing: settings.keyRing });
}

async function runStdio(
  bridge: Bridge,
  settings: Settings,
  log: Logger,
  hurry: AbortController,
): Promise<number> {
  const { stdin: input, stdout: output } = process;
  const face = new StdioFace({ bridge, input, output, maxMessageBytes: settings.maxClientMessageBytes, log });
  const stopped = stopSignal();
  // A client that signals reads no more, and will kill soon.
  void stopped.then(() => {
    hurry.abort();
  });
  const reason = await Promise.race([face.ended.then(() => 'the client has gone'), stopped, parentDeath()]);
  log.info({ reason }, 'shutting down');
  await bridge.close(drainMs, hurry.signal);
  await new Promise((resolve) => output.write('', resolve));
  return bridge.isUpstreamBroken ? 1 : 0;
}

async function runHttp(bridge: Bridge, settings: Settings, http: HttpSettings, log: Logger): Promise<number> {
  const maxMessageBytes = settings.maxClientMessageBytes;
  const face = new HttpFace({ ...http, bridge, maxMessageBytes, keepAliveMs, log });
  const stopped = stopSignal();
  try {
    process.stdout.write(`listening on ${await face.listen()}\n`);
  } catch (error) {
    log.error({ code: (error as NodeJS.ErrnoException).code }, 'cannot listen');
    await bridge.close(0);
    return 1;
  }
  log.info({ reason: await stopped }, 'shutting down');
  face.stopListening();
  await bridge.close(drainMs);
  face.close();
  return 0;
}

/** Resolves on the first signal to stop; a second one ends the process at once. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => {
        if (isStopping) process.exit(1);
        isStopping = true;
        resolve(signal);
      });
  });
}

/** A client that is killed may leave its end of the pipe open with somebody else; its place as parent tells. */
function parentDeath(): Promise<string> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      resolve('the parent process has gone');
    }, parentWatchMs).unref();
  });
}
