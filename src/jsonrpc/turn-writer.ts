// Writes frames to a stream of lines: the first of a turn at once, so that a reader that takes one line a read gets one;
// those that follow in the same turn together, as a system call costs more than a frame.
import type { Writable } from 'node:stream';
import { text, type Chunks } from './frame.ts';
import { writeChunks } from './write-chunks.ts';

const lineFeed = text('\n');

export class TurnWriter {
  private readonly stream: Writable;
  private isGathering = false;

  constructor(stream: Writable) {
    this.stream = stream;
  }

  /** Writes one frame as one line. */
  write(frame: Chunks): void {
    writeChunks(this.stream, [...frame, lineFeed]);
    if (this.isGathering) return;
    this.isGathering = true;
    this.stream.cork();
    queueMicrotask(() => {
      this.isGathering = false;
      this.stream.uncork();
    });
  }
}
