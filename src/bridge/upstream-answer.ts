// What a legacy answer means for whoever waits for it.
import { BridgeError } from '../errors.ts';
import { find, type Frame } from '../jsonrpc/frame.ts';
import { internalError } from '../protocol/error-codes.ts';
import type { Method } from '../protocol/methods.ts';
import { paramBytes, type ModernRequest } from '../protocol/modern-request.ts';
import type { ServerProfile } from '../protocol/server-profile.ts';
import { toModernError } from '../translate/error-up.ts';
import { toModernResult, type CacheHints } from '../translate/result-up.ts';
import { resultShape } from '../translate/shapes.ts';
import { outcomeOf, type Outcome } from './outcome.ts';

/** Never kept by anyone: what one caller read is nobody else's. */
export const uncached: CacheHints = { ttlMs: 0, cacheScope: 'private' };

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
  return body === undefined ? outcomeOf(unreadable()) : { kind: 'result', body };
}

function unreadable(): BridgeError {
  return new BridgeError(internalError, 'upstream_response', 'The legacy server gave an unreadable answer');
}

export function timedOut(): BridgeError {
  return new BridgeError(internalError, 'request_timeout', 'The legacy server did not answer in time');
}

/** The session ended before the answer came; the request is not sent again. */
export function lostOutcome(reason: string): Outcome & { kind: 'error' } {
  return outcomeOf(
    new BridgeError(internalError, 'upstream_exited', `The legacy session is over: ${reason}`),
  );
}
