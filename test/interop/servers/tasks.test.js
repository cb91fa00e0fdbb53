// The task tool of server-everything, which must run as a task: for a client that knows no tasks, and for one that does.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { callText, connect, faces, modes, startHttp } from '../bridged.js';
import { modulesOf } from './catalogue.js';

const versions = ['2026.1.26', '2026.8.31'];
const serverOf = (version) => {
  const file = '@modelcontextprotocol/server-everything/dist/index.js';
  return [process.execPath, join(modulesOf(`everything-${version}`), file), 'stdio'];
};
const tool = 'simulate-research-query';
// It asks for the roots once after the handshake.
const options = ['--root', 'file:///interop'];

describe.each(versions.flatMap((version) => faces.map((face) => [version, face])))(
  'server-everything %s over %s, a client without the extension',
  (version, face) => {
    it('gets the plain result, is asked on the way, and may cancel', async () => {
      const { client, end } = await connect(face, serverOf(version), modes.pinned, { options });
      expect(await callText(client, tool, { topic: 'bridges' })).toContain('# Research Report: bridges');
      const clarified = await callText(client, tool, { topic: 'python', ambiguous: true });
      expect(clarified).toContain('my interpretation');
      const abort = new AbortController();
      const call = callText(client, tool, { topic: 'x' }, { signal: abort.signal });
      setTimeout(() => abort.abort(), 500);
      await expect(call).rejects.toThrow();
      await end();
    });
  },
);

describe.each(versions)('server-everything %s, a client with the extension', (version) => {
  const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };

  const requestsTo = (url) => async (method, params) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': method,
        ...((params.taskId ?? params.name) && { 'Mcp-Name': params.taskId ?? params.name }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    });
    return (await response.json()).result;
  };

  /** Asks until the task is in that state; all that it said on the way is of `statuses`. */
  async function until(request, taskId, status, statuses = ['working']) {
    for (;;) {
      const task = await request('tasks/get', { taskId });
      if (task.status === status) return task;
      expect(statuses).toContain(task.status);
      await sleep(task.pollIntervalMs / 4);
    }
  }

  it('polls, updates and cancels', async () => {
    const { url, stop } = await startHttp(serverOf(version), options);
    const request = requestsTo(url);
    const discovered = await request('server/discover', {});
    expect(discovered.capabilities.extensions).toMatchObject({ 'io.modelcontextprotocol/tasks': {} });

    const plain = await request('tools/call', { name: tool, arguments: { topic: 'bridges' } });
    expect(plain).toMatchObject({
      resultType: 'task',
      status: 'working',
      ttlMs: 300_000,
      pollIntervalMs: 1000,
    });
    const completed = await until(request, plain.taskId, 'completed');
    expect(completed.result.content[0].text).toContain('# Research Report: bridges');

    const asking = await request('tools/call', {
      name: tool,
      arguments: { topic: 'python', ambiguous: true },
    });
    const { inputRequests } = await until(request, asking.taskId, 'input_required');
    expect(inputRequests.interpretation.params.message).toContain('python');
    const answer = { action: 'accept', content: { interpretation: 'snake' } };
    await request('tasks/update', { taskId: asking.taskId, inputResponses: { interpretation: answer } });
    const clarified = await until(request, asking.taskId, 'completed');
    expect(clarified.result.content[0].text).toContain('snake');

    const unwanted = await request('tools/call', { name: tool, arguments: { topic: 'x' } });
    expect(await request('tasks/cancel', { taskId: unwanted.taskId })).toMatchObject({
      resultType: 'complete',
    });
    expect((await request('tasks/get', { taskId: unwanted.taskId })).status).toBe('cancelled');
    await stop();
  });
});
