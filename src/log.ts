// The logger as the rooms see it; cli/ makes the real one. Nothing of a payload, a header's value or an argument
// belongs into a log line: say which method, which id, how many bytes.

type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

export interface Logger {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

const ignore: Write = () => undefined;

export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
