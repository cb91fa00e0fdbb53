// Published legacy servers and the examples of SDK v1 at a URL, behind the built command line, used by the official
// modern client over both faces.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modes, startLegacy } from '../bridged.js';
import { modulesOf } from './catalogue.js';
import { combinations, story, visitEverything, withRoots } from './story.js';

const sdk = createRequire(import.meta.url).resolve('@modelcontextprotocol/sdk/server');
const example = (name) => [join(sdk, '../../../esm/examples/server', `${name}.js`)];
const everything = (version, ...args) => [
  join(modulesOf(version), '@modelcontextprotocol/server-everything/dist/index.js'),
  ...args,
];

/** Starts the server, runs the story against its URL, and ends it whatever comes of it. */
async function storyAt(how, [args, path, reach], run, options) {
  const legacy = await startLegacy(args, path, reach);
  try {
    await story(how, legacy.url, run, options);
  } finally {
    await legacy.stop();
  }
}

describe.each(combinations)('over %s, the client %s', (...how) => {
  it.each([
    ['streamableHttp', '/mcp'],
    ['sse', '/sse'],
  ])('server-everything 2025.8.18 on SDK 1.17.4 (2025-06-18), %s', (transport, path) =>
    storyAt(how, [everything('everything-2025.8.18', transport), path], async ({ client, call, seen }) => {
      expect((await client.listTools()).tools).toHaveLength(11);
      expect(await call('longRunningOperation', { duration: 0.3, steps: 3 })).toContain('completed');
      // It sends progress on a stream of its own, where the last one races with the answer.
      expect(seen.slice(0, 2)).toEqual([1, 2]);
      expect(await call('startElicitation', {})).toContain('User provided');
      expect(await call('sampleLLM', { prompt: 'p', maxTokens: 5 })).toBe('LLM sampling result: Paris');
    }),
  );

  it.each([
    ['streamableHttp', '/mcp'],
    ['sse', '/sse'],
  ])('server-everything 2026.8.31 (2025-11-25), %s', (transport, path) =>
    storyAt(how, [everything('everything-2026.8.31', transport), path], visitEverything, withRoots),
  );

  it.each([
    ['ws', '/message', 'ws'],
    ['sse', '/sse', 'http'],
    ['streamableHttp', '/mcp', 'http'],
  ])('supergateway 4.0.0 puts server-everything on %s', (output, path, protocol) => {
    const command = `node ${everything('everything-2026.8.31', 'stdio').join(' ')}`;
    const gateway = join(modulesOf('supergateway'), 'supergateway/dist/index.js');
    const args = [gateway, '--stdio', command, '--outputTransport', output, '--stateful'];
    return storyAt(how, [args, path, { protocol }], async ({ client, call }) => {
      expect((await client.listTools()).tools.length).toBeGreaterThan(10);
      expect(await call('echo', { message: 'é\u2028' })).toBe('Echo: é\u2028');
    });
  });

  it('SDK v1 example: simpleStreamableHttp, with an event store', () =>
    storyAt(how, [example('simpleStreamableHttp'), '/mcp'], async ({ client, call }) => {
      expect(await call('greet', { name: 'Ada' })).toBe('Hello, Ada!');
      expect(await call('multi-greet', { name: 'Ada' })).toBe('Good morning, Ada!');
      let asked;
      client.setRequestHandler('elicitation/create', ({ params }) => {
        asked = params.message;
        return { action: 'accept', content: { name: 'Ada', email: 'ada@example.test', age: 36 } };
      });
      expect(await call('collect-user-info', { infoType: 'contact' })).toContain('Thank you');
      expect(asked).toContain('contact');
      expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0);
    }));

  it('SDK v1 example: jsonResponseStreamableHttp', () =>
    storyAt(how, [example('jsonResponseStreamableHttp'), '/mcp'], async ({ call }) => {
      expect(await call('greet', { name: 'Ada' })).toBe('Hello, Ada!');
    }));

  it('SDK v1 example: simpleStatelessStreamableHttp, without sessions', () =>
    storyAt(how, [example('simpleStatelessStreamableHttp'), '/mcp'], async ({ call }) => {
      expect(await call('start-notification-stream', { interval: 10, count: 3 })).toContain(
        'Started sending',
      );
    }));

  it('SDK v1 example: simpleSseServer', () =>
    storyAt(how, [example('simpleSseServer'), '/mcp'], async ({ call }) => {
      expect(await call('start-notification-stream', { interval: 10, count: 3 })).toContain('sending');
    }));

  it('SDK v1 example: sseAndStreamableHttpCompatibleServer, both ways', async () => {
    for (const path of ['/mcp', '/sse'])
      await storyAt(how, [example('sseAndStreamableHttpCompatibleServer'), path], async ({ call }) => {
        expect(await call('start-notification-stream', { interval: 10, count: 3 })).toContain('sending');
      });
  });

  it('SDK v1 example: standaloneSseWithGetStreamableHttp, whose resources change', () =>
    storyAt(how, [example('standaloneSseWithGetStreamableHttp'), '/mcp'], async ({ client }) => {
      const before = (await client.listResources()).resources.length;
      const changed = new Promise((resolve) =>
        client.setNotificationHandler('notifications/resources/list_changed', resolve),
      );
      const subscription = await client.listen({ resourcesListChanged: true });
      await changed;
      expect((await client.listResources()).resources.length).toBeGreaterThan(before);
      await subscription.close();
    }));

  it('SDK v1 example: ssePollingExample, which closes the stream in mid-call', () =>
    storyAt(how, [example('ssePollingExample'), '/mcp'], async ({ call }) => {
      expect(await call('long-task', {})).toContain('Long task completed successfully!');
    }));

  it('SDK v1 example: elicitationFormExample, in several rounds', () =>
    storyAt(how, [example('elicitationFormExample'), '/mcp'], async ({ client, call }) => {
      const forms = [];
      client.setRequestHandler('elicitation/create', ({ params }) => {
        forms.push(params.requestedSchema.required);
        const given = { title: 'T', description: 'D', date: '2026-01-01', startTime: '10:00', duration: 60 };
        return { action: 'accept', content: given };
      });
      expect(await call('create_event', {})).toContain('Event created');
      expect(forms).toHaveLength(2);
    }));
});

// A client on stdio starts the bridge twice, and this server ends with its first session.
describe.each(Object.keys(modes))('over http, the client %s', (mode) => {
  it('server-everything 0.6.2 (2024-11-05) over HTTP+SSE', () =>
    storyAt(
      ['http', mode],
      [[join(modulesOf('everything-0.6.2'), '@modelcontextprotocol/server-everything/dist/sse.js')], '/sse'],
      async ({ client, call, seen }) => {
        expect((await client.listTools()).tools).toHaveLength(5);
        expect(await call('add', { a: 1, b: 2 })).toBe('The sum of 1 and 2 is 3.');
        expect(await call('longRunningOperation', { duration: 0.3, steps: 3 })).toContain('completed');
        expect(seen).toEqual([1, 2, 3]);
        expect(await call('sampleLLM', { prompt: 'p', maxTokens: 5 })).toContain('LLM sampling result');
      },
    ));
});
