// The floor for HTTP in front of HTTP: reads the envelope, swaps the id, checks nothing. Kept connections both ways.
import { Agent, createServer, request as httpRequest } from 'node:http';

const { hostname, port, pathname } = new URL(process.argv[2]);
const agent = new Agent({ keepAlive: true });
let lastId = 0;

/** The frame in a body: JSON, or the data of its only event. */
const frameOf = (text) => JSON.parse(text.startsWith('{') ? text : text.slice(text.indexOf('data: ') + 6));

const listener = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    const message = JSON.parse(body);
    lastId += 1;
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const sent = httpRequest({ hostname, port, path: pathname, method: 'POST', headers, agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => (text += chunk));
      answer.on('end', () => {
        const out = JSON.stringify({ ...frameOf(text), id: message.id });
        response
          .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(out) })
          .end(out);
      });
    });
    sent.end(JSON.stringify({ ...message, id: lastId }));
  });
});
listener.listen(0, '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${listener.address().port}/mcp`),
);
