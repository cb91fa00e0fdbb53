// Installs pinned packages beside the project, not among its dependencies: the outside referee, published servers.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../.interop/', import.meta.url));

/**
 * Installs exactly these versions in a folder of their own, once, and returns the folder. It is there as a whole or not at
 * all, whoever else installs the same at the same time.
 */
export function install(name, dependencies, overrides = {}) {
  const manifest = JSON.stringify({ private: true, dependencies, overrides }, null, 2);
  const version = createHash('sha256').update(manifest).digest('hex').slice(0, 8);
  const folder = join(root, `${name}-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(root, { recursive: true });
  const work = mkdtempSync(join(root, 'installing-'));
  try {
    writeFileSync(join(work, 'package.json'), manifest);
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts', '--no-package-lock'];
    execFileSync(npm, ['install', ...quiet], { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] });
    renameSync(work, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

/** A Node of 22 or newer, for tools that need one: this one, or the plain binary that a package holds. */
export function newerNode() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  return join(install('node', { [name]: '22.23.3' }), 'node_modules', name, 'bin', 'node');
}
