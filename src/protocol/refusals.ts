// The errors that the bridge itself gives to requests, one maker each. docs/errors.md has a line for every reason.
import { BridgeError, type ErrorReason } from '../errors.ts';
import {
  internalError,
  invalidParams,
  methodNotFound,
  missingClientCapability,
  invalidRequest,
  unsupportedVersion,
} from './error-codes.ts';
import type { Capabilities } from './client-capabilities.ts';
import { servedVersions } from './versions.ts';

/** spec 2026-07-28 basic/versioning#protocol-version-negotiation */
export function wrongVersion(requested: string): BridgeError {
  return new BridgeError(unsupportedVersion, 'unsupported_version', 'Unsupported protocol version', {
    status: 400,
    data: { supported: servedVersions, requested },
  });
}

export function unknownMethod(): BridgeError {
  return new BridgeError(methodNotFound, 'unknown_method', 'Method not found', { status: 404 });
}

export function shuttingDown(): BridgeError {
  return new BridgeError(internalError, 'shutting_down', 'The bridge is shutting down', { status: 503 });
}

/** spec 2026-07-28 basic/patterns/mrtr#server-requirements (4), (5) */
export function refusedState(
  reason: 'request_state_invalid' | 'request_state_expired' | 'request_state_mismatch',
): BridgeError {
  const why = {
    request_state_invalid: 'is not one of this bridge',
    request_state_expired: 'has expired',
    request_state_mismatch: 'belongs to another request',
  };
  return new BridgeError(invalidParams, reason, `The request state ${why[reason]}`);
}

/** The call that asked is over, and it is not run again. */
export function callLost(): BridgeError {
  return new BridgeError(invalidParams, 'call_lost', 'The call that asked is over; call again to start anew');
}

/** spec 2026-07-28 basic/index#meta: what was needed and not declared. */
export function missingCapability(requiredCapabilities: Capabilities): BridgeError {
  const names = Object.keys(requiredCapabilities).join(', ');
  const message = `The client does not support what this needs: ${names}`;
  const details = { data: { requiredCapabilities }, status: 400 };
  return new BridgeError(missingClientCapability, 'missing_capability', message, details);
}

export function timedOut(): BridgeError {
  return new BridgeError(internalError, 'request_timeout', 'The legacy server did not answer in time');
}

export function queueTimeout(): BridgeError {
  const advice = 'give callers tokens, or raise --max-sessions';
  return new BridgeError(internalError, 'queue_timeout', `Another caller's call is asking: ${advice}`);
}

/** Not 429: the call has run in part, and whoever sends a refused request again by itself would run it anew. */
export function tooManyParked(): BridgeError {
  return new BridgeError(internalError, 'too_many_parked', 'Too many calls wait for input');
}

type Whose = 'of one caller' | 'of all callers';

export function tooManyCalls(whose: Whose): BridgeError {
  return overLimit('too_many_calls', `Too many calls ${whose} are in flight`, whose);
}

export function tooManyListens(whose: Whose): BridgeError {
  return overLimit('too_many_listens', `Too many listen streams ${whose} are open`, whose);
}

export function tooManyUris(limit: number): BridgeError {
  const message = `A listen stream takes up to ${String(limit)} resources`;
  return new BridgeError(invalidParams, 'invalid_params', message, { status: 400 });
}

export function tooManyBytes(): BridgeError {
  return overLimit('too_many_bytes', 'The requests in flight are too large together', 'of all callers');
}

/** The request has not been looked at: it may be sent again. */
function overLimit(reason: ErrorReason, message: string, whose: Whose): BridgeError {
  return new BridgeError(internalError, reason, message, { status: whose === 'of one caller' ? 429 : 503 });
}

export function upstreamBusy(): BridgeError {
  const message = 'The legacy server does not take requests at the moment';
  return new BridgeError(internalError, 'upstream_busy', message, { status: 503 });
}

export function inputExpired(): BridgeError {
  return new BridgeError(internalError, 'input_expired', 'The question was not answered in time');
}

export function unreadableAnswer(): BridgeError {
  return new BridgeError(internalError, 'upstream_response', 'The legacy server gave an unreadable answer');
}

/** There is no answer to this one, and the request is not sent again: it may have run. */
export function noAnswer(reason: string): BridgeError {
  return new BridgeError(internalError, 'upstream_no_answer', `The legacy server gave no answer: ${reason}`);
}

/** The same for all that was in flight. */
export function exited(reason: string): BridgeError {
  return new BridgeError(internalError, 'upstream_exited', `The legacy session is over: ${reason}`);
}

export function duplicateId(): BridgeError {
  return new BridgeError(invalidRequest, 'duplicate_id', 'A request with this id is still in flight', {
    status: 400,
  });
}

/** spec 2025-11-25 basic/transports#session-management (3) */
export function sessionNotFound(): BridgeError {
  return new BridgeError(invalidRequest, 'session_not_found', 'There is no such session; initialize again', {
    status: 404,
  });
}

/** SEP-2663 #protocol-errors */
export function unknownTask(): BridgeError {
  return new BridgeError(invalidParams, 'unknown_task', 'There is no such task');
}

export function taskExpired(): BridgeError {
  return new BridgeError(internalError, 'task_expired', 'The task has taken too long');
}

export function tooManySessions(): BridgeError {
  return overLimit('too_many_sessions', 'Too many legacy sessions are open', 'of all callers');
}
