/**
 * The parts of the application (given by an entry point or a test), and the data of each request that handlers use.
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
  /** Overrides the limits of request bodies, for tests. */
  readonly bodyLimits?: BodyLimits;
  /** Requests of one client in a minute; 0: no limit. */
  readonly rateLimit: number;
  /** The other workers of this service; absent: this process serves alone. */
  readonly peers?: Peers;
  /** Reads the numbers of the process, for the metrics. */
  readonly processNumbers?: () => ProcessNumbers;
  /** Asks servers for their certificates; absent where the platform has no sockets. */
  readonly probe?: Probe;
  /** Sends requests to OpenID Connect providers. */
  readonly send?: Send;
  /** Verifies access tokens of providers; absent: only the service's own tokens are accepted. */
  readonly verifyAccessToken?: VerifyAccessToken;
  /** Whether GraphQL answers introspection queries (default: yes). */
  readonly graphqlIntrospection?: boolean;
}

/** Numbers of the process that only its entry can read. */
export interface ProcessNumbers {
  /** Bytes of resident memory, and of the JavaScript heap in use. */
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Lines of the log that were dropped because their reader was too slow. */
  readonly logLinesDropped: number;
}

/** The sender of a request. */
export interface Client {
  /** Source address; null when not known. */
  readonly address: string | null;
  /** Origin under which the client reached the service. */
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
  /** Reads the request's body. */
  body: RequestBody;
  /** Template of the address (`/api/…/{id}/`), for the log, the metrics and the trace; set by the handler. */
  route?: string;
  /** Set by the handler once the caller is known; for the log. */
  username?: string;
}

/** Data of a request before it is routed: its connection, and its address, parsed once. */
export interface Bindings extends ConnectionInfo {
  readonly url: URL;
  /** Why no handler may see the request (invalid host, unknown method, oversized query). */
  readonly refusal?: AppError;
}

/** Hono's types for this application. */
export interface AppEnv {
  Bindings: Bindings;
  Variables: Variables;
}

/** The context in which operations run for a request and its actor. */
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
