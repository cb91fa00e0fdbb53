// Builds bridges from their parts, runs them behind one face until it is told to stop, and leaves nothing behind.
import { setTimeout } from 'node:timers/promises';
import { Bridge } from '../bridge/bridge.ts';
import type { DiscoverStore } from '../bridge/discovered.ts';
import { bridgeDefaults } from '../bridge/options.ts';
import { systemClock } from '../clock.ts';
import { serverGone, StdioFace } from '../faces/stdio.ts';
import { RelayedSession, type OpenRelay } from '../relay/relayed-session.ts';
import type { Upstream } from '../upstream/port.ts';
import { killAllGroups } from '../upstream/process-group.ts';
import { discoverStore } from './discover-store.ts';
import { createLogger, type LazyLogger } from './logger.ts';
import type { HttpSettings, Settings } from './settings.ts';
import { createUpstream } from './upstream.ts';
import { endByFault, parentDeath, stopSignal } from './stop.ts';

/** How long clients may take to read the last answers. */
const lastReadMs = 1000;

interface Parts {
  readonly settings: Settings;
  readonly version: string;
  readonly log: LazyLogger;
  readonly upstream: Upstream;
  readonly discovered: DiscoverStore | undefined;
}

/** Resolves to the exit code when everything is over. */
export async function serve(settings: Settings, version: string): Promise<number> {
  const format = settings.logFormat ?? (process.stderr.isTTY ? 'pretty' : 'json');
  const { logLevel: level, logPayloads: hasPayloads } = settings;
  const log = createLogger({ level, format, hasPayloads }, process.stderr);
  process.on('exit', killAllGroups);
  endByFault(log);
  const hurry = new AbortController();
  const upstream = await createUpstream(settings, log, hurry.signal);
  const { discoverFolder, bridge } = settings;
  // What a legacy server has said is nothing to one that is said to be modern.
  const folder = bridge.protocol === 'modern' ? undefined : discoverFolder;
  const discovered =
    folder === undefined ? undefined : discoverStore(folder, settings.upstream, version, log);
  const parts = { settings, version, log, upstream, discovered };
  return settings.http === undefined ? runStdio(parts, hurry) : runHttp(parts, settings.http);
}

function createBridge({ settings, version, log, upstream, discovered }: Parts): Bridge {
  const options = { ...settings.bridge, clientInfo: { name: 'mcp-bridge', version } };
  return new Bridge({ upstream, options, log, keyRing: settings.keyRing, discovered });
}

/** Undefined where legacy clients are refused. */
function relayOf({ settings, log, upstream, discovered }: Parts): OpenRelay | undefined {
  const { startTimeoutMs, bridge } = settings;
  const options = {
    upstream,
    clock: systemClock,
    log,
    startTimeoutMs,
    maxCalls: bridge.maxCallsPerPrincipal ?? bridgeDefaults.maxCallsPerPrincipal,
    // Better than nothing: with another client the server may say other things.
    onInitialized: (answer: Buffer) => {
      if (discovered?.read() === undefined) discovered?.write(answer);
    },
  };
  return settings.hasLegacyFace ? (handlers) => new RelayedSession(options, handlers) : undefined;
}

async function runStdio(parts: Parts, hurry: AbortController): Promise<number> {
  const { settings, log } = parts;
  const { stdin: input, stdout: output } = process;
  const bridge = createBridge(parts);
  const face = new StdioFace({
    bridge,
    input,
    output,
    maxMessageBytes: settings.maxClientMessageBytes,
    log,
    openRelay: relayOf(parts),
  });
  // In the time that the server takes to start, which the first message has it do.
  input.once('data', () => setImmediate(log.prepare));
  const stopped = stopSignal();
  // A client that signals reads no more, and will kill soon.
  void stopped.then(() => {
    hurry.abort();
  });
  const reason = await Promise.race([face.ended, stopped, parentDeath()]);
  log.info({ reason }, 'shutting down');
  await Promise.all([
    bridge.close(settings.drainMs, hurry.signal),
    face.close(settings.drainMs, hurry.signal),
  ]);
  await Promise.race([new Promise((resolve) => output.write('', resolve)), setTimeout(lastReadMs)]);
  return bridge.isUpstreamBroken || reason === serverGone ? 1 : 0;
}

async function runHttp(parts: Parts, http: HttpSettings): Promise<number> {
  const { HttpFace } = await import('../faces/http.ts');
  const { settings, log } = parts;
  const bridges = new Map<string, Bridge>();
  const bridgeOf = (principal: string): Bridge => {
    const known = bridges.get(principal);
    if (known !== undefined) return known;
    const bridge = createBridge(parts);
    bridges.set(principal, bridge);
    return bridge;
  };
  const closeAll = (drainMs: number): Promise<unknown> =>
    Promise.all([...bridges.values()].map((bridge) => bridge.close(drainMs)));
  const shared = http.hasSessionPerPrincipal ? undefined : bridgeOf('');
  shared?.warmUp();
  const openRelay = relayOf(parts);
  const { maxLegacySessions: maxSessions, legacyIdleMs: idleMs, hasLegacySse: hasSse } = http;
  const legacy = openRelay && { openRelay, maxSessions, idleMs, hasSse };
  const face = new HttpFace({ ...http, ...http.limits, bridge: shared ?? bridgeOf, legacy, log });
  const stopped = stopSignal();
  // Whoever started the bridge may close its output once it knows the address.
  process.stdout.on('error', () => undefined);
  try {
    process.stdout.write(`listening on ${await face.listen()}\n`);
    log.prepare();
  } catch (error) {
    log.error({ code: (error as NodeJS.ErrnoException).code }, 'cannot listen');
    await closeAll(0);
    return 1;
  }
  log.info({ reason: await stopped }, 'shutting down');
  face.stopListening();
  await Promise.all([closeAll(settings.drainMs), face.closeLegacy(settings.drainMs)]);
  await face.close(lastReadMs);
  return 0;
}
