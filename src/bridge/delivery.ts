// One leg of a call towards its client: the first request, or one retry with its answers. Several requests may wait
// for it, when a client presents the same retry again; all get the same outcome, which is kept for a while.
import type { Frame } from '../jsonrpc/frame.ts';
import type { ModernRequest } from '../protocol/modern-request.ts';
import { toModernLogMessage, toModernProgress } from '../translate/progress-up.ts';
import type { Outcome, Responder } from './outcome.ts';

/** One request that waits for an outcome. */
export class Waiter {
  readonly request: ModernRequest;
  readonly responder: Responder;
  /** Set when the request has a log level at the session. */
  releaseLevel: () => void = () => undefined;
  private progress = Number.NEGATIVE_INFINITY;

  constructor(request: ModernRequest, responder: Responder) {
    this.request = request;
    this.responder = responder;
  }

  /** Passes progress on under the request's own token, if it asked and the value has grown. */
  onProgress(frame: Frame): void {
    const { progressToken } = this.request;
    if (progressToken === undefined) return;
    const progress = toModernProgress(frame, progressToken.text);
    if (progress === undefined || progress.value <= this.progress) return;
    this.progress = progress.value;
    this.responder.notify('notifications/progress', progress.params);
  }

  onLogMessage(frame: Frame): void {
    const { logLevel } = this.request;
    const params = logLevel && toModernLogMessage(frame, logLevel);
    if (params !== undefined) this.responder.notify('notifications/message', params);
  }

  answer(outcome: Outcome): void {
    this.releaseLevel();
    this.responder.answer(outcome);
  }
}

export class Delivery {
  /** Digest of the answers that this leg brought; another set of answers is another retry. */
  readonly answersDigest: string;
  readonly waiters = new Set<Waiter>();
  outcome: Outcome | undefined;
  settledAt = 0;

  constructor(answersDigest: string, first: Waiter) {
    this.answersDigest = answersDigest;
    this.waiters.add(first);
  }

  get isSettled(): boolean {
    return this.outcome !== undefined;
  }

  /** Waits for the outcome, or gets it at once. */
  join(waiter: Waiter): void {
    if (this.outcome === undefined) this.waiters.add(waiter);
    else waiter.answer(this.outcome);
  }

  settle(outcome: Outcome, now: number): void {
    this.outcome = outcome;
    this.settledAt = now;
    const waiters = [...this.waiters];
    this.waiters.clear();
    for (const waiter of waiters) waiter.answer(outcome);
  }
}
