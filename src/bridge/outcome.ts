// How a request ends, without the id of whoever waits for it: one outcome may answer several.
import { BridgeError } from '../errors.ts';
import { toBytes, type Chunks } from '../jsonrpc/frame.ts';
import { internalError } from '../protocol/error-codes.ts';
import { exited, noAnswer } from '../protocol/refusals.ts';
import type { Loss } from '../session/requests.ts';

export type Outcome =
  | { readonly kind: 'result'; readonly body: Chunks }
  /** `status` is the HTTP status if nothing has been written yet; 200 means in-band. */
  | { readonly kind: 'error'; readonly body: Chunks; readonly status: number };

/** Who waits for a request; made by a face, which knows the request's id and how to write to its client. */
export interface Responder {
  /** A notification that belongs to the request, before its answer. Left out for a reader that is far behind. */
  readonly notify: (method: string, params: Chunks) => void;
  /** The answer, once. */
  readonly answer: (outcome: Outcome) => void;
}

/** Who listens; unlike other answers a stream of events can be longer than its reader is quick. */
export interface ListenResponder extends Responder {
  /** Whether what was written so far has gone out. */
  readonly canTakeMore: () => boolean;
  readonly onceDrained: (run: () => void) => void;
}

/** The one place where an error becomes an answer. What is not a `BridgeError` is not told to clients. */
export function outcomeOf(error: unknown): Outcome & { kind: 'error' } {
  const known =
    error instanceof BridgeError
      ? error
      : new BridgeError(internalError, 'internal', 'The bridge failed to serve this request', {
          cause: error,
        });
  const { code, message, data, status } = known;
  return { kind: 'error', body: [toBytes({ code, message, data })], status };
}

/** What a lost request is answered with. */
export function lost({ kind, reason }: Loss): Outcome {
  return outcomeOf(kind === 'request' ? noAnswer(reason) : exited(reason));
}

/** Who presents a request. */
export interface Caller {
  /** Calls of one domain are known to be of the same party; questions may go to any of them. */
  readonly domain: string;
  /** Bound into request states: another principal cannot continue the call. */
  readonly principal: string;
}
