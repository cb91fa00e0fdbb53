// What clients have not read of their answers: bounded in time for each, and in bytes for all together. Whoever reads
// goes on; of those who do not, the one that holds the most is cut off first.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../log.ts';

export interface UnreadLimits {
  /** A client that takes nothing of what waits for it in this time is cut off. */
  readonly stallMs: number;
  /** How many bytes may wait for all clients together. */
  readonly maxHeldBytes: number;
  readonly log: Logger;
}

/** Less than this is not worth looking for. */
const minLookBytes = 64 * 1024;

export class Unread {
  private readonly limits: UnreadLimits;

  constructor(limits: UnreadLimits) {
    this.limits = limits;
  }

  /** Cuts the client off when it makes no progress. Node watches its write queue: whoever reads slowly does read. */
  watch(response: ServerResponse): void {
    response.setTimeout(this.limits.stallMs).on('timeout', this.onSilence);
  }

  /** So much waits for one client now. Makes room if that is too much together with what waits for all. */
  makeRoom(bytes: number, all: () => readonly ServerResponse[]): void {
    const { maxHeldBytes, log } = this.limits;
    if (bytes < minLookBytes) return;
    const open = all();
    let unread = open.reduce((sum, response) => sum + response.writableLength, 0);
    if (unread <= maxHeldBytes) return;
    for (const response of [...open].sort((a, b) => b.writableLength - a.writableLength)) {
      if (unread <= maxHeldBytes) return;
      const unreadBytes = response.writableLength;
      unread -= unreadBytes;
      log.warn({ unreadBytes }, 'too much waits for slow clients; one is cut off');
      response.destroy();
    }
  }

  /** A call that is silent has nothing to be read. */
  private readonly onSilence = (socket: Socket): void => {
    const unreadBytes = socket.writableLength;
    if (unreadBytes === 0) return;
    this.limits.log.warn({ unreadBytes }, 'a client does not read its answer; cut off');
    socket.destroy();
  };
}
