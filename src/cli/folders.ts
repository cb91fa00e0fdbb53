// Where programs of this system keep their files.
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from './child-env.ts';

/** For what must survive the process. */
export function stateFolder(environment: Environment): string {
  return folderOf(environment, 'XDG_STATE_HOME', join('.local', 'state'), 'Application Support');
}

/** For what can be found out again. */
export function cacheFolder(environment: Environment): string {
  return folderOf(environment, 'XDG_CACHE_HOME', '.cache', 'Caches');
}

function folderOf(environment: Environment, variable: string, usual: string, onMac: string): string {
  if (process.platform === 'win32') return environment['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local');
  const own = environment[variable];
  if (own?.startsWith('/') === true) return own;
  return join(homedir(), ...(process.platform === 'darwin' ? ['Library', onMac] : [usual]));
}
