/** What this process knows of itself, for the metrics. */

import type { ProcessNumbers } from "../app_options.ts";
import type { Clock } from "../base/clock.ts";
import type { LogSink } from "../base/log_sink.ts";

/** Gives a function that looks at the process now; the start is when this is called. */
export function processWatch(clock: Clock, log: Pick<LogSink, "dropped">): () => ProcessNumbers {
  const startedAt = clock.now();
  return () => {
    const { rss, heapUsed } = Deno.memoryUsage();
    return { residentBytes: rss, heapBytes: heapUsed, startedAt, logLinesDropped: log.dropped };
  };
}
