#!/usr/bin/env node
// Stands between the bridge and a server and writes every frame of both to TAP_LOG, so that a reader can see them.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });

function pass(input, output, from) {
  createInterface({ input }).on('line', (line) => {
    appendFileSync(process.env.TAP_LOG, `${JSON.stringify({ from, line })}\n`);
    output.write(`${line}\n`);
  });
}

pass(process.stdin, server.stdin, 'bridge');
pass(server.stdout, process.stdout, 'server');
process.stdin.on('end', () => server.stdin.end());
server.on('exit', (code) => process.exit(code ?? 1));
