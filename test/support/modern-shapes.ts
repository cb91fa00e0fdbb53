// The shapes of 2026-07-28 that a bridge may emit, as JSON Schema of our own wording: no published package ships the
// revision's schema. Every frame that a face writes in a test goes through here.
import { Ajv2020 } from 'ajv/dist/2020.js';

const id = { type: ['string', 'integer'] };
const object = { type: 'object' };
const string = { type: 'string' };
const meta = (more: object = {}): object => ({ type: 'object', properties: more });
const implementation = {
  type: 'object',
  required: ['name', 'version'],
  properties: { name: string, version: string },
};
const resultMeta = meta({ 'io.modelcontextprotocol/serverInfo': implementation });
const subscriptionMeta = {
  ...meta({ 'io.modelcontextprotocol/subscriptionId': id }),
  required: ['io.modelcontextprotocol/subscriptionId'],
};
const named = {
  type: 'object',
  required: ['name'],
  properties: {
    name: string,
    title: string,
    description: string,
    annotations: object,
    icons: { type: 'array', items: { type: 'object', required: ['src'] } },
    _meta: object,
  },
};
const block = {
  type: 'object',
  required: ['type'],
  oneOf: [
    { properties: { type: { const: 'text' }, text: string }, required: ['text'] },
    {
      properties: { type: { enum: ['image', 'audio'] }, data: string, mimeType: string },
      required: ['data', 'mimeType'],
    },
    {
      properties: { type: { const: 'resource_link' }, uri: string, name: string },
      required: ['uri', 'name'],
    },
    {
      properties: { type: { const: 'resource' }, resource: { type: 'object', required: ['uri'] } },
      required: ['resource'],
    },
  ],
  properties: { annotations: object, _meta: object },
};
const cacheable = {
  required: ['ttlMs', 'cacheScope'],
  properties: { ttlMs: { type: 'integer', minimum: 0 }, cacheScope: { enum: ['public', 'private'] } },
};
const complete = (properties: object, required: readonly string[], more: object = {}): object => ({
  type: 'object',
  required: ['resultType', ...required],
  properties: { resultType: { const: 'complete' }, _meta: resultMeta, ...properties },
  allOf: [more],
});
const list = (name: string, items: object): object =>
  complete({ [name]: { type: 'array', items }, nextCursor: string }, [name], cacheable);

const inputRequest = {
  oneOf: [
    {
      type: 'object',
      properties: {
        method: { const: 'elicitation/create' },
        params: {
          type: 'object',
          required: ['message'],
          properties: { message: string, elicitationId: false, task: false },
          oneOf: [
            {
              properties: {
                mode: { const: 'form' },
                requestedSchema: {
                  type: 'object',
                  required: ['type', 'properties'],
                  properties: { type: { const: 'object' } },
                },
              },
              required: ['requestedSchema'],
            },
            { properties: { mode: { const: 'url' }, url: string }, required: ['mode', 'url'] },
          ],
        },
      },
      required: ['method', 'params'],
    },
    {
      type: 'object',
      properties: {
        method: { const: 'sampling/createMessage' },
        params: {
          type: 'object',
          required: ['messages', 'maxTokens'],
          properties: { messages: { type: 'array' }, task: false },
        },
      },
      required: ['method', 'params'],
    },
    { type: 'object', properties: { method: { const: 'roots/list' }, params: object }, required: ['method'] },
  ],
};

const inputRequired = {
  type: 'object',
  required: ['resultType'],
  properties: {
    resultType: { const: 'input_required' },
    inputRequests: { type: 'object', minProperties: 1, additionalProperties: inputRequest },
    requestState: string,
    _meta: resultMeta,
    content: false,
    ttlMs: false,
    cacheScope: false,
  },
  anyOf: [{ required: ['inputRequests'] }, { required: ['requestState'] }],
};
const orInput = (shape: object): object => ({
  if: { properties: { resultType: { const: 'input_required' } } },
  then: inputRequired,
  else: shape,
});

const toolResult = complete({ content: { type: 'array', items: block }, isError: { type: 'boolean' } }, [
  'content',
]);

/** Of the extension io.modelcontextprotocol/tasks. */
const taskMembers = {
  taskId: string,
  status: { enum: ['working', 'input_required', 'completed', 'cancelled', 'failed'] },
  statusMessage: string,
  createdAt: string,
  lastUpdatedAt: string,
  ttlMs: { type: ['integer', 'null'], minimum: 0 },
  pollIntervalMs: { type: 'integer', minimum: 0 },
  ttl: false,
  pollInterval: false,
  requestState: false,
};
const neededOfTask = ['taskId', 'status', 'createdAt', 'lastUpdatedAt', 'ttlMs'];
const createdTask = {
  type: 'object',
  required: ['resultType', ...neededOfTask],
  properties: { ...taskMembers, _meta: resultMeta, inputRequests: false, result: false, error: false },
};
const withStatus = (status: string, member: string, shape: object): object => ({
  if: { properties: { status: { const: status } } },
  then: { required: [member], properties: { [member]: shape } },
  else: { properties: { [member]: false } },
});
const orTask = (shape: object): object => ({
  if: { properties: { resultType: { const: 'task' } }, required: ['resultType'] },
  then: createdTask,
  else: shape,
});

