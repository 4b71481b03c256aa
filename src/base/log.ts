/**
 * Structured logging: one JSON line per event. The entry point provides the sink, so that tests can read the
 * log.
 */

/** Severities in ascending order. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = typeof LOG_LEVELS[number];

/** Writes structured lines. Values must not contain secrets. */
export interface Logger {
  log(level: LogLevel, event: string, values?: Record<string, unknown>): void;
}

/** Returns a logger that passes JSON lines to `write` and drops events below `level`. */
export function createLogger(options: {
  level: LogLevel;
  now: () => number;
  write: (line: string) => void;
  /** Number of the worker process, if there are several. */
  worker?: number | undefined;
}): Logger {
  const least = LOG_LEVELS.indexOf(options.level);
  return {
    log(level, event, values = {}): void {
      if (LOG_LEVELS.indexOf(level) < least) return;
      const time = new Date(options.now()).toISOString();
      options.write(JSON.stringify({ time, level, event, worker: options.worker, ...values }));
    },
  };
}
