// Published programs that do the same job, or the nearest to it. They are installed beside the project, for
// comparison alone, and only when rivals are asked for.
import { join } from 'node:path';
import { install } from '../test/support/pinned.js';

const port = '39391';

/** One endpoint for both eras. */
const mcpProxy = {
  way: 'HTTP → stdio',
  port,
  dependencies: { 'mcp-proxy': '6.7.19' },
  commandOf: (modules, server) => [
    join(modules, 'mcp-proxy/dist/bin/mcp-proxy.mjs'),
    ...['--host', '127.0.0.1', '--port', port, '--server', 'stream', '--', ...server],
  ],
};

const all = [
  {
    name: 'mcp-uplift 0.2.6',
    way: 'stdio → stdio',
    dependencies: { 'mcp-uplift': '0.2.6' },
    commandOf: (modules, server) => [
      join(modules, 'mcp-uplift/src/cli.js'),
      // Its own limits are below some of the loads.
      ...['in-flight', 'line-bytes', 'buffer-bytes'].flatMap((what) => [`--max-${what}`, '100000000']),
      ...server,
    ],
  },
  { ...mcpProxy, name: 'mcp-proxy 6.7.19, modern' },
  { ...mcpProxy, name: 'mcp-proxy 6.7.19, legacy', isLegacy: true },
  {
    name: 'supergateway 4.0.0, legacy',
    way: 'HTTP → stdio',
    port,
    isLegacy: true,
    dependencies: { supergateway: '4.0.0' },
    commandOf: (modules, server) => [
      join(modules, 'supergateway/dist/index.js'),
      ...['--stdio', server.join(' '), '--outputTransport', 'streamableHttp', '--stateful'],
      ...['--port', port, '--logLevel', 'none'],
    ],
  },
];

/** Those that can be had; who cannot is named once. */
export function rivalsOf(way, server) {
  return all
    .filter((rival) => rival.way === way)
    .flatMap(({ dependencies, commandOf, ...rival }) => {
      const modules = modulesOf(dependencies);
      return modules === undefined ? [] : [{ ...rival, commandOf: () => commandOf(modules, server) }];
    });
}

const known = new Map();

function modulesOf(dependencies) {
  const [name] = Object.keys(dependencies);
  if (!known.has(name)) known.set(name, installed(name, dependencies));
  return known.get(name);
}

function installed(name, dependencies) {
  try {
    return join(install(`rival-${name}`, dependencies), 'node_modules');
  } catch {
    console.error(`${name} is not on this registry`);
    return undefined;
  }
}
