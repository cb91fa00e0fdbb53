// What a retry must repeat to be a retry: the method and its salient params, never `_meta`, as a retry comes with
// another progress token.
import { createHash } from 'node:crypto';
import { compact } from '../jsonrpc/compact.ts';
import { slice } from '../jsonrpc/frame.ts';
import type { Member } from '../jsonrpc/scan.ts';
import { paramBytes, type ModernRequest } from '../protocol/modern-request.ts';

const salient = ['name', 'uri', 'arguments'] as const;

export function digestOfRequest(request: ModernRequest): string {
  const hash = createHash('sha256').update(request.method);
  for (const name of salient) {
    const bytes = paramBytes(request, name);
    hash.update(`\0${name}\0`);
    if (bytes !== undefined) hash.update(compact(bytes));
  }
  return hash.digest('base64url');
}

/** Of the answers that a retry brings: the same retry has the same. */
export function digestOfAnswers(request: ModernRequest): string {
  const answers: Member | undefined = request.inputResponses;
  const bytes = answers === undefined ? Buffer.from('{}') : compact(slice(request.frame.bytes, answers));
  return createHash('sha256').update(bytes).digest('base64url');
}
