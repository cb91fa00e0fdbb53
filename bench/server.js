// A legacy server on stdio that costs as little as it can.
import { resultOf } from './results.js';

let rest = '';

process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  let out = '';
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    const answer = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultOf(method, params)}}\n`;
    const sleep = params?.arguments?.sleep;
    if (sleep) setTimeout(() => process.stdout.write(answer), sleep);
    else out += answer;
  }
  if (out !== '') process.stdout.write(out);
});
