// What must outlive the process: registrations and tokens, one file for each server, readable by its owner alone, and a
// lock, as several bridges may share them and a refresh token may count only once.
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client';

export interface StoredAuthorization {
  readonly client?: StoredOAuthClientInformation | undefined;
  readonly tokens?: StoredOAuthTokens | undefined;
  /** Where the redirect of the registration leads. */
  readonly redirectPort?: number | undefined;
}

/** Where authorizations are kept. */
export interface AuthorizationStore {
  read(): StoredAuthorization;
  write(authorization: StoredAuthorization): void;
  /** Nobody else of the user's processes runs under this lock at the same time. */
  locked<Value>(run: () => Promise<Value>): Promise<Value>;
}

const lockPollMs = 100;
/** A process that holds the lock says so again within this time, or is gone. */
const staleLockMs = 15_000;
const lockRefreshMs = 5_000;

/** In memory, for one process. */
export function memoryStore(): AuthorizationStore {
  let stored: StoredAuthorization = {};
  return {
    read: () => stored,
    write: (authorization) => {
      stored = authorization;
    },
    locked: (run) => run(),
  };
}

/** `identity`: what the authorization is for, such as the server's URL and the client's id. */
export function fileStore(folder: string, identity: string): AuthorizationStore {
  const name = createHash('sha256').update(identity).digest('hex').slice(0, 32);
  const file = join(folder, `${name}.json`);
  const lock = `${file}.lock`;
  return {
    read: () => {
      try {
        return JSON.parse(readFileSync(file, 'utf8')) as StoredAuthorization;
      } catch {
        // Missing, or not ours to read: then there is nothing to use.
        return {};
      }
    },
    write: (authorization) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const fresh = `${file}.${randomUUID()}`;
      writeFileSync(fresh, JSON.stringify(authorization), { mode: 0o600, flag: 'wx' });
      renameSync(fresh, file);
    },
    locked: async (run) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      while (!take(lock)) await new Promise((resolve) => setTimeout(resolve, lockPollMs));
      const refresh = setInterval(() => {
        touch(lock);
      }, lockRefreshMs);
      try {
        return await run();
      } finally {
        clearInterval(refresh);
        rmSync(lock, { force: true });
      }
    },
  };
}

function take(lock: string): boolean {
  try {
    writeFileSync(lock, '', { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (isStale(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function touch(lock: string): void {
  try {
    writeFileSync(lock, '', { flag: 'r+' });
  } catch {
    // Taken away as stale: whoever took it has it now.
  }
}

function isStale(lock: string): boolean {
  try {
    return Date.now() - statSync(lock).mtimeMs > staleLockMs;
  } catch {
    return false;
  }
}
