/** What the application is made of (given by an entry, or by a test), and what its surfaces are told of a request. */

import type { Actor, Context, Settings } from "./auth/mod.ts";
import type { BodyLimits, RequestBody } from "./base/body_bytes.ts";
import type { Clock } from "./base/clock.ts";
import type { Logger } from "./base/log.ts";
import type { Database } from "./db/mod.ts";
import { mapOf } from "./domain/registry.ts";

/** The dependencies and switches of {@link createApp}. */
export interface AppOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: Settings;
  /** Origin for absolute URLs, without a trailing slash; absent: taken from each request's `Host`. */
  readonly baseUrl?: string;
  /** Addresses (single or CIDR) whose `X-Forwarded-For`, `-Proto` and `-Host` count. */
  readonly trustedProxies: readonly string[];
  /** Origins that browsers may call from; empty: none (no CORS headers at all). */
  readonly corsOrigins: readonly string[];
  /** Bytes of a request body. */
  readonly maxBodyBytes: number;
  /** Other limits of bodies than the service's own, for tests. */
  readonly bodyLimits?: BodyLimits;
  /** Requests of one client in a minute; 0: no limit. */
  readonly rateLimit: number;
  /** What the entry knows of its process, for the metrics. */
  readonly processNumbers?: () => ProcessNumbers;
  /** Whether GraphQL tells its schema; it does unless told otherwise. */
  readonly graphqlIntrospection?: boolean;
}

/** What a process is worth to its watchers. */
export interface ProcessNumbers {
  /** Bytes of memory that the process has, and of the part that holds values. */
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Lines of the log that were dropped because their reader was too slow. */
  readonly logLinesDropped: number;
}

/** The far end of a request. */
export interface Client {
  /** Source address; null when not known. */
  readonly address: string | null;
  /** Origin under which the client reached the service. */
  readonly origin: string;
}

/** What a surface knows of a request beside the request itself. */
export interface Envelope {
  readonly client: Client;
  readonly requestId: string;
  readonly url: URL;
  /** Reads the request's body. */
  readonly body: RequestBody;
  /** Filled in once it is known, for the log and the metrics; `route` is the template of the address. */
  readonly note: { username?: string; route?: string };
}

/** The context of a request's verbs. */
export function contextOf(options: AppOptions, { client, requestId }: Envelope, actor: Actor): Context {
  const { database, clock, log, settings } = options;
  return { actor, database, clock, log, settings, requestId, baseUrl: client.origin, mapOf };
}
