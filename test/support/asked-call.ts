// A call that has asked, as most stories about questions begin.
import { closeWindow, form, type Harness, type StdioClient } from './harness.ts';
import type { Message } from './scripted-upstream.ts';

export const accept = (content: object): object => ({ action: 'accept', content });
export const sampling = { messages: [], maxTokens: 1 };

/** A call of `greet` that has asked, as `q`, for the property `name`, and what its client was shown. */
export async function askedCall(harness: Harness): Promise<{ call: Message; shown: Message }> {
  const { client, upstream } = harness;
  const answer = client.call('greet', { a: 1 });
  const call = await upstream.server.next('tools/call');
  upstream.server.say({ id: 'q', method: 'elicitation/create', params: form('name') });
  await closeWindow(harness);
  return { call, shown: await answer };
}

/** The call of `askedCall` again, with answers. */
export function retry(client: StdioClient, shown: Message, responses: object): Promise<Message> {
  return client.retry(shown, 'greet', { a: 1 }, responses);
}
