// The logger as the rooms see it; cli/ makes the real one. Nothing of a payload, a header's value or an argument
// belongs into a log line: say which method, which id, how many bytes.

type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

export interface Logger {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
  /** What a message says, whole or in pieces; there only where the user has asked for payloads. */
  readonly payload?: (way: PayloadWay, chunks: readonly Buffer[]) => void;
}

type PayloadWay = 'from client' | 'to client' | 'from server' | 'to server';

const ignore: Write = () => undefined;

export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** A fault of the bridge for the log: what and where, without its message, which may quote what a client has sent. */
export function faultOf(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { fault: typeof error };
  const { name, stack = '', code } = error as NodeJS.ErrnoException;
  return { fault: name, code, at: stack.split('\n').filter((line) => /^\s+at /.test(line)) };
}
