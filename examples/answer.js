// What both example clients share: the metadata of every modern request, and the answer to a question.

export const metadata = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'example-client', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};

/** Says yes to every yes-or-no question of a form; a real client would ask its user here. */
function answer({ method, params }) {
  if (method !== 'elicitation/create') throw new Error(`cannot answer ${method}`);
  const content = {};
  for (const [name, { type }] of Object.entries(params.requestedSchema.properties))
    content[name] = type === 'boolean' ? true : 'an answer';
  return { action: 'accept', content };
}

/**
 * Calls a tool through `request(method, params)`. While the result asks for input, the same call is sent again with
 * the answers and the request state as it came.
 */
export async function callTool(request, name, args) {
  const call = { name, arguments: args };
  let result = await request('tools/call', call);
  while (result.resultType === 'input_required') {
    const { inputRequests = {}, requestState } = result;
    const inputResponses = Object.fromEntries(
      Object.entries(inputRequests).map(([key, question]) => [key, answer(question)]),
    );
    result = await request('tools/call', { ...call, inputResponses, requestState });
  }
  return result;
}

/** The same short visit over either face; throws if anything is not as it should be. */
export async function visit(request) {
  const { supportedVersions } = await request('server/discover', {});
  const { tools } = await request('tools/list', {});
  const { content } = await callTool(request, 'delete_note', { name: 'shopping' });
  console.log(
    `The server speaks ${supportedVersions.join()}, has ${tools.map(({ name }) => name).join(' and ')},`,
  );
  console.log(`and said: ${content[0].text}`);
  if (content[0].text !== 'Deleted "shopping".')
    throw new Error('the old server did not do what it was asked to');
}
