/** One JSON line an event; the sink is given by the entry, so that tests can read what was logged. */

/** Severities, least first. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = typeof LOG_LEVELS[number];

/** Writes structured lines; values must hold no secrets. */
export interface Logger {
  log(level: LogLevel, event: string, values?: Record<string, unknown>): void;
}

/** A logger that drops what is below `level` and hands one JSON line to `write`. */
export function createLogger(options: {
  level: LogLevel;
  now: () => number;
  write: (line: string) => void;
}): Logger {
  const least = LOG_LEVELS.indexOf(options.level);
  return {
    log(level, event, values = {}): void {
      if (LOG_LEVELS.indexOf(level) < least) return;
      options.write(JSON.stringify({ time: new Date(options.now()).toISOString(), level, event, ...values }));
    },
  };
}
