// A legacy (2025-11-25) server whose tools run as tasks: names and behaviour are those that the suite wants of a server
// with the tasks extension.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, failure, serve, text } from '../fixtures/legacy-kit.js';

const tasks = new Map();
const string = { type: 'string' };

/** Asks on behalf of a task. */
const elicit = (task, name) =>
  ask('elicitation/create', {
    message: `Please give ${name}`,
    requestedSchema: { type: 'object', properties: { [name]: string } },
    ...(task && { _meta: { 'io.modelcontextprotocol/related-task': { taskId: task.taskId } } }),
  });

const tools = {
  greet: { run: (_, { name = 'World' }) => text(`Hello, ${name}!`) },
  slow_compute: {
    taskSupport: 'optional',
    run: async (task, { seconds = 0 }) => {
      await sleep(seconds * 1000, undefined, { signal: task?.stop.signal });
      return text(`Computed for ${seconds}s`);
    },
  },
  failing_job: {
    taskSupport: 'required',
    run: async () => {
      await sleep(500);
      return { ...text('This job always fails'), isError: true };
    },
  },
  protocol_error_job: {
    taskSupport: 'optional',
    run: () => Promise.reject(failure(-32603, 'The job broke')),
  },
  confirm_delete: {
    taskSupport: 'optional',
    run: async (task, { filename }) => text(`${(await elicit(task, 'confirm')).action}: ${filename}`),
  },
  multi_input: {
    taskSupport: 'optional',
    run: async (task) => {
      const answers = await Promise.all([elicit(task, 'first'), elicit(task, 'second')]);
      return text(answers.map(({ action }) => action).join());
    },
  },
  test_tool_with_task: {
    taskSupport: 'required',
    prepare: () => elicit(undefined, 'user_name'),
    run: (_, __, { content }) => text(`Hello, ${Object.values(content).join()}!`),
  },
};

const seen = ({ taskId, status, createdAt, lastUpdatedAt, ttl }) => ({
  ...{ taskId, status, createdAt, lastUpdatedAt, ttl },
  pollInterval: 200,
});

function settle(task, status) {
  if (task.status === 'cancelled') return;
  task.status = status;
  task.lastUpdatedAt = new Date().toISOString();
}

function start(tool, args, prepared, ttl = 60_000) {
  const createdAt = new Date().toISOString();
  const task = { taskId: randomUUID(), status: 'working', createdAt, lastUpdatedAt: createdAt, ttl };
  task.stop = new AbortController();
  tasks.set(task.taskId, task);
  // What it asks goes out once somebody waits for its result.
  task.outcome = new Promise((resolve) => (task.wanted = resolve))
    .then(() => tool.run(task, args, prepared))
    .then(
      (result) => (settle(task, result.isError ? 'failed' : 'completed'), result),
      (error) => {
        settle(task, 'failed');
        throw error;
      },
    );
  task.outcome.catch(() => {});
  return { task: seen(task) };
}

function find(taskId) {
  const task = tasks.get(taskId);
  if (task === undefined) throw failure(-32602, 'Task not found');
  return task;
}

serve({
  capabilities: { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } },
  methods: {
    'tools/list': () => ({
      tools: Object.entries(tools).map(([name, { taskSupport }]) => ({
        name,
        description: `Conformance tool ${name}`,
        inputSchema: { type: 'object' },
        ...(taskSupport && { execution: { taskSupport } }),
      })),
    }),
    'tools/call': async ({ name, arguments: args = {}, task }) => {
      const tool = tools[name];
      if (tool === undefined) throw failure(-32602, `Unknown tool: ${name}`);
      if (task === undefined && tool.taskSupport === 'required') throw failure(-32601, 'Only as a task');
      if (task !== undefined && tool.taskSupport === undefined) throw failure(-32601, 'Not as a task');
      const prepared = await tool.prepare?.();
      return task === undefined ? tool.run(undefined, args, prepared) : start(tool, args, prepared, task.ttl);
    },
    'tasks/get': ({ taskId }) => seen(find(taskId)),
    'tasks/result': async ({ taskId }) => {
      const task = find(taskId);
      task.wanted();
      return {
        ...(await task.outcome),
        _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
      };
    },
    'tasks/cancel': ({ taskId }) => {
      const task = find(taskId);
      settle(task, 'cancelled');
      task.stop.abort();
      return seen(task);
    },
  },
});
