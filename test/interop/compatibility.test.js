// Every cell of the table in docs/compatibility.md, with real clients, the built command line, and real servers.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  callText,
  modes,
  officialClient,
  sdkV1Client,
  startHttp,
  startLegacy,
  stdioCommand,
} from './bridged.js';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const features = path('../fixtures/features.js');
const modern = path('../fixtures/modern.js');
const sdkV2 = path('../conformance/sdk-v2-server.js');

const command = (...args) => ({ start: () => ({ server: [process.execPath, ...args], stop: () => {} }) });
const atUrl = (args, urlPath, options) => ({
  start: async () => {
    const { url, stop } = await startLegacy(args, urlPath, options);
    return { server: url, stop };
  },
});
const over = (file, transport, urlPath, protocol = 'http') =>
  atUrl([file], urlPath, { env: { LEGACY_TRANSPORT: transport }, protocol });

/** What each kind of server is called for: a plain tool, and one that asks for a name. */
const toolsOf = {
  legacy: { plain: 'cancelled', asking: 'elicit-form' },
  modern: { plain: 'hello', asking: 'ask' },
  sdk: { plain: 'test_simple_text', asking: 'test_input_required_result_elicitation' },
  // What it asks legacy clients is not the same.
  both: { plain: 'test_simple_text' },
};
const servers = {
  'legacy, stdio': { ...command(features), tools: toolsOf.legacy },
  'legacy, Streamable HTTP': { ...over(features, 'http', '/mcp'), tools: toolsOf.legacy },
  'legacy, HTTP+SSE': { ...over(features, 'sse', '/sse'), tools: toolsOf.legacy },
  'legacy, WebSocket': { ...over(features, 'ws', '/', 'ws'), tools: toolsOf.legacy },
  'modern, stdio': { ...command(sdkV2), tools: toolsOf.sdk },
  'modern, Streamable HTTP': { ...atUrl([sdkV2, 'http'], '/mcp'), tools: toolsOf.sdk },
  'modern, WebSocket': { ...over(modern, 'ws', '/', 'ws'), tools: toolsOf.modern },
  'both, stdio': { ...command(sdkV2, 'both'), tools: toolsOf.both },
  'both, Streamable HTTP': { ...atUrl([sdkV2, 'http', 'both'], '/mcp'), tools: toolsOf.both },
};

const official = (mode) => ({
  create: () => officialClient(mode),
  stdio: (how) => new StdioClientTransport({ ...how, stderr: 'ignore' }),
  'Streamable HTTP': (url) => new StreamableHTTPClientTransport(url),
});
const clients = {
  pinned: official(modes.pinned),
  auto: official(modes.auto),
  default: official(undefined),
  'SDK v1': {
    create: () => sdkV1Client(),
    stdio: (how) => new LegacyStdio({ ...how, stderr: 'ignore' }),
    'Streamable HTTP': (url) => new LegacyHttp(url),
    'HTTP+SSE': (url) => new SSEClientTransport(new URL('/sse', url)),
  },
};

const rows = readFileSync(path('../../docs/compatibility.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|') && !line.startsWith('|---'))
  .map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
const [[, , ...columns], ...cells] = rows;

/** What a client finds: the version that it has come to speak, or why it has not. */
async function visit(client, transport, { plain, asking }) {
  try {
    await client.connect(transport);
  } catch (error) {
    return `${error.message} ${JSON.stringify(error.data)}`;
  }
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain(plain);
  expect(await callText(client, plain)).not.toBe('');
  if (asking !== undefined) expect(await callText(client, asking)).toMatch(/my (?:user_)?name/);
  return undefined;
}

it('the table has every client, face and server', () => {
  expect(columns).toEqual(Object.keys(servers));
  const ways = Object.entries(clients).flatMap(([name, { create: _, ...faces }]) =>
    Object.keys(faces).map((face) => `${name} ${face}`),
  );
  expect(cells.map(([client, face]) => `${client} ${face}`)).toEqual(ways);
});

describe.each(columns)('before a server: %s', (column) => {
  const at = columns.indexOf(column);
  const { start, tools } = servers[column];
  let upstream;
  let http;
  beforeAll(async () => {
    upstream = await start();
    http = await startHttp(upstream.server, ['--legacy-sse']);
  });
  afterAll(async () => {
    await http?.stop();
    await upstream?.stop();
  });

  it.each(cells.map(([client, face, ...rest]) => [client, face, rest[at]]))(
    '%s over %s: %s',
    async (name, face, cell) => {
      const client = clients[name].create();
      const target = face === 'stdio' ? stdioCommand(upstream.server) : http.url;
      const refusal = await visit(client, clients[name][face](target), tools);
      if (cell === 'refused') expect(refusal).toContain('2026-07-28');
      else {
        expect(refusal).toBeUndefined();
        const isModern = name === 'pinned' || name === 'auto';
        if (name !== 'SDK v1') expect(client.getNegotiatedProtocolVersion() === '2026-07-28').toBe(isModern);
        const isServerModern = column.startsWith('modern');
        expect(cell).toBe(isModern === isServerModern ? 'passed on' : isModern ? 'yes' : 'passed on');
      }
      await client.close();
    },
  );
});
