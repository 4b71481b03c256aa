/** The application: its interfaces on Hono's router, with the middleware that they share. */

import { Hono, type MiddlewareHandler } from "hono";
import { requestId } from "hono/request-id";
import type { AppEnv, AppOptions, ConnectionInfo } from "./app_options.ts";
import { BodyBudget } from "./base/body_bytes.ts";
import { AppError, notFound, stackOf } from "./base/errors.ts";
import { BODY_BUDGET_BYTES, RETRY_AFTER_S } from "./base/limits.ts";
import { logRefusal } from "./base/log_failure.ts";
import { checkReadiness, MIGRATIONS } from "./db/mod.ts";
import { createMetrics, createRequestMetrics } from "./metrics/mod.ts";
import {
  admit,
  checkRequest,
  compress,
  cors,
  createRateLimiter,
  defaultHeaders,
  isApi,
  lengthOfHead,
  MethodSafeRouter,
  MONITORED,
  observe,
  receive,
  type Step,
} from "./middleware/mod.ts";
import { createRest, defect, operationTable, refusal } from "./rest/mod.ts";

/** How long `/readyz` waits for the database, in milliseconds. Probes usually give up after two seconds. */
const READINESS_TIMEOUT_MS = 1_500;

export type { ConnectionInfo } from "./app_options.ts";

/** The application that an entry point serves. */
export interface App {
  readonly fetch: (request: Request, info?: ConnectionInfo) => Promise<Response>;
  /** Number of bytes that request bodies occupy in memory now. */
  readonly bodyBytes: () => number;
  /**
   * Loads the pages before the first request, because their files may change on disk while the process runs.
   */
  readonly loadPages: () => Promise<void>;
}

/**
 * Creates the application. It consists of three Hono applications with the same middleware: GraphQL and the
 * pages are loaded at their first request, so that the start is quicker and the process smaller if they are
 * not used.
 */
export function createApp(options: AppOptions): App {
  const requests = createRequestMetrics();
  const { peers, clock } = options;
  const bodies = new BodyBudget({
    // The largest body that the operator allows must fit. Several workers share the memory of a machine.
    budgetBytes: Math.max(BODY_BUDGET_BYTES / (peers?.workers ?? 1), 2 * options.maxBodyBytes),
    ...options.bodyLimits,
  });
  const middleware = chain(
    // Clients cannot choose the id, because operators search the log by it.
    requestId({ headerName: "" }),
    receive(options, bodies),
    observe(options.log, requests),
    complete(lengthOfHead, defaultHeaders(), compress(), cors(options.corsOrigins)),
  );
  const admission = admit(
    createRateLimiter(options.rateLimit, peers === undefined ? undefined : { peers, clock }),
    clock,
  );
  const serve = (routes: Hono<AppEnv>): Hono<AppEnv> => {
    const app = new Hono<AppEnv>({
      getPath: (_, given) => given?.env?.url.pathname ?? "/",
      router: new MethodSafeRouter(),
    });
    app.use(middleware, admission);
    app.onError((error, c) => answerError(options, { error, requestId: c.get("requestId"), url: c.req.url }));
    app.notFound((c) => {
      if (isApi(c.env.url)) c.set("route", "/api/*");
      return refusal(notFound());
    });
    return app.route("/", routes);
  };
  const api = serve(createRest(options, operationTable()).route("/", watching(options, requests)));
  const graphql = once(async () => serve((await import("./graphql/mod.ts")).createGraphql(options)));
  const pages = once(async () => serve((await import("./web/mod.ts")).createWeb(options)));

  return {
    bodyBytes: () => bodies.held,
    async loadPages(): Promise<void> {
      await pages();
    },
    async fetch(request, info): Promise<Response> {
      const checked = checkRequest(request);
      const { pathname } = checked.url;
      const app = isApi(checked.url) || MONITORED.has(pathname)
        ? api
        : /^\/graphql(?:\/|$)/.test(pathname)
        ? await graphql()
        : await pages();
      return await app.fetch(request, { ...info, ...checked });
    },
  };
}

/**
 * Joins middleware into one. Hono looks up and composes each registered middleware for every request, which
 * costs as much as the fastest requests themselves. If one of them throws, the later parts of those before it
 * are skipped.
 */
function chain(...middleware: readonly MiddlewareHandler<AppEnv>[]): MiddlewareHandler<AppEnv> {
  return middleware.reduceRight((inner, outer) => (c, next) =>
    outer(c, async () => {
      await inner(c, next);
    })
  );
}

/** Runs steps on each response in their order. */
function complete(...steps: readonly Step[]): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    await next();
    for (const step of steps) {
      const pending = step(c);
      if (pending !== undefined) await pending;
    }
  };
}

/** Returns a function that calls `load` once, at its first call. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => loading ??= load();
}

/** Registers the paths that monitoring polls. */
function watching(options: AppOptions, requests: ReturnType<typeof createRequestMetrics>): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.get("/healthz", (c) => {
    c.set("route", "/healthz");
    return new Response("ok\n");
  });
  routes.get("/readyz", (c) => {
    c.set("route", "/readyz");
    return readyz(options);
  });
  const metrics = createMetrics(options, requests);
  routes.all("/metrics", (c, next) => {
    c.set("route", "/metrics");
    return metrics(c, next);
  });
  return routes;
}

/** Returns whether requests can be served: the database responds and has the schema of this release. */
async function readyz({ database, log }: AppOptions): Promise<Response> {
  const headers = { "cache-control": "no-store" };
  const found = await checkReadiness(database, MIGRATIONS, { limitMs: READINESS_TIMEOUT_MS });
  if (found === undefined) return new Response("ready\n", { headers });
  const { reason, cause } = found;
  log.log("warn", "not ready", { reason, ...(cause === undefined ? {} : { cause: String(cause) }) });
  const status = { status: 503, headers: { ...headers, "retry-after": String(RETRY_AFTER_S) } };
  return new Response(`${reason}\n`, status);
}

/** Answers a refusal with its reason, and a defect with the id under which it is logged. */
function answerError(
  { log }: AppOptions,
  { error, requestId, url }: { error: Error; requestId: string; url: string },
): Response {
  if (error instanceof AppError) {
    logRefusal(log, { error, request_id: requestId });
    return refusal(error, { codes: /[?&]error_format=codes(?:&|$)/.test(url) });
  }
  log.log("error", "defect", { request_id: requestId, error: stackOf(error) });
  return defect(requestId);
}
