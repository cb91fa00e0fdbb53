// What the bench's legacy servers answer: a call gets as many bytes as its argument says.
const texts = new Map();

const tool = (number) =>
  `{"name":"tool-${number}","description":"${'d'.repeat(100)}","inputSchema":{"type":"object","properties":{"size":{"type":"number"}}}}`;
const tools = `{"tools":[${Array.from({ length: 20 }, (_, index) => tool(index)).join(',')}]}`;
const started =
  '{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"bench","version":"1"}}';

export function resultOf(method, params) {
  if (method === 'initialize') return started;
  if (method === 'tools/list') return tools;
  if (method !== 'tools/call') return '{}';
  const { size = 100 } = params.arguments;
  if (!texts.has(size)) texts.set(size, `{"content":[{"type":"text","text":"${'x'.repeat(size)}"}]}`);
  return texts.get(size);
}
