// The legacy (2025-11-25) server that the conformance suite judges through the bridge: names and values are the
// suite's. Writes each answer to its questions to ANSWER_LOG, as the suite does not look whether they arrived.
import { appendFileSync } from 'node:fs';
import { ask, failure, notify, serve, text } from '../fixtures/legacy-kit.js';

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const sound = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const image = { type: 'image', data: pixel, mimeType: 'image/png' };
const form = (properties, message = 'Please answer') => ({
  message,
  requestedSchema: { type: 'object', properties },
});
const string = { type: 'string' };
const sampling = {
  messages: [{ role: 'user', content: { type: 'text', text: 'What is the capital of France?' } }],
  maxTokens: 100,
};
const elicit = (properties) => ask('elicitation/create', form(properties));
const sample = () => ask('sampling/createMessage', sampling);
const listRoots = () => ask('roots/list');
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

const handlers = {
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
};

const schemas = {
  json_schema_2020_12_tool: richSchema,
  test_param_header: {
    type: 'object',
    properties: { region: { type: 'string', description: 'Where', 'x-mcp-header': 'Region' } },
  },
};

const tools = Object.keys(handlers).map((name) => ({
  name,
  description: `Conformance tool ${name}`,
  inputSchema: schemas[name] ?? { type: 'object', properties: {} },
}));

const message = (content) => ({ role: 'user', content });
const prompts = {
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
};
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

function readResource({ uri }) {
  const id = /^test:\/\/template\/(.+)\/data$/.exec(uri)?.[1];
  if (id !== undefined)
    return {
      contents: [{ uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) }],
    };
  if (resources[uri] === undefined) throw failure(-32002, 'Resource not found', { uri });
  return { contents: [resources[uri]()] };
}

serve({
  capabilities: {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    completions: {},
    logging: {},
  },
  onAnswer: (answer) => {
    const file = process.env.ANSWER_LOG;
    if (file !== undefined) appendFileSync(file, `${JSON.stringify(answer)}\n`);
  },
  methods: {
    'tools/list': () => ({ tools }),
    'tools/call': ({ name, arguments: args, _meta }) => {
      if (handlers[name] === undefined) throw failure(-32602, `Unknown tool: ${name}`);
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
    'resources/read': readResource,
    'resources/subscribe': () => ({}),
    'resources/unsubscribe': () => ({}),
    'completion/complete': () => ({ completion: { values: ['one', 'two'], total: 2, hasMore: false } }),
  },
});
