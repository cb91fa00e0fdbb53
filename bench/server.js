// A legacy server that costs as little as it can: answers a call with as many bytes as its argument says.
const texts = new Map();
let rest = '';

process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  let out = '';
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (id !== undefined) out += `{"jsonrpc":"2.0","id":${id},"result":${resultOf(method, params)}}\n`;
  }
  if (out !== '') process.stdout.write(out);
});

function resultOf(method, params) {
  if (method === 'initialize')
    return '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}';
  if (method === 'tools/list') return '{"tools":[]}';
  if (method !== 'tools/call') return '{}';
  const { size = 100 } = params.arguments;
  if (!texts.has(size)) texts.set(size, `{"content":[{"type":"text","text":"${'x'.repeat(size)}"}]}`);
  return texts.get(size);
}
