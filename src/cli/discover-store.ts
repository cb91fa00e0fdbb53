// Keeps what servers say of themselves in files, one for each way of starting one, readable by their owner alone.
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve, join } from 'node:path';
import type { DiscoverStore } from '../bridge/discovered.ts';
import type { Logger } from '../log.ts';
import type { UpstreamSettings } from './upstream-settings.ts';

/** Instructions may be long; an answer that is longer is not worth keeping. */
const maxBytes = 256 * 1024;

export function discoverStore(
  folder: string,
  upstream: UpstreamSettings,
  version: string,
  log: Logger,
): DiscoverStore {
  const identity = JSON.stringify([version, ...identityOf(upstream)]);
  const file = join(folder, `${createHash('sha256').update(identity).digest('hex').slice(0, 32)}.json`);
  const attempt = <Value>(run: () => Value): Value | undefined => {
    try {
      return run();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') log.debug({ code }, 'what servers say of themselves cannot be kept');
      return undefined;
    }
  };
  return {
    read: () => attempt(() => (statSync(file).size <= maxBytes ? readFileSync(file) : undefined)),
    write: (answer) => {
      attempt(() => {
        if (answer === undefined || answer.length > maxBytes) rmSync(file, { force: true });
        else replace(folder, file, answer);
      });
    },
  };
}

/** Names of variables and not their values, which may be secrets that change. */
function identityOf(upstream: UpstreamSettings): readonly unknown[] {
  if (upstream.kind === 'url') return ['url', upstream.url.href];
  const { command, args, cwd, env, inheritEnv } = upstream;
  return [
    'command',
    command,
    args,
    resolve(cwd ?? '.'),
    env.map((entry) => entry.split('=', 1)[0]),
    inheritEnv,
  ];
}

function replace(folder: string, file: string, answer: Buffer): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fresh = `${file}.${randomUUID()}`;
  writeFileSync(fresh, answer, { mode: 0o600, flag: 'wx' });
  renameSync(fresh, file);
}
