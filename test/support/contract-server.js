// What a server does in the contract suite, whatever it is reached by: `send` writes one message as text, as it is.
import { createHash } from 'node:crypto';

export function handle(message, { send, garbage, die, stopReading }) {
  const { id, method, params } = message;
  const answer = (result) => send(JSON.stringify({ jsonrpc: '2.0', id, result }));
  switch (method) {
    case 'burst':
      for (let count = 0; count < params.count; count += 1)
        send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/count', params: { count } }));
      answer({});
      return;
    case 'digest':
      answer({ digest: createHash('sha256').update(params.text).digest('hex') });
      return;
    case 'stop reading':
      stopReading(params.ms);
      answer({});
      return;
    case 'big':
      answer({ text: 'é🧪'.repeat(params.length) });
      return;
    case 'garbage':
      for (const text of garbage) send(text);
      answer({});
      return;
    case 'die':
      die();
      return;
    default:
      if (id !== undefined) answer({ method });
  }
}

/** Text that is no frame. None of it may stop what follows. */
export const garbage = [
  'Listening on port 3000',
  '"a string"',
  'null',
  '{',
  '{"jsonrpc":"2.0","id":',
  '['.repeat(5000),
  '{"a":"\\ud800"}trailing',
  '{"jsonrpc":"2.0","id":999999,"result":{}}',
  '{"jsonrpc":"2.0","id":{},"result":{}}',
  '{"id":null}',
  '\u2028\u0085 \u0000',
];
