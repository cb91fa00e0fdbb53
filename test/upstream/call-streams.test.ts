// Calls and their own streams: cancelling, and whose a question is.
import { describe, expect, it } from 'vitest';
import { form } from '../support/harness.ts';
import { isCall, setupHttp, textOf } from '../support/upstream-harness.ts';

describe('a call that is given up', () => {
  it('is cancelled at the server, and its stream is let go', async () => {
    let letGo = (): void => undefined;
    const isClosed = new Promise<void>((resolve) => (letGo = resolve));
    const { client, server } = await setupHttp(
      {
        on: (exchange) => {
          if (!isCall(exchange)) return false;
          exchange.stream().raw(': here\n\n');
          exchange.response.on('close', letGo);
          return true;
        },
      },
      { bridge: { quarantineMs: 10 } },
    );
    const { id } = client.send({ method: 'tools/call', params: { name: 'slow', arguments: {} } });
    await server.until(() => server.count('tools/call') === 1);
    client.cancel(id);
    await server.until(() => server.count('notifications/cancelled') === 1);
    await isClosed;
    const call = server.requests.find(({ message }) => message.method === 'tools/call')!;
    const cancelled = server.requests.find(({ message }) => message.method === 'notifications/cancelled')!;
    expect(cancelled.message.params.requestId).toBe(call.message.id);
  });
});

describe('questions', () => {
  it('on the stream of a call belong to that call, whatever else runs', async () => {
    const { client, server } = await setupHttp({
      on: (exchange) => {
        if (exchange.message.id === 'q1' && exchange.message.method === undefined) {
          exchange.response.writeHead(202).end();
          return true;
        }
        if (!isCall(exchange)) return false;
        const { name } = exchange.message.params;
        const stream = exchange.stream();
        if (name === 'asks')
          stream.event({ jsonrpc: '2.0', id: 'q1', method: 'elicitation/create', params: form('name') });
        return true;
      },
    });
    void client.call('silent', { a: 1 });
    await server.until(() => server.count('tools/call') === 1);
    const asked = await client.call('asks');
    expect(Object.keys(asked.result.inputRequests)).toEqual(['name']);
    void client.retry(asked, 'asks', {}, { name: { action: 'accept', content: { name: 'Ada' } } });
    await server.until(() => server.requests.some(({ message }) => message.id === 'q1'));
    const answer = server.requests.find(({ message }) => message.id === 'q1')!;
    expect(answer.message.result).toEqual({ action: 'accept', content: { name: 'Ada' } });
    expect(answer.headers['mcp-session-id']).toBe('session-1');
  });

  it("on the stream of the server's own go to the only call there is", async () => {
    const { client, server } = await setupHttp({
      on: (exchange) => {
        if (!isCall(exchange)) return false;
        exchange.stream();
        exchange.server.say({ id: 'q1', method: 'elicitation/create', params: form('name') });
        return true;
      },
    });
    await client.request({ method: 'server/discover' });
    await server.until(() => server.listeners.size === 1);
    const asked = await client.call('asks');
    expect(Object.keys(asked.result.inputRequests)).toEqual(['name']);
  });

  it.each([
    ['the session is gone', 404],
    ['it is refused', 500],
  ])('whose answer does not arrive, as %s: the call ends at once', async (_, status) => {
    const { client, server } = await setupHttp({
      on: (exchange) => {
        if (exchange.message.id === 'q1' && exchange.message.method === undefined) {
          exchange.response.writeHead(status).end();
          return true;
        }
        if (!isCall(exchange) || exchange.message.params.name !== 'asks') return false;
        const question = { id: 'q1', method: 'elicitation/create', params: form('name') };
        exchange.stream().event({ jsonrpc: '2.0', ...question });
        return true;
      },
    });
    const asked = await client.call('asks');
    const answers = { name: { action: 'accept', content: { name: 'Ada' } } };
    const { error } = await client.retry(asked, 'asks', {}, answers);
    expect(error.data.reason).toBe('upstream_no_answer');
    expect(server.runs.size).toBe(0);
    expect(textOf(await client.call('other'))).toBe('other has run');
    expect(server.count('initialize')).toBe(status === 404 ? 2 : 1);
  });
});
