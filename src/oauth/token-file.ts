// What must outlive the process: registrations and tokens, one file for each server, readable by its owner alone, and a
// lock, as several bridges may share them and a refresh token may count only once.
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
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
    writeFileSync(lock, String(process.pid), { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (isStale(lock)) breakLock(lock);
    return false;
  }
}

function touch(lock: string): void {
  try {
    const now = new Date();
    utimesSync(lock, now, now);
  } catch {
    // Taken away as stale: whoever took it has it now.
  }
}

/** Moved away first: somebody else may have broken it meanwhile, and then this one is not stale. */
function breakLock(lock: string): void {
  const aside = `${lock}.${randomUUID()}`;
  try {
    renameSync(lock, aside);
    if (isStale(aside)) rmSync(aside, { force: true });
    else renameSync(aside, lock);
  } catch {
    // It is gone already.
  }
}

/** Its owner has ended without a word, as clients end the process that they only try, or does not answer for it. */
function isStale(lock: string): boolean {
  try {
    return (
      Date.now() - statSync(lock).mtimeMs > staleLockMs || !isRunning(Number(readFileSync(lock, 'utf8')))
    );
  } catch {
    return false;
  }
}

/** A number that is not there yet is a lock that is being made. */
function isRunning(pid: number): boolean {
  if (pid === 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
