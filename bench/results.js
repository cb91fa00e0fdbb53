// What the bench's legacy server answers: a call gets as many bytes as its argument says.
const texts = new Map();

export function resultOf(method, params) {
  if (method === 'initialize')
    return '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}';
  if (method === 'tools/list') return '{"tools":[]}';
  if (method !== 'tools/call') return '{}';
  const { size = 100 } = params.arguments;
  if (!texts.has(size)) texts.set(size, `{"content":[{"type":"text","text":"${'x'.repeat(size)}"}]}`);
  return texts.get(size);
}
