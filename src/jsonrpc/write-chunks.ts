// Writes a frame to a stream as one write, or piece by piece where joining the pieces first would copy too much.
import type { Writable } from 'node:stream';
import { join, sizeOf, type Chunks } from './frame.ts';

/** More than this is written piece by piece. */
export const maxJoinedBytes = 64 * 1024;

const maxBacklogBytes = 1024 * 1024;

/** The reader is so far behind that what can be left out should be. */
export function isBacklogged(stream: Writable): boolean {
  return stream.writableLength > maxBacklogBytes;
}

export function writeChunks(stream: Writable, chunks: Chunks): void {
  if (sizeOf(chunks) <= maxJoinedBytes) {
    stream.write(join(chunks));
    return;
  }
  stream.cork();
  for (const chunk of chunks) stream.write(chunk);
  stream.uncork();
}
