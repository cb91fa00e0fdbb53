// The one error type for what goes wrong inside the bridge. An upstream's own error is not one of these: it is
// translated and passed on.

/** Stable words for `data.reason`; each has a line in docs/errors.md. */
export type ErrorReason =
  | 'unparsable'
  | 'invalid_request'
  | 'duplicate_id'
  | 'invalid_params'
  | 'invalid_metadata'
  | 'unsupported_version'
  | 'header_mismatch'
  | 'unknown_method'
  | 'missing_capability'
  | 'request_state_invalid'
  | 'request_state_expired'
  | 'request_state_mismatch'
  | 'call_lost'
  | 'input_expired'
  | 'input_declined'
  | 'too_many_parked'
  | 'too_many_calls'
  | 'too_many_listens'
  | 'too_many_bytes'
  | 'too_many_sessions'
  | 'session_not_found'
  | 'unknown_task'
  | 'task_expired'
  | 'queue_timeout'
  | 'request_timeout'
  | 'upstream_unavailable'
  | 'upstream_exited'
  | 'upstream_no_answer'
  | 'upstream_response'
  | 'upstream_busy'
  | 'message_too_large'
  | 'too_slow'
  | 'headers_too_large'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'unsupported_media_type'
  | 'shutting_down'
  | 'internal';

export interface ErrorDetails {
  /** Further members of `data`, beside `source` and `reason`. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** HTTP status; 200 (in-band) unless the specification or HTTP names another. */
  readonly status?: number;
  readonly cause?: unknown;
}

/** `message` is shown to clients: short, without paths, URL queries or anything of the payload. */
export class BridgeError extends Error {
  readonly code: number;
  readonly reason: ErrorReason;
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: number, reason: ErrorReason, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'BridgeError';
    this.code = code;
    this.reason = reason;
    this.status = details.status ?? 200;
    this.data = { ...details.data, source: 'mcp-bridge', reason };
  }
}
