// Installs pinned packages beside the project, not among its dependencies: the outside referee, published servers.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../.interop/', import.meta.url));

/** Installs exactly these versions in a folder of their own, once, and returns the folder. */
export function install(name, dependencies, overrides = {}) {
  const folder = join(root, name);
  const manifest = JSON.stringify({ private: true, dependencies, overrides }, null, 2);
  const marker = join(folder, 'installed.json');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === manifest) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), manifest);
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts', '--no-package-lock'];
  execFileSync(npm, ['install', ...quiet], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  writeFileSync(marker, manifest);
  return folder;
}

/** A Node of 22 or newer, for tools that need one: this one, or the plain binary that a package holds. */
export function newerNode() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  return join(install('node', { [name]: '22.23.3' }), 'node_modules', name, 'bin', 'node');
}
