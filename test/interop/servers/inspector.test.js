// The Inspector's command line as a client of either era, over both faces. It declares no elicitation.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { newerNode } from '../../support/pinned.js';
import { faces, startHttp, stdioCommand } from '../bridged.js';
import { modulesOf } from './catalogue.js';

const server = [process.execPath, fileURLToPath(new URL('../../fixtures/features.js', import.meta.url))];
const launcher = join(
  modulesOf('inspector'),
  '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
);

const toolCall = ['--method', 'tools/call', '--tool-name', 'add', '--tool-arg', 'a=1', 'b=2'];

async function run(target, era, args) {
  const child = spawn(newerNode(), [launcher, '--cli', ...target, '--protocol-era', era, ...args]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, output };
}

async function inspect(face, era, ...args) {
  const http = face === 'http' ? await startHttp(server) : undefined;
  // The inspector reads options behind its target as its own, so the server goes into one option of the bridge.
  const { command, args: all } = stdioCommand(server);
  const stdio = [command, all[0], '--log-level', 'error', '--upstream', server.join(' ')];
  const target = http === undefined ? stdio : [http.url.href];
  const result = await run(target, era, args);
  await http?.stop();
  return result;
}

const eras = ['modern', 'legacy'];

describe.each(faces.flatMap((face) => eras.map((era) => [face, era])))('over %s, %s', (face, era) => {
  it('lists and calls', async () => {
    expect((await inspect(face, era, '--method', 'tools/list')).output).toContain('"elicit-form"');
    const add = await inspect(face, era, ...toolCall);
    expect(add).toMatchObject({ code: 0, output: expect.stringContaining('"text": "3"') });
  });
});

it('both eras at once before one bridge', async () => {
  const http = await startHttp(server);
  const results = await Promise.all([...eras, ...eras].map((era) => run([http.url.href], era, toolCall)));
  await http.stop();
  for (const result of results)
    expect(result).toMatchObject({ code: 0, output: expect.stringContaining('"text": "3"') });
});

describe.each(faces)('over %s', (face) => {
  it('is told what it lacks when it would have to be asked', async () => {
    const { code, output } = await inspect(
      face,
      'modern',
      '--method',
      'tools/call',
      '--tool-name',
      'elicit-form',
    );
    expect(code).not.toBe(0);
    // It shows the message of -32021 and not the code.
    expect(output).toContain('does not support what this needs: elicitation');
  });
});
