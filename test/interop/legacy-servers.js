// The legacy servers of these tests, all with the same features: by hand and on the official SDK v1, behind every wire.
import { fileURLToPath } from 'node:url';
import { startLegacy } from './bridged.js';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
export const features = path('../fixtures/features.js');
const sdk = path('./sdk-v1-server.js');
const byCommand = (file) => () => ({ server: [process.execPath, file], stop: () => {} });
const byUrl = (args, urlPath, options) => async () => {
  const { url, stop } = await startLegacy(args, urlPath, options);
  return { server: url, stop };
};
const over = (transport, urlPath, protocol) =>
  byUrl([features], urlPath, { env: { LEGACY_TRANSPORT: transport }, protocol });

/** Each resolves to what the bridge is told of it, and how to stop it. */
export const servers = {
  'a server without SDK': byCommand(features),
  'a server on SDK v1': byCommand(sdk),
  'a server without SDK over Streamable HTTP, asking on the call': over('http', '/mcp'),
  'a server without SDK over Streamable HTTP, asking on its own stream': over('http-get', '/mcp'),
  'a server without SDK over HTTP+SSE': over('sse', '/sse'),
  'a server without SDK over WebSocket': over('ws', '/', 'ws'),
  'a server on SDK v1 over Streamable HTTP': byUrl([sdk, 'http'], '/mcp'),
  'a server on SDK v1 over Streamable HTTP, in JSON': byUrl([sdk, 'json'], '/mcp'),
  'a server on SDK v1 over HTTP+SSE': byUrl([sdk, 'sse'], '/sse'),
};
