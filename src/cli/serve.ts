// Builds a bridge from its parts, runs it behind one face until it is told to stop, and leaves nothing behind.
import { Bridge } from '../bridge/bridge.ts';
import { StdioFace } from '../faces/stdio.ts';
import type { Logger } from '../log.ts';
import { killAllGroups } from '../upstream/process-group.ts';
import { createLogger, openDestination } from './logger.ts';
import type { HttpSettings, Settings } from './settings.ts';
import { createUpstream } from './upstream.ts';
import { parentDeath, stopSignal } from './stop.ts';

/** How long what is in flight may take to end when the bridge is told to stop. */
const drainMs = 2000;
const keepAliveMs = 15_000;

/** Resolves to the exit code when everything is over. */
export async function serve(settings: Settings, version: string): Promise<number> {
  const format = settings.logFormat ?? (process.stderr.isTTY ? 'pretty' : 'json');
  const log = createLogger(settings.logLevel, await openDestination(format));
  process.on('exit', killAllGroups);
  const hurry = new AbortController();
  const bridge = await createBridge(settings, version, log, hurry.signal);
  bridge.warmUp();
  return settings.http === undefined
    ? runStdio(bridge, settings, log, hurry)
    : runHttp(bridge, settings, settings.http, log);
}

async function createBridge(
  settings: Settings,
  version: string,
  log: Logger,
  hurry: AbortSignal,
): Promise<Bridge> {
  const upstream = await createUpstream(settings, log, hurry);
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
  const { HttpFace } = await import('../faces/http.ts');
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
