// POSTs of frames that have no answer: notifications, and answers to questions. What the server says to them is not
// read, only whether it took them.
import { isSuccess, type Answered } from './http-endpoint.ts';
import type { HttpLinkOptions } from './http-link.ts';

/** Whoever takes longer to say that it took a frame has not. */
const patienceMs = 60_000;
/** A server that asks for more without taking what it asked for gets no more. */
const maxOpen = 1000;

/** `status` 0: there was no response. */
export type Settled = (status: number, reason: string) => void;

export class NoticePosts {
  private readonly options: HttpLinkOptions;
  private readonly open = new Set<() => void>();

  constructor(options: HttpLinkOptions) {
    this.options = options;
  }

  /** `post` sends the frame and returns how to give it up. */
  send(post: (handlers: Answered) => () => void, onSettled: Settled): void {
    if (this.open.size >= maxOpen) {
      queueMicrotask(() => {
        onSettled(0, 'too much waits for the server');
      });
      return;
    }
    let answered = 0;
    let isSettled = false;
    const settle = (reason: string): void => {
      if (isSettled) return;
      isSettled = true;
      if (!isSuccess(answered)) this.reportRefusal(reason);
      onSettled(answered, reason);
    };
    const end = (reason: string): void => {
      stopTimer();
      this.open.delete(drop);
      settle(reason);
    };
    const giveUp = post({
      onHead: (status) => {
        answered = status;
        // The body is there by then, as a rule, and the connection free. Some servers announce more than they send.
        setImmediate(settle, `HTTP ${String(status)}`);
      },
      onData: () => undefined,
      onEnd: () => {
        end(`HTTP ${String(answered)}`);
      },
      onFailed: end,
    });
    const stopTimer = this.options.clock.after(patienceMs, () => {
      giveUp();
      end('no response');
    });
    const drop = (): void => {
      stopTimer();
      giveUp();
    };
    this.open.add(drop);
  }

  /** Gives up all that are open; nothing is told of them. */
  stop(): void {
    for (const drop of this.open) drop();
    this.open.clear();
  }

  private reportRefusal(reason: string): void {
    const { log, label } = this.options;
    log.warn({ upstream: label, reason }, 'server refused a notification or an answer');
  }
}
