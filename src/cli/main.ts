// Arguments in, exit code out. What serves is loaded only once it is clear that something will be served: help, version
// and wrong usage are answered at once.
import { readFileSync } from 'node:fs';
import type { Settings } from './settings.ts';
import { UsageError } from './usage-error.ts';

/** Runs the program. Resolves to its exit code: 0 clean, 1 a failure at run time, 2 wrong usage. */
export async function run(): Promise<number> {
  const version = packageVersion();
  // The one answer for which no option has to be known, and the library that knows them takes longer than all else.
  if (process.argv.length === 3 && process.argv[2] === '--version') {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const { parseSettings } = await import('./settings.ts');
  let settings: Settings;
  try {
    settings = parseSettings(process.argv.slice(2), process.env, version, {
      out: (text) => process.stdout.write(text),
      err: (text) => process.stderr.write(text),
    });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    if (error.message !== '') process.stderr.write(`error: ${error.message}\n`);
    return error.exitCode;
  }
  const { serve } = await import('./serve.ts');
  return serve(settings, version);
}

function packageVersion(): string {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(file) as { readonly version: string }).version;
}
