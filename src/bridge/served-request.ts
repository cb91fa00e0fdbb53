// One request while the bridge serves it: whoever serves it may say what they will, its client gets one answer and
// nothing after it.
import type { Chunks } from '../jsonrpc/frame.ts';
import type { Logger } from '../log.ts';
import type { ModernRequest } from '../protocol/modern-request.ts';
import type { Caller, ListenResponder, Outcome } from './outcome.ts';

export class ServedRequest implements ListenResponder {
  readonly request: ModernRequest;
  readonly caller: Caller;
  isOver = false;
  /** It counts for what the bridge has on its hands. */
  isTakenOn = false;
  private readonly responder: ListenResponder;
  private readonly log: Logger;
  private readonly onOver: (served: ServedRequest) => void;

  /** `onOver` is called once: with the answer, or when the client gives the request up. */
  constructor(
    request: ModernRequest,
    caller: Caller,
    responder: ListenResponder,
    log: Logger,
    onOver: (served: ServedRequest) => void,
  ) {
    this.request = request;
    this.caller = caller;
    this.responder = responder;
    this.log = log;
    this.onOver = onOver;
    log.payload?.('from client', [request.frame.bytes]);
  }

  notify(method: string, params: Chunks): void {
    if (this.isOver) return;
    this.log.payload?.('to client', params);
    this.responder.notify(method, params);
  }

  answer(outcome: Outcome): void {
    if (this.isOver) return;
    this.log.payload?.('to client', outcome.body);
    this.finish();
    this.responder.answer(outcome);
  }

  canTakeMore(): boolean {
    return this.responder.canTakeMore();
  }

  onceDrained(run: () => void): void {
    this.responder.onceDrained(run);
  }

  /** Nothing more goes to the client. */
  finish(): void {
    this.isOver = true;
    this.onOver(this);
  }
}
