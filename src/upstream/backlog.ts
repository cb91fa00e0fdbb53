// How much waits for a server that does not read. Requests are held back before they come here; what the bridge has to
// write all the same, such as answers to pings, is little, but a server may ask for it without end.

const maxBytes = 16 * 1024 * 1024;

export class Backlog {
  private readonly waitingBytes: () => number;
  private overdueBytes = 0;

  constructor(waitingBytes: () => number) {
    this.waitingBytes = waitingBytes;
  }

  /** Whoever can wait should. */
  get isFull(): boolean {
    return this.waitingBytes() > maxBytes;
  }

  /** A frame of that size is to be written. False when the server must be given up instead. */
  mayTake(bytes: number): boolean {
    this.overdueBytes = this.isFull ? this.overdueBytes + bytes : 0;
    return this.overdueBytes <= maxBytes;
  }
}
