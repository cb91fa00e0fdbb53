// The real logger: pino on stderr, and only there, as stdout belongs to the protocol.
import { createRequire } from 'node:module';
import type { Writable } from 'node:stream';
import type Pino from 'pino';
import type { DestinationStream, Logger as PinoLogger } from 'pino';
import type * as PinoPretty from 'pino-pretty';
import { silentLogger, type Logger } from '../log.ts';

export interface LoggerOptions {
  readonly level: string;
  readonly format: 'json' | 'pretty';
  /** Whether messages are logged whole, with all that is in them. */
  readonly hasPayloads: boolean;
}

/** What a reader of the log that has stopped reading may leave lying. */
const maxUnreadBytes = 1024 * 1024;
const maxPayloadBytes = 16 * 1024;

/** The values of `--log-level`; nothing is written at the first and the last. */
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];
const load = createRequire(import.meta.url);

/** A logger whose libraries are loaded with its first line, as they take longer than all else at the start. */
export interface LazyLogger extends Logger {
  /** Loads them while there is nothing better to do. */
  readonly prepare: () => void;
}

/** Logs to `stream`. Nobody ever waits for it: lines that its reader does not take are left out, and counted. */
export function createLogger(options: LoggerOptions, stream: Writable): LazyLogger {
  let made: PinoLogger | undefined;
  const logger = (): PinoLogger => (made ??= createPino(options, stream));
  const writer = (level: 'debug' | 'info' | 'warn' | 'error'): Logger['info'] =>
    isOn(level, options.level)
      ? (fields, message) => {
          logger()[level](fields, message);
        }
      : silentLogger.info;
  const [debug, info, warn, error] = [writer('debug'), writer('info'), writer('warn'), writer('error')];
  const prepare = (): void => {
    if (isOn('info', options.level)) logger();
  };
  const all = { debug, info, warn, error, prepare };
  return options.hasPayloads ? { ...all, payload: payloadWriter(info) } : all;
}

function isOn(level: string, lowest: string): boolean {
  return levels.indexOf(level) >= levels.indexOf(lowest);
}

function createPino({ level, format }: LoggerOptions, stream: Writable): PinoLogger {
  const pino = load('pino') as typeof Pino;
  const toLine = format === 'json' ? asIs : (load('pino-pretty') as typeof PinoPretty).prettyFactory({});
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, unhurried(stream, toLine));
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

function payloadWriter(info: Logger['info']): NonNullable<Logger['payload']> {
  return (way, chunks) => {
    const bytes = Buffer.concat(chunks);
    const payload = bytes.toString('utf8', 0, maxPayloadBytes);
    info({ payload, bytes: bytes.length }, way);
  };
}
