// A stream that the server closes before the answer. spec 2025-11-25 basic/transports#resumability-and-redelivery
import { describe, expect, it } from 'vitest';
import type { FakeScript } from '../support/fake-http-server.ts';
import { form } from '../support/harness.ts';
import { isCall, setupHttp, textOf } from '../support/upstream-harness.ts';

describe('a stream that the server closes before the answer', () => {
  const closing = (): FakeScript => ({
    on: (exchange) => {
      const resumed = exchange.headers['last-event-id'];
      if (isCall(exchange)) {
        const stream = exchange.stream();
        stream.raw('id: e1\nretry: 500\ndata: \n\n');
        stream.end();
        return true;
      }
      if (exchange.method !== 'GET' || resumed !== 'e1') return false;
      const { id } = exchange.server.requests.find(({ message }) => message.method === 'tools/call')!.message;
      const stream = exchange.stream();
      stream.event(
        { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'resumed' }] } },
        { id: 'e2' },
      );
      stream.end();
      return true;
    },
  });

  it('goes on where it was, after the time that the server asked for', async () => {
    const { client, server, clock } = await setupHttp(closing());
    const answer = client.call('one');
    await clock.timerOf(500);
    expect(server.count('tools/call')).toBe(1);
    clock.advance(500);
    expect(textOf(await answer)).toBe('resumed');
    expect(server.count('tools/call')).toBe(1);
  });

  it('questions on the stream that goes on still belong to its call', async () => {
    const { client, clock, server } = await setupHttp({
      on: (exchange) => {
        if (isCall(exchange)) {
          const stream = exchange.stream();
          stream.raw('id: e1\ndata:\n\n');
          stream.end();
          return true;
        }
        if (exchange.headers['last-event-id'] !== 'e1') return false;
        const stream = exchange.stream();
        stream.event(
          { jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: form('name') },
          { id: 'e2' },
        );
        return true;
      },
    });
    const asked = client.call('one');
    await clock.timerOf(1000);
    clock.advance(1000);
    expect((await asked).result.resultType).toBe('input_required');
    expect(server.count('tools/call')).toBe(1);
  });

  it('that does not go on fails once, and is not sent again', async () => {
    const { client, clock, server } = await setupHttp({
      on: (exchange) => {
        if (isCall(exchange)) {
          exchange.stream().raw('id: e1\ndata:\n\n');
          exchange.response.end();
          return true;
        }
        if (exchange.headers['last-event-id'] === undefined) return false;
        exchange.response.writeHead(405).end();
        return true;
      },
    });
    const answer = client.call('one');
    await clock.timerOf(1000);
    clock.advance(1000);
    expect((await answer).error.data.reason).toBe('upstream_no_answer');
    expect(server.count('tools/call')).toBe(1);
  });
});