const results: Readonly<Record<string, object>> = {
  'tasks/get': {
    allOf: [
      complete(taskMembers, neededOfTask),
      withStatus('input_required', 'inputRequests', {
        type: 'object',
        minProperties: 1,
        additionalProperties: inputRequest,
      }),
      withStatus('completed', 'result', toolResult),
      withStatus('failed', 'error', { type: 'object', required: ['code', 'message'] }),
    ],
  },
  'tasks/update': complete({ taskId: false }, []),
  'tasks/cancel': complete({ taskId: false }, []),
  'server/discover': complete(
    {
      supportedVersions: { type: 'array', items: string, minItems: 1 },
      capabilities: { type: 'object', additionalProperties: object, properties: { tasks: false } },
      instructions: string,
    },
    ['supportedVersions', 'capabilities'],
    cacheable,
  ),
  'tools/list': list('tools', {
    ...named,
    required: ['name', 'inputSchema'],
    properties: {
      ...named.properties,
      inputSchema: { type: 'object' },
      outputSchema: object,
      execution: false,
    },
  }),
  'prompts/list': list('prompts', named),
  'resources/list': list('resources', { ...named, required: ['name', 'uri'] }),
  'resources/templates/list': list('resourceTemplates', { ...named, required: ['name', 'uriTemplate'] }),
  'tools/call': orTask(orInput(toolResult)),
  'prompts/get': orInput(
    complete({ messages: { type: 'array', items: { type: 'object', required: ['role', 'content'] } } }, [
      'messages',
    ]),
  ),
  'resources/read': orInput(
    complete(
      { contents: { type: 'array', items: { type: 'object', required: ['uri'] } } },
      ['contents'],
      cacheable,
    ),
  ),
  'completion/complete': complete({ completion: { type: 'object', required: ['values'] } }, ['completion']),
  'subscriptions/listen': complete({ _meta: subscriptionMeta }, ['_meta']),
};

const params = (properties: object, required: readonly string[]): object => ({
  type: 'object',
  properties,
  required,
});
const notifications: Readonly<Record<string, object>> = {
  'notifications/progress': params(
    { progressToken: id, progress: { type: 'number' }, total: { type: 'number' }, message: string },
    ['progressToken', 'progress'],
  ),
  'notifications/message': params({ level: string, data: {} }, ['level', 'data']),
  'notifications/cancelled': params({ requestId: id }, ['requestId']),
  'notifications/subscriptions/acknowledged': params({ _meta: subscriptionMeta, notifications: object }, [
    '_meta',
    'notifications',
  ]),
  'notifications/tools/list_changed': params({ _meta: subscriptionMeta }, ['_meta']),
  'notifications/prompts/list_changed': params({ _meta: subscriptionMeta }, ['_meta']),
  'notifications/resources/list_changed': params({ _meta: subscriptionMeta }, ['_meta']),
  'notifications/resources/updated': params({ _meta: subscriptionMeta, uri: string }, ['_meta', 'uri']),
};

const definedCodes = [-32020, -32021, -32022];
const error = {
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: {
      type: 'integer',
      not: {
        anyOf: [
          { enum: [-32002, -32042] },
          { minimum: -32099, maximum: -32020, not: { enum: definedCodes } },
        ],
      },
    },
    message: string,
  },
  allOf: [
    {
      if: { properties: { code: { const: -32022 } } },
      then: {
        required: ['data'],
        properties: {
          data: { type: 'object', required: ['supported', 'requested'], properties: { requested: string } },
        },
      },
    },
    {
      if: { properties: { code: { const: -32021 } } },
      then: {
        required: ['data'],
        properties: {
          data: {
            type: 'object',
            required: ['requiredCapabilities'],
            properties: { requiredCapabilities: object },
          },
        },
      },
    },
  ],
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
const compiled = new Map<object, ReturnType<Ajv2020['compile']>>();

function check(schema: object, value: unknown, what: string): void {
  const validate = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, validate);
  if (!validate(value))
    throw new Error(`${what} breaks its shape: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(value)}`);
}

/** Throws unless the frame is one that a modern server may send; `method` is that of the request it answers. */
export function checkModernFrame(frame: unknown, method: string | undefined): void {
  check({ type: 'object', required: ['jsonrpc'], properties: { jsonrpc: { const: '2.0' } } }, frame, 'frame');
  const {
    id: frameId,
    method: notification,
    params: body,
    result,
    error: failure,
  } = frame as Record<string, unknown>;
  if (notification !== undefined) {
    const schema = notifications[notification as string];
    if (schema === undefined || frameId !== undefined)
      throw new Error(`not a notification of a modern server: ${JSON.stringify(frame)}`);
    check(schema, body, notification as string);
  } else if (failure !== undefined) {
    check(error, failure, 'error');
    if (result !== undefined) throw new Error('both result and error');
  } else {
    check(id, frameId, 'id');
    const schema = method === undefined ? undefined : results[method];
    check(schema ?? complete({}, []), result, `result of ${method ?? 'unknown'}`);
  }
}
