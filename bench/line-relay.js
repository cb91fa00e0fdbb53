// What the guard holds small calls on stdio against: reads each message as a value, swaps the id, checks nothing. It
// spends its time as a bridge does, where a pipe only makes system calls, whose price differs more between machines.
import { spawn } from 'node:child_process';

const [command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map();
let lastId = 0;

relay(process.stdin, server.stdin, (message) => {
  lastId += 1;
  waiting.set(lastId, message.id);
  return { ...message, id: lastId };
});

relay(server.stdout, process.stdout, (message) => {
  const id = waiting.get(message.id);
  waiting.delete(message.id);
  return { ...message, id };
});

process.stdin.on('end', () => server.stdin.end());

function relay(input, output, change) {
  let rest = '';
  input.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    output.write(lines.map((line) => `${JSON.stringify(change(JSON.parse(line)))}\n`).join(''));
  });
}
