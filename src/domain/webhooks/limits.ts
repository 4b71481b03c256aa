/** Limits of webhooks and their messages, with unit and reason. */

/**
 * Minimum and maximum length of a webhook's secret: at least 96 bits in base64, and more than 64 bytes in
 * base64.
 */
export const MIN_WEBHOOK_SECRET_CHARS = 16;
export const MAX_WEBHOOK_SECRET_CHARS = 200;
/** Maximum number of enabled webhooks, because each stores about 4 KB per matching event. */
export const MAX_WEBHOOKS = 100;
/** Maximum number of additional headers of a webhook, and maximum lengths of their names and values. */
export const MAX_WEBHOOK_HEADERS = 20;
export const MAX_WEBHOOK_HEADER_NAME_CHARS = 100;
export const MAX_WEBHOOK_HEADER_CHARS = 2_000;
/**
 * Number of webhooks whose conditions one statement evaluates. With a hundred comparisons each, it stays
 * below a megabyte.
 */
export const WEBHOOKS_PER_STATEMENT = 20;
/** Maximum number of concurrent webhook deliveries of a process, in total and per host. */
export const DELIVERY_SLOTS = 16;
export const DELIVERY_SLOTS_PER_HOST = 4;
/** Time limit of a delivery attempt. */
export const DELIVERY_TIMEOUT_MS = 10_000;
/** Interval of the search for due messages without a hint, such as those of other processes. */
export const DELIVERY_SWEEP_MS = 5_000;
/** Pauses after each failed attempt. After the last one, the message is dead. */
export const RETRY_PAUSES_MS = [
  5_000,
  30_000,
  120_000,
  600_000,
  3_600_000,
  3 * 3_600_000,
  8 * 3_600_000,
  24 * 3_600_000,
] as const;
/**
 * Random fraction that is added to a pause, so that messages that failed together are not retried together.
 */
export const RETRY_JITTER = 0.1;
/** Longest pause that a receiver may request by `Retry-After`. */
export const MAX_RETRY_AFTER_MS = 24 * 3_600_000;
/** Longest possible delay of a message. A message that is due later was stored while the clock was wrong. */
export const MAX_DELIVERY_DELAY_MS = 2 * MAX_RETRY_AFTER_MS;
/** Number of consecutive failures of a webhook after which only one message at a time is tried. */
export const BREAKER_FAILURES = 20;
/** Longest pause between two such attempts. */
export const MAX_PROBE_PAUSE_MS = 600_000;
/** Number of events dispatched at once: with their snapshots at most 20 MB. */
export const DISPATCH_BATCH = 200;
