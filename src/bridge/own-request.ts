// A request that the bridge makes of its own accord: no client waits for it, and it does not wait for ever.
import type { Clock } from '../clock.ts';
import type { Chunks, Frame } from '../jsonrpc/frame.ts';
import type { Session } from '../session/session.ts';
import type { HeaderLines } from '../upstream/port.ts';

export interface OwnRequestOptions {
  readonly clock: Clock;
  readonly patienceMs: number;
  /** As in `Link.send`. */
  readonly lines?: HeaderLines;
}

/** Resolves to the answer, or to why there is none: the server took too long, or the session is gone. */
export function ask(
  session: Session,
  build: (id: number) => Chunks,
  { clock, patienceMs, lines = {} }: OwnRequestOptions,
): Promise<Frame | 'late' | 'lost'> {
  return new Promise((resolve) => {
    const stop = clock.after(patienceMs, () => {
      session.cancel(id, 'The answer took too long');
      resolve('late');
    });
    const settle = (answer: Frame | 'lost'): void => {
      stop();
      resolve(answer);
    };
    const handlers = {
      onAnswer: settle,
      onLost: () => {
        settle('lost');
      },
    };
    const id = session.request(build, handlers, { isOwn: true, lines });
  });
}
