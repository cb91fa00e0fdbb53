// What the conformance suite wants of a legacy (2025-11-25) server: names and values are the suite's. How a handler
// asks and tells its client is given to it, so that servers of different make can have these features.

import { setTimeout as sleep } from 'node:timers/promises';

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const sound = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const image = { type: 'image', data: pixel, mimeType: 'image/png' };
const string = { type: 'string' };
const done = (value) => text(`Done: ${JSON.stringify(value)}`);
const resource = (uri) => ({ uri, mimeType: 'text/plain', text: `Content of ${uri}` });

const richSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: string, city: string } } },
  properties: {
    name: string,
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: string,
    email: string,
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const defaults = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};
const options = ['option1', 'option2', 'option3'];
const titled = ['First', 'Second', 'Third'].map((title, at) => ({ const: `value${at + 1}`, title }));
const enums = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', items: { anyOf: titled } },
};

const handlersFor = ({ elicit, sample, listRoots, notify }) => ({
  test_simple_text: () => text('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: sound, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [{ type: 'resource', resource: resource('test://embedded-resource') }],
  }),
  test_multiple_content_types: () => ({
    content: [
      { type: 'text', text: 'Several kinds:' },
      image,
      { type: 'resource', resource: resource('test://mixed') },
    ],
  }),
  test_error_handling: () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  }),
  test_tool_with_progress: (_, progressToken) => {
    for (const progress of [0, 50, 100])
      notify('notifications/progress', { progressToken, progress, total: 100 });
    return text('Progress is complete');
  },
  test_logging_tool: () => {
    notify('notifications/message', { level: 'info', logger: 'fixture', data: 'a log message' });
    return text('Logged');
  },
  test_trigger_tool_change: () => {
    notify('notifications/tools/list_changed');
    return text('Tools changed');
  },
  test_trigger_prompt_change: () => {
    notify('notifications/prompts/list_changed');
    return text('Prompts changed');
  },
  test_missing_capability: async () => done(await sample()),
  test_streaming_elicitation: async () => done(await elicit({ ok: { type: 'boolean' } })),
  test_input_required_result_elicitation: async () => done(await elicit({ user_name: string })),
  test_input_required_result_sampling: async () => done(await sample()),
  test_input_required_result_list_roots: async () => done(await listRoots()),
  test_input_required_result_request_state: async () => done(await elicit({ ok: { type: 'boolean' } })),
  test_input_required_result_tampered_state: async () => done(await elicit({ ok: { type: 'boolean' } })),
  test_input_required_result_multiple_inputs: async () =>
    done(await Promise.all([elicit({ name: string }), sample(), listRoots()])),
  test_input_required_result_multi_round: async () => {
    const first = await elicit({ name: string });
    return done([first, await elicit({ color: string })]);
  },
  test_input_required_result_capabilities: async () =>
    done((await Promise.allSettled([elicit({ name: string }), sample()])).map(({ status }) => status)),
  json_schema_2020_12_tool: () => text('ok'),
  test_param_header: ({ region }) => text(`region ${region}`),
  test_tool_with_logging: async () => {
    for (const data of ['started', 'processing', 'completed']) {
      await notify('notifications/message', { level: 'info', data: `Tool execution ${data}` });
      await sleep(50);
    }
    return text('Logged three times');
  },
  test_sampling: async ({ prompt }) => {
    const answer = await sample(prompt);
    return text(`LLM response: ${answer.content.text}`);
  },
  test_elicitation: async ({ message }) =>
    done(await elicit({ username: string, email: string }, message, ['username', 'email'])),
  test_elicitation_sep1034_defaults: async () => done(await elicit(defaults)),
  test_elicitation_sep1330_enums: async () => done(await elicit(enums)),
});

const schemas = {
  json_schema_2020_12_tool: richSchema,
  test_param_header: {
    type: 'object',
    properties: { region: { type: 'string', description: 'Where', 'x-mcp-header': 'Region' } },
  },
};

const tools = Object.keys(handlersFor({})).map((name) => ({
  name,
  description: `Conformance tool ${name}`,
  inputSchema: schemas[name] ?? { type: 'object', properties: {} },
}));

const message = (content) => ({ role: 'user', content });
const promptsFor = ({ elicit }) => ({
  test_simple_prompt: () => [message({ type: 'text', text: 'This is a simple prompt for testing.' })],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    message({ type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }),
  ],
  test_prompt_with_embedded_resource: ({ resourceUri }) => [
    message({ type: 'resource', resource: resource(resourceUri) }),
    message({ type: 'text', text: 'Please process the embedded resource above.' }),
  ],
  test_prompt_with_image: () => [
    message(image),
    message({ type: 'text', text: 'Please analyze the image above.' }),
  ],
  test_input_required_result_prompt: async () => [
    message({ type: 'text', text: JSON.stringify(await elicit({ context: string })) }),
  ],
});
const promptArguments = {
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
};

const resources = {
  'test://static-text': () => ({
    uri: 'test://static-text',
    mimeType: 'text/plain',
    text: 'Static text content.',
  }),
  'test://static-binary': () => ({ uri: 'test://static-binary', mimeType: 'image/png', blob: pixel }),
};

function readResource({ uri }, fail) {
  const id = /^test:\/\/template\/(.+)\/data$/.exec(uri)?.[1];
  if (id !== undefined)
    return {
      contents: [{ uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) }],
    };
  if (resources[uri] === undefined) throw fail(-32002, 'Resource not found', { uri });
  return { contents: [resources[uri]()] };
}

export const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

/** The methods, by name. `ask` sends the client a request; `fail` makes an error of a code, a message and data. */
export function methodsWith({ ask, notify, fail }) {
  const elicit = (properties, message = 'Please answer', required) =>
    ask('elicitation/create', { message, requestedSchema: { type: 'object', properties, required } });
  const sample = (prompt = 'What is the capital of France?') =>
    ask('sampling/createMessage', {
      messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
      maxTokens: 100,
    });
  const listRoots = () => ask('roots/list');
  const handlers = handlersFor({ elicit, sample, listRoots, notify });
  const prompts = promptsFor({ elicit });
  return {
    'tools/list': () => ({ tools }),
    'tools/call': ({ name, arguments: args, _meta }) => {
      if (handlers[name] === undefined) throw fail(-32602, `Unknown tool: ${name}`);
      return handlers[name](args ?? {}, _meta?.progressToken);
    },
    'prompts/list': () => ({
      prompts: Object.keys(prompts).map((name) => ({
        name,
        description: `Conformance prompt ${name}`,
        arguments: (promptArguments[name] ?? []).map((each) => ({
          name: each,
          description: each,
          required: true,
        })),
      })),
    }),
    'prompts/get': async ({ name, arguments: args }) => ({ messages: await prompts[name](args ?? {}) }),
    'resources/list': () => ({
      resources: Object.keys(resources).map((uri) => ({ uri, name: uri, description: `Resource ${uri}` })),
    }),
    'resources/templates/list': () => ({
      resourceTemplates: [
        { uriTemplate: 'test://template/{id}/data', name: 'template', description: 'By id' },
      ],
    }),
    'resources/read': (params) => readResource(params, fail),
    'resources/subscribe': () => ({}),
    'resources/unsubscribe': () => ({}),
    'completion/complete': () => ({ completion: { values: ['one', 'two'], total: 2, hasMore: false } }),
  };
}
