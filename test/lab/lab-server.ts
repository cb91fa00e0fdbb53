// The server of the laboratory as an upstream. Its processes are ended in haste.
import { fileURLToPath } from 'node:url';
import { silentLogger as log } from '../../src/log.ts';
import type { Upstream } from '../../src/upstream/port.ts';
import { createStdioUpstream } from '../../src/upstream/stdio.ts';

export function labServer(env: Readonly<Record<string, string>> = {}): Upstream {
  return createStdioUpstream({
    command: process.execPath,
    args: [fileURLToPath(new URL('server.js', import.meta.url))],
    env,
    cwd: undefined,
    maxMessageBytes: 1024 * 1024,
    log,
    hurry: AbortSignal.abort(),
  });
}
