// Bodies that come compressed although nobody asked for it.
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

export interface BodyHandlers {
  readonly onData: (chunk: Buffer) => void;
  readonly onEnd: () => void;
  readonly onFailed: (reason: string) => void;
}

export interface Decoder {
  push(chunk: Buffer): void;
  end(): void;
  /** Nothing is told any more. */
  stop(): void;
}

/** Undefined where the body is what it is. An encoding that is not known fails at once, but not from inside. */
export function createDecoder(encoding: string | undefined, handlers: BodyHandlers): Decoder | undefined {
  const name = encoding?.trim().toLowerCase();
  if (name === undefined || name === '' || name === 'identity') return undefined;
  const stream = createStream(name);
  if (stream === undefined) return unknownEncoding(handlers);
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    stream.destroy();
  };
  stream.on('data', (chunk: Buffer) => {
    if (!isStopped) handlers.onData(chunk);
  });
  stream.on('end', () => {
    if (!isStopped) handlers.onEnd();
  });
  stream.on('error', () => {
    if (isStopped) return;
    stop();
    handlers.onFailed('the answer is compressed and cannot be read');
  });
  return {
    push: (chunk) => stream.write(chunk),
    end: () => stream.end(),
    stop,
  };
}

function createStream(name: string): Transform | undefined {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}

function unknownEncoding(handlers: BodyHandlers): Decoder {
  let isStopped = false;
  queueMicrotask(() => {
    if (!isStopped) handlers.onFailed('the answer is compressed in a way that is not known');
  });
  const ignore = (): void => undefined;
  return {
    push: ignore,
    end: ignore,
    stop: () => {
      isStopped = true;
    },
  };
}
