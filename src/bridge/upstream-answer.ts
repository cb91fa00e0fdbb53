// What a legacy answer means for whoever waits for it.
import { find, type Frame } from '../jsonrpc/frame.ts';
import type { Capabilities } from '../protocol/client-capabilities.ts';
import type { Method } from '../protocol/methods.ts';
import { paramBytes, type ModernRequest } from '../protocol/modern-request.ts';
import type { ServerProfile } from '../protocol/server-profile.ts';
import { toModernError } from '../translate/error-up.ts';
import { isErrorResult, toModernResult, type CacheHints } from '../translate/result-up.ts';
import { resultShape } from '../translate/shapes.ts';
import { outcomeOf, type Outcome } from './outcome.ts';
import { missingCapability, unreadableAnswer } from '../protocol/refusals.ts';

/** Never kept by anyone: what one caller read is nobody else's. */
export const uncached: CacheHints = { ttlMs: 0, cacheScope: 'private' };

/** The same for a call that may have lacked something of its client: if it failed, that is the reason. */
export function finalAnswerOf(
  frame: Frame,
  request: ModernRequest,
  method: Method,
  profile: ServerProfile,
  missing: Capabilities,
): Outcome {
  const outcome = answerOf(frame, request, method, profile, undefined);
  const isMissing = Object.keys(missing).length > 0;
  if (!isMissing || (outcome.kind === 'result' && !isErrorResult(frame))) return outcome;
  return outcomeOf(missingCapability(missing));
}

export function answerOf(
  frame: Frame,
  request: ModernRequest,
  method: Method,
  profile: ServerProfile,
  hints: CacheHints | undefined,
): Outcome {
  const hasResult = find(frame.members, 'result') !== undefined;
  if (!hasResult && find(frame.members, 'error') !== undefined) {
    const uri = method.nameParam === 'uri' ? paramBytes(request, 'uri') : undefined;
    return { kind: 'error', body: toModernError(frame, uri), status: 200 };
  }
  const body = toModernResult(frame, {
    serverInfo: profile.serverInfo,
    hints: method.isCacheable ? (hints ?? uncached) : undefined,
    shape: resultShape(method.name, method.kind),
  });
  return body === undefined ? outcomeOf(unreadableAnswer()) : { kind: 'result', body };
}
