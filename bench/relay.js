// The floor for HTTP in front of stdio: reads the envelope, swaps the id, checks nothing. Legacy frames pass as they are.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const [command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map();
let lastId = 0;

createInterface({ input: server.stdout }).on('line', (line) => {
  const message = JSON.parse(line);
  const exchange = waiting.get(message.id);
  waiting.delete(message.id);
  exchange?.({ ...message, id: 1 });
});

function ask(message, answer) {
  lastId += 1;
  waiting.set(lastId, answer);
  server.stdin.write(`${JSON.stringify({ ...message, id: lastId })}\n`);
}

const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'relay', version: '1' },
};
ask({ jsonrpc: '2.0', method: 'initialize', params: initialize }, () => {
  server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  listener.listen(0, '127.0.0.1', () =>
    console.log(`listening on http://127.0.0.1:${listener.address().port}/mcp`),
  );
});

const listener = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () =>
    ask(JSON.parse(body), (message) => {
      const text = JSON.stringify(message);
      response
        .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
        .end(text);
    }),
  );
});
