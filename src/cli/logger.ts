// The real logger: pino on stderr, and only there, as stdout belongs to the protocol.
import pino, { type DestinationStream } from 'pino';
import type { Logger } from '../log.ts';

const stderr = 2;

export type LogFormat = 'json' | 'pretty';

export function createLogger(level: string, destination: DestinationStream): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

/** Writes are synchronous: the last words of a process are the ones that matter. */
export async function openDestination(format: LogFormat): Promise<DestinationStream> {
  if (format === 'json') return pino.destination({ dest: stderr, sync: true });
  const { default: pretty } = await import('pino-pretty');
  return pretty({ destination: stderr, sync: true });
}
