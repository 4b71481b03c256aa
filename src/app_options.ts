/**
 * The parts of the application (provided by an entry point or a test), and the data of each request that
 * handlers use.
 */

import type { Actor, Context, Settings, VerifyAccessToken } from "./auth/mod.ts";
import type { Context as HonoContext } from "hono";
import type { BodyLimits, RequestBody } from "./base/body_bytes.ts";
import type { Clock } from "./base/clock.ts";
import type { AppError } from "./base/errors.ts";
import type { Logger } from "./base/log.ts";
import type { Peers } from "./base/peers.ts";
import type { Database } from "./db/mod.ts";
import type { Send } from "./http/mod.ts";
import type { Probe } from "./probe/mod.ts";
import { mapOf } from "./domain/registry.ts";

/** The dependencies and options of {@link createApp}. */
export interface AppOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: Settings;
  /**
   * Origin of absolute URLs, without a trailing slash. If absent, it is taken from the `Host` of each
   * request.
   */
  readonly baseUrl?: string;
  /** Addresses and networks whose `X-Forwarded-For`, `-Proto` and `-Host` are trusted. */
  readonly trustedProxies: readonly string[];
  /** Origins whose pages may call the API from a browser. If empty, there are no CORS headers at all. */
  readonly corsOrigins: readonly string[];
  /** Maximum size of a request body in bytes. */
  readonly maxBodyBytes: number;
  /** Replaces the limits of request bodies, for tests. */
  readonly bodyLimits?: BodyLimits;
  /** Maximum number of requests per client and minute; 0 for no limit. */
  readonly rateLimit: number;
  /** The other workers of this service; absent if this process serves alone. */
  readonly peers?: Peers;
  /** Reads the numbers of the process, for the metrics. */
  readonly processNumbers?: () => ProcessNumbers;
  /** Reads the certificates of servers; absent if the platform has no sockets. */
  readonly probe?: Probe;
  /** Sends requests to OpenID Connect providers. */
  readonly send?: Send;
  /** Verifies access tokens of providers. If absent, only the service's own tokens are accepted. */
  readonly verifyAccessToken?: VerifyAccessToken;
  /** Whether GraphQL answers introspection queries; true by default. */
  readonly graphqlIntrospection?: boolean;
}

/** Numbers about the process that only the entry point can read. */
export interface ProcessNumbers {
  /** Bytes of resident memory, and of the JavaScript heap in use. */
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Number of log lines that were dropped because their reader was too slow. */
  readonly logLinesDropped: number;
}

/** The sender of a request. */
export interface Client {
  /** Source address; null if unknown. */
  readonly address: string | null;
  /** Origin at which the client reached the service. */
  readonly origin: string;
}

/** What the listener knows about a connection. */
export interface ConnectionInfo {
  readonly remoteAddr?: { readonly hostname?: string } | undefined;
}

/** Variables that the middleware sets on every request (`c.get("client")`). */
export interface Variables {
  client: Client;
  requestId: string;
  /** The body of the request. */
  body: RequestBody;
  /** Path template (`/api/…/{id}/`) for the log, the metrics and the trace. The handler sets it. */
  route?: string;
  /** The caller's name, for the log. The handler sets it when the caller is known. */
  username?: string;
}

/** Data of a request before it is routed: its connection, and its parsed URL. */
export interface Bindings extends ConnectionInfo {
  readonly url: URL;
  /** Why no handler may process the request (invalid host, unknown method, oversized query). */
  readonly refusal?: AppError;
}

/** Hono's types for this application. */
export interface AppEnv {
  Bindings: Bindings;
  Variables: Variables;
}

/** Returns the context in which operations run for a request and its actor. */
export function contextOf(options: AppOptions, c: HonoContext<AppEnv>, actor: Actor): Context {
  const { database, clock, log, settings, probe, send } = options;
  const { origin, address } = c.get("client");
  const client = { address, userAgent: c.req.header("user-agent") ?? "" };
  return {
    actor,
    database,
    clock,
    log,
    settings,
    requestId: c.get("requestId"),
    baseUrl: origin,
    mapOf,
    ...(probe === undefined ? {} : { probe }),
    ...(send === undefined ? {} : { send }),
    client,
  };
}
