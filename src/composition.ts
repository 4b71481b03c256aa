/**
 * Builds the application and its background work from a configuration, in the same way for every entry point.
 */

import { type Context, SERVICE_ACTOR } from "./auth/mod.ts";
import type { AppOptions } from "./app_options.ts";
import { systemClock } from "./base/clock.ts";
import type { Logger } from "./base/log.ts";
import type { Config } from "./config/mod.ts";
import type { Database } from "./db/mod.ts";
import { accessTokenVerifier } from "./domain/accounts/oidc/on_demand.ts";
import { mapOf } from "./domain/registry.ts";
import type { Send } from "./http/mod.ts";
import type { Probe } from "./probe/mod.ts";

/** Parts that the entry point opens. */
export interface ServiceParts {
  readonly config: Config;
  readonly database: Database;
  readonly log: Logger;
  /** Reads the certificates of servers; absent if the platform has no sockets. */
  readonly probe?: Probe;
  /** Sends requests to OpenID Connect providers, and to the hosts that certificates name; absent for commands. */
  readonly send?: Send;
}

/** Returns the options of the application. */
export function appOptions({ config, database, log, probe, send }: ServiceParts): AppOptions {
  const { settings, trustedProxies, corsOrigins, maxBodyBytes, rateLimit, graphqlIntrospection, baseUrl } =
    config;
  const sending = send === undefined ? {} : { send };
  const deps = { ...sending, settings, clock: systemClock };
  const verifyAccessToken = accessTokenVerifier(settings.signIn.providers, deps);
  return {
    database,
    log,
    clock: systemClock,
    settings,
    trustedProxies,
    corsOrigins,
    maxBodyBytes,
    rateLimit,
    graphqlIntrospection,
    ...sending,
    ...(verifyAccessToken === undefined ? {} : { verifyAccessToken }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(probe === undefined ? {} : { probe }),
  };
}

/** Returns a context of the service itself, with a new request id. */
export function serviceContext({ config, database, log, probe, send }: ServiceParts): Context {
  return {
    actor: SERVICE_ACTOR,
    database,
    clock: systemClock,
    settings: config.settings,
    log,
    requestId: crypto.randomUUID(),
    baseUrl: config.baseUrl ?? `http://${config.host}:${config.port}`,
    mapOf,
    ...(probe === undefined ? {} : { probe }),
    ...(send === undefined ? {} : { send }),
  };
}
