// Files that the user names.
import { readFileSync } from 'node:fs';
import { UsageError } from './usage-error.ts';

/** The text of the file that `option` names. */
export function readText(file: string, option: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new UsageError(`${option}: the file cannot be read`);
  }
}
