// The real logger: pino on stderr, and only there, as stdout belongs to the protocol.
import type { Writable } from 'node:stream';
import pino, { type DestinationStream } from 'pino';
import type { Logger } from '../log.ts';

export interface LoggerOptions {
  readonly level: string;
  readonly format: 'json' | 'pretty';
  /** Whether messages are logged whole, with all that is in them. */
  readonly hasPayloads: boolean;
}

/** What a reader of the log that has stopped reading may leave lying. */
const maxUnreadBytes = 1024 * 1024;
const maxPayloadBytes = 16 * 1024;

/** Logs to `stream`. Nobody ever waits for it: lines that its reader does not take are left out, and counted. */
export async function createLogger(
  { level, format, hasPayloads }: LoggerOptions,
  stream: Writable,
): Promise<Logger> {
  const toLine = format === 'json' ? asIs : (await import('pino-pretty')).prettyFactory({});
  const logger = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    unhurried(stream, toLine),
  );
  return hasPayloads ? Object.assign(logger, { payload: payloadWriter(logger) }) : logger;
}

const asIs = (line: string): string => line;

function unhurried(stream: Writable, toLine: (line: string) => string): DestinationStream {
  let leftOutCount = 0;
  // Whoever closes the log loses it, and nothing else.
  stream.on('error', () => undefined);
  return {
    write(line) {
      if (stream.writableLength > maxUnreadBytes) {
        leftOutCount += 1;
        return;
      }
      if (leftOutCount > 0) stream.write(`(${String(leftOutCount)} lines of the log were left out)\n`);
      leftOutCount = 0;
      stream.write(toLine(line));
    },
  };
}

function payloadWriter(logger: Logger): NonNullable<Logger['payload']> {
  return (way, chunks) => {
    const bytes = Buffer.concat(chunks);
    const payload = bytes.toString('utf8', 0, maxPayloadBytes);
    logger.info({ payload, bytes: bytes.length }, way);
  };
}
