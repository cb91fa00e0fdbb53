// One request that waits for an outcome, and what its client may see meanwhile.
import type { Frame } from '../jsonrpc/frame.ts';
import type { ModernRequest } from '../protocol/modern-request.ts';
import { toModernLogMessage, toModernProgress } from '../translate/progress-up.ts';
import type { Session } from '../session/session.ts';
import type { LogLevels } from './log-levels.ts';
import type { Outcome, Responder } from './outcome.ts';

/** One request that waits for an outcome. */
export class Waiter {
  readonly request: ModernRequest;
  readonly responder: Responder;
  private release: () => void = () => undefined;
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
    const params = logLevel === undefined ? undefined : toModernLogMessage(frame, logLevel);
    if (params !== undefined) this.responder.notify('notifications/message', params);
  }

  /** Holds the log level that the request wants at a session, until it is released. */
  useLevel(levels: LogLevels, session: Session): void {
    const { logLevel } = this.request;
    this.release();
    if (logLevel !== undefined) this.release = levels.acquire(session, logLevel);
  }

  releaseLevel(): void {
    this.release();
    this.release = () => undefined;
  }

  answer(outcome: Outcome): void {
    this.releaseLevel();
    this.responder.answer(outcome);
  }
}
