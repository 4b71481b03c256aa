/** Numbers of this process, for the metrics. */

import type { ProcessNumbers } from "../app_options.ts";
import type { Clock } from "../base/clock.ts";
import type { LogSink } from "../base/log_sink.ts";

/** Returns a function that reads the current numbers. The start time is that of this call. */
export function processWatch(clock: Clock, log: Pick<LogSink, "dropped">): () => ProcessNumbers {
  const startedAt = clock.now();
  return () => {
    const { rss, heapUsed } = Deno.memoryUsage();
    return { residentBytes: rss, heapBytes: heapUsed, startedAt, logLinesDropped: log.dropped };
  };
}
