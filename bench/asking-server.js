// A legacy server on stdio that answers no call before it has asked: the result is what it was told.
let rest = '';
let lastQuestion = 0;
const calls = new Map();

const handlers = {
  initialize: ({ id }) =>
    `{"jsonrpc":"2.0","id":${id},"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}}\n`,
  'tools/call': ({ id }) => {
    lastQuestion += 1;
    calls.set(lastQuestion, id);
    return `{"jsonrpc":"2.0","id":${lastQuestion},"method":"elicitation/create","params":{"message":"What?","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}}\n`;
  },
  ping: ({ id }) => `{"jsonrpc":"2.0","id":${id},"result":{}}\n`,
  'tools/list': ({ id }) => `{"jsonrpc":"2.0","id":${id},"result":{"tools":[]}}\n`,
};

function answer({ id, result }) {
  const text = JSON.stringify(result?.content?.a ?? 'no answer');
  const call = calls.get(id);
  calls.delete(id);
  return `{"jsonrpc":"2.0","id":${call},"result":{"content":[{"type":"text","text":${text}}]}}\n`;
}

process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  let out = '';
  for (const line of lines) {
    const message = JSON.parse(line);
    if (message.method === undefined) out += answer(message);
    else if (message.id !== undefined) out += handlers[message.method](message);
  }
  if (out !== '') process.stdout.write(out);
});
