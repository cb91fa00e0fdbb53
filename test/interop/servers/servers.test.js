// Published legacy servers, as they are on the registry, behind the built command line, used by the official modern
// client over both faces.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { modulesOf } from './catalogue.js';
import { combinations, story, visitEverything, withRoots } from './story.js';

const node = process.execPath;
const work = mkdtempSync(join(tmpdir(), 'mcp-bridge-servers-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const script = (name, file, ...args) => [node, join(modulesOf(name), file), ...args];
const everything = (version) =>
  script(version, '@modelcontextprotocol/server-everything/dist/index.js', 'stdio');

describe.each(combinations)('over %s, the client %s', (...how) => {
  it('server-everything 0.6.2 (2024-11-05)', () =>
    story(how, everything('everything-0.6.2'), async ({ client, call, seen }) => {
      expect((await client.listTools()).tools).toHaveLength(5);
      expect(await call('add', { a: 1, b: 2 })).toBe('The sum of 1 and 2 is 3.');
      expect(await call('longRunningOperation', { duration: 0.3, steps: 3 })).toContain('completed');
      expect(seen).toEqual([1, 2, 3]);
      expect(await call('sampleLLM', { prompt: 'p', maxTokens: 5 })).toContain('LLM sampling result');
      const { resources, nextCursor } = await client.listResources();
      expect([resources.length, nextCursor]).toEqual([100, undefined]);
    }));

  it('server-everything 2025.8.18 on SDK 1.17.4 (2025-06-18)', () =>
    story(how, everything('everything-2025.8.18'), async ({ client, call }) => {
      expect((await client.listTools()).tools).toHaveLength(11);
      expect(await call('startElicitation', {})).toContain('User provided');
      expect(await call('sampleLLM', { prompt: 'p', maxTokens: 5 })).toBe('LLM sampling result: Paris');
      const { structuredContent } = await client.callTool({
        name: 'structuredContent',
        arguments: { location: 'x' },
      });
      expect(structuredContent).toMatchObject({ temperature: 22.5 });
    }));

  it('server-everything 2026.8.31 (2025-11-25)', () =>
    story(how, everything('everything-2026.8.31'), visitEverything, withRoots));

  it('server-filesystem 2026.8.31 keeps its directories', () =>
    story(
      how,
      script('filesystem', '@modelcontextprotocol/server-filesystem/dist/index.js', work),
      async ({ call }) => {
        expect(await call('list_allowed_directories', {})).toBe(`Allowed directories:\n${work}`);
        await call('write_file', { path: join(work, 'a.txt'), content: 'é\u2028' });
        expect(await call('read_text_file', { path: join(work, 'a.txt') })).toBe('é\u2028');
      },
    ));

  it('server-memory 2026.8.31 keeps its state across calls', () =>
    story(
      how,
      script('memory', '@modelcontextprotocol/server-memory/dist/index.js'),
      async ({ client, call }) => {
        const name = `entity of ${how.join()}`;
        await call('create_entities', { entities: [{ name, entityType: 't', observations: ['o'] }] });
        const { structuredContent } = await client.callTool({ name: 'read_graph', arguments: {} });
        expect(structuredContent.entities.map((each) => each.name)).toContain(name);
      },
      { options: ['--env', `MEMORY_FILE_PATH=${join(work, 'memory.jsonl')}`] },
    ));

  const mongodb = () =>
    script(
      'mongodb',
      'mongodb-mcp-server/dist/esm/index.js',
      '--connectionString',
      'mongodb://127.0.0.1:1/x',
    );
  const drop = { connectionId: 'preconfigured', database: 'x' };

  it('mongodb-mcp-server 2.1.1 asks before it drops a database', () =>
    story(
      how,
      mongodb(),
      async ({ client, call }) => {
        let question;
        client.setRequestHandler('elicitation/create', ({ params }) => {
          question = params.message;
          return { action: 'accept', content: { confirmation: 'No' } };
        });
        expect(await call('drop-database', drop)).toMatch(/not confirm/i);
        expect(question).toContain('drop');
      },
      { options: ['--env', 'MDB_MCP_TELEMETRY=disabled'] },
    ));

  it('mongodb-mcp-server 2.1.1 drops nothing for a client that cannot be asked', () =>
    story(
      how,
      mongodb(),
      async ({ call }) => {
        await expect(call('drop-database', drop)).rejects.toMatchObject({ code: -32021 });
      },
      { capabilities: {}, options: ['--env', 'MDB_MCP_TELEMETRY=disabled'] },
    ));

  it('mcp-shrimp-task-manager 1.0.21 asks for roots before every answer', () =>
    story(
      how,
      script('shrimp', 'mcp-shrimp-task-manager/dist/index.js'),
      async ({ client, call }) => {
        expect((await client.listTools()).tools).toHaveLength(15);
        expect(await call('list_tasks', { status: 'all' })).toContain('##');
      },
      { options: ['--env', `DATA_DIR=${work}`] },
    ));

  it('fastmcp 3.35.0 gives the errors of its own that it means', () =>
    story(
      how,
      [node, fileURLToPath(new URL('./fastmcp-server.js', import.meta.url)), modulesOf('fastmcp')],
      async ({ client, call }) => {
        expect(await call('add', { a: 1, b: 2 })).toBe('3');
        await expect(client.readResource({ uri: 'file:///none' })).rejects.toMatchObject({ code: -32601 });
      },
    ));

  it.skipIf(process.platform !== 'linux' || process.arch !== 'x64')(
    'cortex-mcp 0.9.1 (Rust), which exits on anything before initialize',
    () =>
      story(
        how,
        [join(modulesOf('cortex'), '@temporal-cortex/cortex-mcp-linux-x64/bin/cortex-mcp')],
        async ({ client, call }) => {
          expect((await client.listTools()).tools.length).toBeGreaterThan(10);
          const args = { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' };
          expect(await call('compute_duration', args)).toContain('86400');
        },
      ),
  );
});
