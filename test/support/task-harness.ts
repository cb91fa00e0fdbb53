// A scripted legacy server with tasks of 2025-11-25, behind the whole bridge.
import { openHarness, type Harness } from './harness.ts';
import type { Message, ScriptedServer } from './scripted-upstream.ts';

export const capabilities = { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
export const tools = ['required', 'optional', 'forbidden'].map((taskSupport) => ({
  name: taskSupport,
  inputSchema: { type: 'object' },
  execution: { taskSupport },
}));
export const withTasks = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
export const state = (status: string, more: object = {}): object => ({
  taskId: 'T',
  status,
  createdAt: '2025-11-25T10:30:00Z',
  lastUpdatedAt: '2025-11-25T10:40:00Z',
  ttl: 60_000,
  pollInterval: 2000,
  ...more,
});
export const related = { _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'T' } } };
export const done = { content: [{ type: 'text', text: 'done' }], ...related };

/** A server that says at once how its task is. */
export async function openTaskHarness(
  status: () => object = () => state('working'),
  script: object = {},
): Promise<Harness> {
  return openHarness({
    capabilities,
    on: (message, server) => {
      if (message.method === 'tools/list') server.answer(message, { tools });
      if (message.method === 'tasks/get') server.answer(message, status());
      if (message.method === 'tasks/cancel') server.answer(message, state('cancelled'));
      return message.method === 'tools/list' || message.method?.startsWith('tasks/') === true;
    },
    ...script,
  });
}

/** The tool is called, and the call becomes a task. */
export async function calledAsTask(
  harness: Harness,
  tool = 'required',
  more: object = {},
): Promise<{ answer: Promise<Message>; call: Message; result: Message; server: ScriptedServer }> {
  const { server } = harness.upstream;
  const answer = harness.client.call(tool, { a: 1 }, more);
  const call = await server.next('tools/call');
  server.answer(call, { task: state('working') });
  return { answer, call, result: await server.next('tasks/result'), server };
}
