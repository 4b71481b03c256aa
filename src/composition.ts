/** From a configuration to what the application and its background work are made of; the same in every entry. */

import { type Context, SERVICE_ACTOR } from "./auth/mod.ts";
import type { AppOptions } from "./app_options.ts";
import { systemClock } from "./base/clock.ts";
import type { Logger } from "./base/log.ts";
import type { Config } from "./config/mod.ts";
import type { Database } from "./db/mod.ts";
import { mapOf } from "./domain/registry.ts";

/** What an entry has opened itself. */
export interface Opened {
  readonly config: Config;
  readonly database: Database;
  readonly log: Logger;
}

/** The application's options. */
export function appOptions({ config, database, log }: Opened): AppOptions {
  const { settings, trustedProxies, corsOrigins, maxBodyBytes, rateLimit, graphqlIntrospection, baseUrl } =
    config;
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
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
}

/** What verbs need when the service itself acts; each has a request id of its own. */
export function serviceContext({ config, database, log }: Opened): Context {
  return {
    actor: SERVICE_ACTOR,
    database,
    clock: systemClock,
    settings: config.settings,
    log,
    requestId: crypto.randomUUID(),
    baseUrl: config.baseUrl ?? `http://${config.host}:${config.port}`,
    mapOf,
  };
}
