// The main job, frame by frame on both sides, as files that can be read: test/stories/transcripts/*.jsonl.
import { describe, expect, it } from 'vitest';
import { closeWindow, createHarness, form, metadata, type Harness } from '../support/harness.ts';

function transcriptOf({ upstream, client }: Harness, sent: readonly string[]): string {
  const hide = (line: string): string => line.replace(/"process\.[^"]+"/, '"<request state>"');
  const lines = [
    ...sent.map((line) => `{"from":"client","frame":${hide(line)}}`),
    ...client.lines.map((line) => `{"to":"client","frame":${hide(line)}}`),
    ...upstream.server.rawReceived.map((line) => `{"to":"legacy server","frame":${line}}`),
  ];
  return `${lines.join('\n')}\n`;
}

const transcript = (name: string): string => `./transcripts/${name}.jsonl`;

/** Writes a request as its bytes, so that the transcript shows what was really sent. */
function sender(harness: Harness): {
  sent: string[];
  send: (id: number, method: string, params: object) => Promise<any>;
} {
  const sent: string[] = [];
  return {
    sent,
    send: async (id, method, params) => {
      const line = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: metadata() } });
      sent.push(line);
      return harness.client.request({ id, method, params });
    },
  };
}

describe('transcripts', () => {
  it('discover, list and call', async () => {
    const harness = createHarness({
      on: (message, server) => {
        if (message.method === 'tools/list')
          server.answer(message, { tools: [{ name: 'add', inputSchema: { type: 'object' } }] });
        if (message.method === 'tools/call') server.text(message, '3');
        return message.method?.startsWith('tools/') === true;
      },
    });
    const { sent, send } = sender(harness);
    await send(0, 'server/discover', {});
    await send(1, 'tools/list', {});
    await send(2, 'tools/call', { name: 'add', arguments: { a: 1, b: 2 } });
    await expect(transcriptOf(harness, sent)).toMatchFileSnapshot(transcript('discover-list-call'));
  });

  it('a question asked and answered', async () => {
    const harness = createHarness();
    const { sent, send } = sender(harness);
    await send(-1, 'server/discover', {});
    const asked = send(0, 'tools/call', { name: 'greet' });
    const call = await harness.upstream.server.next('tools/call');
    harness.upstream.server.say({ id: 'q1', method: 'elicitation/create', params: form('name') });
    await closeWindow(harness);
    const { result } = await asked;
    const answer = { name: { action: 'accept', content: { name: 'Ada' } } };
    const answered = send(1, 'tools/call', {
      name: 'greet',
      requestState: result.requestState,
      inputResponses: answer,
    });
    const reply = await harness.upstream.server.answerTo('q1');
    harness.upstream.server.text(call, `Hello ${reply.result.content.name as string}`);
    await answered;
    await expect(transcriptOf(harness, sent)).toMatchFileSnapshot(transcript('question'));
  });
});
