// Tasks of 2025-11-25, followed for clients that know none.
import { describe, expect, it } from 'vitest';
import { closeWindow, form, openHarness, settled } from '../support/harness.ts';
import {
  calledAsTask,
  capabilities,
  done,
  openTaskHarness,
  related,
  state,
  tools,
} from '../support/task-harness.ts';

describe('a tool that must run as a task, called by a client that knows none', () => {
  it('runs as a task, whose result is the call’s own', async () => {
    const harness = await openTaskHarness();
    const { answer, call, result, server } = await calledAsTask(harness, 'required', {
      meta: { progressToken: 'p' },
    });
    expect(call.params).toEqual({
      name: 'required',
      arguments: { a: 1 },
      task: { ttl: 3_600_000 },
      _meta: { progressToken: call.id },
    });
    expect(result.params).toEqual({ taskId: 'T' });
    server.say({
      method: 'notifications/progress',
      params: { progressToken: call.id, progress: 1, ...related },
    });
    server.answer(result, done);
    expect((await answer).result).toEqual({
      resultType: 'complete',
      content: done.content,
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'scripted', version: '1' } },
    });
    expect((await harness.client.notification('notifications/progress')).params).toMatchObject({
      progressToken: 'p',
      progress: 1,
    });
    expect(server.count('tools/call')).toBe(1);
    expect(harness.bridge.counts.upstream).toBe(0);
  });

  it('may ask, and is answered in the retry of that call', async () => {
    const harness = await openTaskHarness();
    const { answer, result, server } = await calledAsTask(harness);
    server.say({ id: 'q', method: 'elicitation/create', params: { ...form('name'), ...related } });
    await closeWindow(harness);
    const shown = await answer;
    expect(shown.result.inputRequests.name.params).toEqual(form('name'));
    const accepted = { name: { action: 'accept', content: { name: 'Ada' } } };
    const final = harness.client.retry(shown, 'required', { a: 1 }, accepted);
    expect((await server.answerTo('q')).result).toEqual({ action: 'accept', content: { name: 'Ada' } });
    server.answer(result, done);
    expect((await final).result.content).toEqual(done.content);
  });

  it('is given time as long as the server says that it works on it', async () => {
    const harness = await openTaskHarness();
    const { answer, result, server } = await calledAsTask(harness);
    for (let count = 0; count < 100; count += 1) {
      harness.clock.advance(2000);
      await settled();
    }
    server.answer(result, done);
    expect((await answer).result.content).toEqual(done.content);
    expect(server.count('tasks/get')).toBe(100);
    harness.clock.advance(60_000);
    await settled();
    expect(server.count('tasks/get')).toBe(100);
  });

  it('is given up when the server says nothing of it any more', async () => {
    const harness = await openHarness({
      capabilities,
      on: (message, server) => {
        if (message.method === 'tools/list') server.answer(message, { tools });
        return message.method === 'tools/list';
      },
    });
    const { answer, server } = await calledAsTask(harness);
    harness.clock.advance(60_000);
    expect((await answer).error.data.reason).toBe('request_timeout');
    expect((await server.next('tasks/cancel')).params).toEqual({ taskId: 'T' });
  });

  it('is cancelled with its client', async () => {
    const harness = await openTaskHarness();
    const { server } = harness.upstream;
    const { id } = harness.client.send({ method: 'tools/call', params: { name: 'required' } });
    server.answer(await server.next('tools/call'), { task: state('working') });
    const result = await server.next('tasks/result');
    harness.client.cancel(id);
    expect((await server.next('tasks/cancel')).params).toEqual({ taskId: 'T' });
    expect((await server.next('notifications/cancelled')).params.requestId).toBe(result.id);
  });

  it('leaves nothing behind when its server goes', async () => {
    const harness = await openTaskHarness();
    const { server } = harness.upstream;
    const timerCount = harness.clock.timerCount;
    const answer = harness.client.call('required');
    server.answer(await server.next('tools/call'), { task: state('working') });
    server.exit();
    expect((await answer).error.data.reason).toBe('upstream_exited');
    await settled();
    expect(harness.clock.timerCount).toBe(timerCount);
  });

  it('is plain where the server answers at once, and where it need not be a task', async () => {
    const harness = await openTaskHarness();
    const { server } = harness.upstream;
    for (const name of ['required', 'optional', 'forbidden', 'unlisted']) {
      const answer = harness.client.call(name);
      const call = await server.next('tools/call');
      expect('task' in call.params).toBe(name === 'required');
      server.answer(call, done);
      expect((await answer).result.content).toEqual(done.content);
    }
  });

  it('is called as ever where the server promises no tasks', async () => {
    const harness = await openTaskHarness(undefined, { capabilities: { tools: {} } });
    const answer = harness.client.call('required', {}, { params: { task: { ttl: 1 } } });
    const call = await harness.upstream.server.next('tools/call');
    expect('task' in call.params).toBe(false);
    harness.upstream.server.answer(call, done);
    await answer;
    expect(harness.upstream.server.count('tools/list')).toBe(0);
  });
});

describe('a question of a task', () => {
  it('belongs to the call that the task came of, whoever else is running', async () => {
    const harness = await openTaskHarness();
    const { answer, server } = await calledAsTask(harness);
    const other = harness.client.send({ method: 'tools/call', params: { name: 'forbidden' } });
    const running = await server.next('tools/call');
    server.say({ id: 'q', method: 'elicitation/create', params: { ...form('name'), ...related } });
    await closeWindow(harness);
    expect((await answer).result.resultType).toBe('input_required');
    server.answer(running, done);
    expect((await other.answer).result.content).toEqual(done.content);
  });
});
