// The rooms of src/ and the arrows between them, as ARCHITECTURE.md draws them.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const src = join(root, 'src');

/** What each room may import, beside itself and the files at the top of src/. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  cli: [
    'faces',
    'bridge',
    'relay',
    'oauth',
    'translate',
    'continuation',
    'session',
    'upstream',
    'protocol',
    'jsonrpc',
  ],
  faces: ['bridge', 'relay', 'protocol', 'jsonrpc'],
  bridge: ['translate', 'continuation', 'session', 'upstream', 'protocol', 'jsonrpc'],
  relay: ['upstream', 'protocol', 'jsonrpc'],
  oauth: ['upstream'],
  translate: ['protocol', 'jsonrpc'],
  continuation: [],
  session: ['upstream', 'protocol', 'jsonrpc'],
  upstream: ['jsonrpc'],
  protocol: ['jsonrpc'],
  jsonrpc: [],
};
const topFiles = ['clock.ts', 'errors.ts', 'index.ts', 'log.ts'];
/** Only the port is a room's business; which transport is behind it is cli's. */
const ports: Readonly<Record<string, string>> = {
  bridge: 'port.ts',
  session: 'port.ts',
  relay: 'port.ts',
  oauth: 'credentials.ts',
};
const vagueNames = /(?:^|[-/])(?:utils?|helpers?|common|misc|manager|service)(?:[-./]|$)/;

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}

const files = filesBelow(src).map((file) => ({
  file: relative(src, file),
  text: readFileSync(file, 'utf8'),
}));
const roomOf = (file: string): string | undefined => (file.includes('/') ? file.split('/')[0] : undefined);

function importsOf({ file, text }: { file: string; text: string }): string[] {
  const found = [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, path]) => path!);
  return found.map((path) => relative(src, join(src, dirname(file), path)));
}

function mayImport(room: string | undefined, imported: string): boolean {
  const other = roomOf(imported);
  if (other === undefined || other === room) return true;
  if (room === undefined || !arrows[room]!.includes(other)) return false;
  return other !== 'upstream' || ports[room] === undefined || imported === `upstream/${ports[room]}`;
}

describe('src/', () => {
  it('has the rooms that are listed, and no other', () => {
    const entries = readdirSync(src);
    expect(entries.filter((entry) => !entry.endsWith('.ts')).sort()).toEqual(Object.keys(arrows).sort());
    expect(entries.filter((entry) => entry.endsWith('.ts')).sort()).toEqual(topFiles);
  });

  it('imports along the arrows only', () => {
    // What the package offers comes from all rooms.
    const inRooms = files.filter(({ file }) => file !== 'index.ts');
    const breaches = inRooms.flatMap(({ file, text }) => {
      const room = roomOf(file);
      return importsOf({ file, text })
        .filter((imported) => !mayImport(room, imported))
        .map((imported) => `${file} imports ${imported}`);
    });
    expect(breaches).toEqual([]);
  });

  it('has files with plain names, a first line that says their job, and no more than 400 lines', () => {
    for (const { file, text } of files) {
      expect(file).not.toMatch(vagueNames);
      expect(text.split('\n', 1)[0], file).toMatch(/^\/\/ \S/);
      expect(text.split('\n').length, file).toBeLessThanOrEqual(400);
    }
  });

  it('leaves the process to cli/', () => {
    const outside = files.filter(({ file }) => roomOf(file) !== 'cli');
    const touching = outside.filter(({ text }) =>
      /process\.(?:argv|env|exit|on\(|stdin|stdout|stderr)/.test(text),
    );
    expect(touching.map(({ file }) => file)).toEqual([]);
  });

  it('imports packages that are installed with it', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const imported = files.flatMap(({ text }) =>
      [...text.matchAll(/(?:from|import\()\s*'((?!\.|node:)(?:@[^/']+\/)?[^/']+)/g)].map(([, name]) => name!),
    );
    expect([...new Set(imported)].sort()).toEqual(Object.keys(dependencies).sort());
  });

  it('runs nothing of the official client but its OAuth functions, from one file', () => {
    const uses = files.filter(({ text }) =>
      [...text.matchAll(/import (?!type\b)([^;]+?) from '@modelcontextprotocol\/client'/g)].some(
        ([, names]) => /^(?!type )[\w{]/.test(names!),
      ),
    );
    expect(uses.map(({ file }) => file)).toEqual(['oauth/authorize.ts']);
    const names = /import \{([^}]+)\} from '@modelcontextprotocol\/client'/.exec(uses[0]!.text)![1]!;
    const values = names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '));
    expect(values).toEqual(['auth', 'extractWWWAuthenticateParams']);
  });

  it('keeps translate/ pure: no clock, no randomness, no I/O, no log', () => {
    const impure = /Date\.|Math\.random|node:|setTimeout|\blog\./;
    const inRoom = files.filter(({ file }) => roomOf(file) === 'translate');
    expect(
      inRoom
        .filter(({ text }) => impure.test(text.replace(/\/\/.*|\/\*\*[^]*?\*\//g, '')))
        .map(({ file }) => file),
    ).toEqual([]);
  });
});

describe('documents', () => {
  it('docs/errors.md has a line for every reason, and no other', () => {
    const reasons = [...readFileSync(join(src, 'errors.ts'), 'utf8').matchAll(/^ {2}\| '(\w+)'/gm)].map(
      ([, name]) => name,
    );
    const lines = [...readFileSync(join(root, 'docs/errors.md'), 'utf8').matchAll(/^\| `(\w+)` \|/gm)].map(
      ([, name]) => name,
    );
    expect(lines.sort()).toEqual(reasons.sort());
  });

  it('README.md has a line for every option of the command line', () => {
    const flags = [
      ...readFileSync(join(src, 'cli/flags.ts'), 'utf8').matchAll(
        /(?:'--|(?:duration|count)\('|list\('--)([a-z][a-z-]+)/g,
      ),
    ].map(([, name]) => `--${name}`);
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    expect(flags.length).toBeGreaterThan(25);
    expect(flags.filter((flag) => !readme.includes(`\`${flag}`))).toEqual([]);
  });

  it('name nothing that users do not have', () => {
    for (const name of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'])
      expect(readFileSync(join(root, name), 'utf8'), name).not.toMatch(/\.\.\/shared|\/work\//);
  });
});
