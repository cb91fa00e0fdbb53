// Tasks of 2025-11-25, handed over to clients that have the extension io.modelcontextprotocol/tasks.
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/bridge/outcome.ts';
import { requestOf } from '../support/frames.ts';
import { closeWindow, form, openHarness, settled, type Harness } from '../support/harness.ts';
import type { Message, ScriptedServer } from '../support/scripted-upstream.ts';
import {
  calledAsTask,
  capabilities,
  done,
  openTaskHarness,
  related,
  state,
  tools,
  withTasks,
} from '../support/task-harness.ts';

describe('a client that has the tasks extension', () => {
  const more = { capabilities: withTasks };
  const task = (harness: Harness, method: string, taskId: string, params: object = {}): Promise<any> =>
    harness.client.request({ method, params: { taskId, ...params }, ...more });

  async function handedOver(
    harness: Harness,
    tool = 'required',
  ): Promise<{ taskId: string; result: Message; server: ScriptedServer }> {
    const { answer, result, server } = await calledAsTask(harness, tool, more);
    const { taskId, ...created } = (await answer).result;
    expect(created).toEqual({
      resultType: 'task',
      status: 'working',
      createdAt: '2025-11-25T10:30:00Z',
      lastUpdatedAt: '2025-11-25T10:40:00Z',
      ttlMs: 60_000,
      pollIntervalMs: 2000,
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'scripted', version: '1' } },
    });
    expect(taskId).not.toBe('T');
    return { taskId, result, server };
  }

  it('finds it in discover, in the place of what the server promises', async () => {
    const harness = await openTaskHarness(undefined, {
      capabilities: { ...capabilities, extensions: { 'a/b': { c: 1 } } },
    });
    const { result } = await harness.client.request({ method: 'server/discover' });
    expect(result.capabilities).toEqual({
      extensions: { 'io.modelcontextprotocol/tasks': {}, 'a/b': { c: 1 } },
      tools: {},
    });
    const without = await openTaskHarness(undefined, { capabilities: { tools: {}, tasks: { list: {} } } });
    expect((await without.client.request({ method: 'server/discover' })).result.capabilities).toEqual({
      tools: {},
    });
  });

  it.each(['required', 'optional'])(
    'gets a task for a tool for which it is %s, and its result by asking',
    async (tool) => {
      const harness = await openTaskHarness(() =>
        state('working', { statusMessage: 'ä…', lastUpdatedAt: '2025-11-25T11:00:00Z' }),
      );
      const { taskId, result, server } = await handedOver(harness, tool);
      const working = await task(harness, 'tasks/get', taskId);
      expect(working.result).toMatchObject({
        resultType: 'complete',
        taskId,
        status: 'working',
        statusMessage: 'ä…',
        lastUpdatedAt: '2025-11-25T11:00:00Z',
      });
      server.answer(result, { ...done, isError: true });
      const ended = await task(harness, 'tasks/get', taskId);
      expect(ended.result).toMatchObject({
        status: 'completed',
        result: { content: done.content, isError: true },
      });
      expect(JSON.stringify(ended)).not.toContain('related-task');
      expect((await task(harness, 'tasks/get', taskId)).result.status).toBe('completed');
    },
  );

  it('is not given a task where there need not be one', async () => {
    const harness = await openTaskHarness();
    const answer = harness.client.call('forbidden', {}, more);
    harness.upstream.server.answer(await harness.upstream.server.next('tools/call'), done);
    expect((await answer).result.resultType).toBe('complete');
  });

  it('is asked by tasks/get and answers by tasks/update, each question by itself', async () => {
    const harness = await openTaskHarness(() => state('input_required'));
    const { taskId, result, server } = await handedOver(harness);
    for (const name of ['one', 'two'])
      server.say({ id: name, method: 'elicitation/create', params: { ...form(name), ...related } });
    const asked = await task(harness, 'tasks/get', taskId);
    expect(asked.result.status).toBe('input_required');
    expect(asked.result.inputRequests).toEqual({
      one: { method: 'elicitation/create', params: form('one') },
      two: { method: 'elicitation/create', params: form('two') },
    });
    const inputResponses = { one: { action: 'accept', content: { one: '1' } }, two: 'no answer', three: {} };
    const ack = await task(harness, 'tasks/update', taskId, { inputResponses });
    expect(Object.keys(ack.result).sort()).toEqual(['_meta', 'resultType']);
    expect((await server.answerTo('one')).result).toEqual({ action: 'accept', content: { one: '1' } });
    expect(Object.keys((await task(harness, 'tasks/get', taskId)).result.inputRequests)).toEqual(['two']);
    await task(harness, 'tasks/update', taskId, { inputResponses: { two: { action: 'decline' } } });
    expect((await server.answerTo('two')).result).toEqual({ action: 'decline' });
    expect((await task(harness, 'tasks/get', taskId)).result.status).toBe('working');
    server.answer(result, done);
    expect((await task(harness, 'tasks/get', taskId)).result.status).toBe('completed');
  });

  it('is asked nothing that it has not declared', async () => {
    const harness = await openTaskHarness();
    const { server } = await handedOver(harness);
    server.say({
      id: 's',
      method: 'sampling/createMessage',
      params: { messages: [], maxTokens: 1, ...related },
    });
    expect((await server.answerTo('s')).error).toBeDefined();
  });

  it('hears of an error of the protocol as a failed task', async () => {
    const harness = await openTaskHarness();
    const { taskId, result, server } = await handedOver(harness);
    server.fail(result, -32603, 'broke', { x: 1 });
    const { result: failed } = await task(harness, 'tasks/get', taskId);
    expect(failed).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: 'broke', data: { x: 1 } },
    });
    expect('result' in failed).toBe(false);
  });

  it('hears of a task whose server has gone', async () => {
    const harness = await openTaskHarness();
    const { taskId, server } = await handedOver(harness);
    server.exit();
    await settled();
    const { result } = await task(harness, 'tasks/get', taskId);
    expect(result).toMatchObject({ status: 'failed', error: { data: { reason: 'upstream_exited' } } });
    expect(harness.upstream.servers).toHaveLength(1);
  });

  it('cancels, also what is over already', async () => {
    const harness = await openTaskHarness();
    const { taskId, result, server } = await handedOver(harness);
    server.say({ id: 'q', method: 'elicitation/create', params: { ...form('name'), ...related } });
    await settled();
    for (let count = 0; count < 2; count += 1)
      expect(Object.keys((await task(harness, 'tasks/cancel', taskId)).result).sort()).toEqual([
        '_meta',
        'resultType',
      ]);
    expect(server.count('tasks/cancel')).toBe(1);
    expect((await server.next('notifications/cancelled')).params.requestId).toBe(result.id);
    expect((await server.answerTo('q')).result).toEqual({ action: 'cancel' });
    const { result: cancelled } = await task(harness, 'tasks/get', taskId);
    expect(cancelled.status).toBe('cancelled');
  });

  it('hears of a task that the server has cancelled, when its result does not come', async () => {
    let status = 'working';
    const harness = await openTaskHarness(() => state(status));
    const { taskId } = await handedOver(harness);
    status = 'cancelled';
    const answer = task(harness, 'tasks/get', taskId);
    await settled();
    harness.clock.advance(10_000);
    expect((await answer).result.status).toBe('cancelled');
  });

  it('finds only tasks of its own, with the extension declared, and not for ever', async () => {
    const harness = await openTaskHarness();
    const { taskId, server } = await handedOver(harness);
    const undeclared = await harness.client.request({ method: 'tasks/get', params: { taskId } });
    expect(undeclared.error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    });
    for (const method of ['tasks/get', 'tasks/cancel'])
      expect((await task(harness, method, 'T')).error).toMatchObject({
        code: -32602,
        data: { reason: 'unknown_task' },
      });
    for (const method of ['tasks/result', 'tasks/list'])
      expect((await task(harness, method, taskId)).error.code).toBe(-32601);
    expect((await harness.client.request({ method: 'tasks/get', ...more })).error.code).toBe(-32602);
    harness.clock.advance(60_000);
    await settled();
    expect((await task(harness, 'tasks/get', taskId)).error.data.reason).toBe('unknown_task');
    expect(server.count('tasks/cancel')).toBe(1);
  });

  it('finds none that came of the call of another principal', async () => {
    const harness = await openTaskHarness();
    const { taskId, server } = await handedOver(harness);
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': withTasks,
    };
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const params = { taskId, inputResponses: {}, _meta: meta };
      const request = requestOf(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
      const outcome = await new Promise<Outcome>((answer) => {
        const responder = {
          answer,
          notify: () => undefined,
          canTakeMore: () => true,
          onceDrained: () => undefined,
        };
        harness.bridge.serve(request, { domain: 'other', principal: 'other' }, responder);
      });
      expect(outcome.kind).toBe('error');
      expect(Buffer.concat([...outcome.body]).toString()).toContain('unknown_task');
    }
    expect(server.count('tasks/cancel')).toBe(0);
    expect((await task(harness, 'tasks/get', taskId)).result.status).toBe('working');
  });

  it('may not ask to be told of tasks without declaring them', async () => {
    const harness = await openTaskHarness();
    const listen = (extra: object): Promise<Message> =>
      harness.client.request({
        method: 'subscriptions/listen',
        params: { notifications: { taskIds: ['x'] } },
        ...extra,
      });
    expect((await listen({})).error.code).toBe(-32021);
    expect((await listen(more)).result.resultType).toBe('complete');
  });

  it('may be asked before the call becomes a task', async () => {
    const harness = await openTaskHarness();
    const { server } = harness.upstream;
    const answer = harness.client.call('required', {}, more);
    const call = await server.next('tools/call');
    server.say({ id: 'q', method: 'elicitation/create', params: form('name') });
    await closeWindow(harness);
    const shown = await answer;
    const accepted = { name: { action: 'accept', content: { name: 'Ada' } } };
    const second = harness.client.retry(shown, 'required', {}, accepted, more);
    await server.answerTo('q');
    server.answer(call, { task: state('working') });
    expect((await second).result.resultType).toBe('task');
  });

  it('is refused more tasks than may be open', async () => {
    const harness = await openHarness(
      {
        capabilities,
        on: (message, server) => {
          if (message.method === 'tools/list') server.answer(message, { tools });
          if (message.method === 'tools/call')
            server.answer(message, { task: state('working', { taskId: `T${String(message.id)}` }) });
          return message.method === 'tools/list' || message.method === 'tools/call';
        },
      },
      { maxParkedPerPrincipal: 2 },
    );
    const answers = [];
    for (let count = 0; count < 3; count += 1) answers.push(await harness.client.call('required', {}, more));
    expect(answers.map(({ result, error }) => result?.resultType ?? error.data.reason)).toEqual([
      'task',
      'task',
      'too_many_parked',
    ]);
    expect(harness.upstream.server.count('tasks/cancel')).toBe(1);
  });
});
