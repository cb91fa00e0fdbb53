// The Inspector's command line as a modern client, over both faces. It declares no elicitation.
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

async function inspect(face, ...args) {
  const http = face === 'http' ? await startHttp(server) : undefined;
  // The inspector reads options behind its target as its own, so the server goes into one option of the bridge.
  const { command, args: all } = stdioCommand(server);
  const stdio = [command, all[0], '--log-level', 'error', '--upstream', server.join(' ')];
  const target = http === undefined ? stdio : [http.url.href];
  const child = spawn(newerNode(), [launcher, '--cli', ...target, '--protocol-era', 'modern', ...args]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  await http?.stop();
  return { code, output };
}

describe.each(faces)('over %s', (face) => {
  it('lists and calls', async () => {
    expect((await inspect(face, '--method', 'tools/list')).output).toContain('"elicit-form"');
    const add = await inspect(
      face,
      '--method',
      'tools/call',
      '--tool-name',
      'add',
      '--tool-arg',
      'a=1',
      'b=2',
    );
    expect(add).toMatchObject({ code: 0, output: expect.stringContaining('"text": "3"') });
  });

  it('is told what it lacks when it would have to be asked', async () => {
    const { code, output } = await inspect(face, '--method', 'tools/call', '--tool-name', 'elicit-form');
    expect(code).not.toBe(0);
    // It shows the message of -32021 and not the code.
    expect(output).toContain('does not support what this needs: elicitation');
  });
});
