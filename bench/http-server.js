// The legacy server of server.js over Streamable HTTP: answers as JSON, or as an event with `events` as its argument.
import { createServer } from 'node:http';
import { resultOf } from './results.js';

const asEvents = process.argv[2] === 'events';
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const text = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultOf(method, params)}}`;
    if (asEvents)
      response
        .writeHead(200, { 'Content-Type': 'text/event-stream' })
        .end(`event: message\ndata: ${text}\n\n`);
    else
      response
        .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
        .end(text);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
