// Who is measured in a shape, and how each is started in front of the bench's server.
import { fileURLToPath } from 'node:url';
import { httpClient, openLegacySession, stdioClient } from './clients.js';
import { end, start, urlOf } from './processes.js';
import { rivalsOf } from './rivals.js';

export const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
export const bridge = [path('../bin/mcp-bridge.js'), '--log-level', 'error'];
export const stdioServer = [path('./server.js')];

const floors = {
  'stdio → stdio': './pipe.js',
  'HTTP → stdio': './relay.js',
  'HTTP → HTTP': './http-relay.js',
};

/** Floor and bridge, and with `withRivals` whoever else does the job. Each starts with what stands behind it. */
export function contendersOf(way, withRivals, floorScript = floors[way]) {
  const port = way.startsWith('HTTP') ? ['--port', '0'] : [];
  const behind = way.endsWith('HTTP')
    ? (url) => ['--upstream', url.href]
    : () => ['--', process.execPath, ...stdioServer];
  const floor = way.endsWith('HTTP') ? (url) => [url.href] : () => [process.execPath, ...stdioServer];
  return [
    { name: 'floor', commandOf: (url) => [path(floorScript), ...floor(url)] },
    { name: 'bridge', commandOf: (url) => [...bridge, ...port, ...behind(url)] },
    ...(withRivals ? rivalsOf(way, [process.execPath, ...stdioServer]) : []),
  ];
}

/** Starts one, gives `use` its process and a client, and ends everything. */
export async function withContender({ commandOf, port, isLegacy }, way, { answers, inFlight }, use) {
  const server = way.endsWith('HTTP') ? start([path('./http-server.js'), answers ?? 'json']) : undefined;
  const child = start(commandOf(server && (await urlOf(server))));
  try {
    const client = way.startsWith('HTTP')
      ? await httpClientOf(child, port, isLegacy, inFlight)
      : stdioClient(child);
    const result = await use(child, client);
    client.close();
    return result;
  } finally {
    await end(child);
    if (server) await end(server);
  }
}

async function httpClientOf(child, port, isLegacy, inFlight) {
  const url =
    port === undefined ? await urlOf(child) : await untilThere(new URL(`http://127.0.0.1:${port}/mcp`));
  child.stdout.resume();
  return httpClient(url, { inFlight, session: isLegacy ? await openLegacySession(url) : undefined });
}

/** Some do not say when they listen. */
async function untilThere(url) {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const isThere = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isThere) return url;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing listens on ${url.href}`);
}
