// The levels of `notifications/message`, from the most to the least verbose. spec 2026-07-28 server/utilities/logging

const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type LogLevel = (typeof logLevels)[number];

export function isLogLevel(value: unknown): value is LogLevel {
  return logLevels.some((level) => level === value);
}

/** Whether a message of this level is to be shown to a request that asked for `wanted`. */
export function isAtLeast(level: LogLevel, wanted: LogLevel): boolean {
  return logLevels.indexOf(level) >= logLevels.indexOf(wanted);
}

export function mostVerbose(levels: Iterable<LogLevel>): LogLevel | undefined {
  const used = new Set(levels);
  return logLevels.find((level) => used.has(level));
}
