/** The application: the surfaces in order, and what is common to every answer. */

import { type Context as HonoContext, Hono } from "hono";
import type { AppOptions, Envelope } from "./app_options.ts";
import { BodyBudget } from "./base/body_bytes.ts";
import { AppError, stackOf } from "./base/errors.ts";
import { BODY_BUDGET_BYTES, READINESS_TIMEOUT_MS, RETRY_AFTER_S } from "./base/limits.ts";
import { logRefusal } from "./base/log_failure.ts";
import { checkReadiness, type Database, MIGRATIONS } from "./db/mod.ts";
import { createMetrics, createRequestMetrics, nameSpan } from "./metrics/mod.ts";
import {
  API_HEADERS,
  createRateLimiter,
  createSurface,
  defect,
  isApi,
  operationTable,
  readClient,
  refusal,
  screenRequest,
  withHeaders,
} from "./rest/mod.ts";

/** What an entry serves. */
export interface App {
  readonly fetch: (request: Request, info?: ConnectionInfo) => Promise<Response>;
  /** Bytes that the bodies of requests hold in memory now. */
  readonly bodyBytes: () => number;
  /** Loads the pages before somebody asks for one: a process that lives long must not find their files changed. */
  readonly loadPages: () => Promise<void>;
}

/** What the listener knows of a connection. */
export interface ConnectionInfo {
  readonly remoteAddr?: { readonly hostname?: string } | undefined;
}

type Bindings = { Bindings: { envelope: Envelope } };
type Surface = (request: Request, envelope: Envelope) => Promise<Response>;

/** Puts the application together. */
export function createApp(options: AppOptions): App {
  const hono = new Hono<Bindings>();
  const api = createSurface(options, operationTable());
  const requests = createRequestMetrics();
  // The template of the address until a surface knows a narrower one.
  const at = (route: string, surface: Surface) => (c: HonoContext<Bindings>): Promise<Response> => {
    c.env.envelope.note.route = route;
    return surface(c.req.raw, c.env.envelope);
  };
  const graphql = once(async () => (await import("./graphql/mod.ts")).createGraphql(options));
  const toGraphql = at("/graphql/*", async (...asked) => await (await graphql())(...asked));
  hono.get("/healthz", at("/healthz", () => Promise.resolve(new Response("ok\n"))));
  hono.on(["GET", "HEAD"], "/readyz", at("/readyz", () => readyz(options)));
  hono.all("/metrics", at("/metrics", createMetrics(options, requests)));
  const web = once(async () => (await import("./web/mod.ts")).createWeb(options));
  hono.all("/graphql", toGraphql);
  hono.all("/graphql/*", toGraphql);
  hono.all("*", async (c) => await (await web())(c.req.raw, c.env.envelope));
  hono.onError((error) => {
    throw error;
  });
  const limit = createRateLimiter(options.rateLimit);
  // Names of methods are the client's: the API looks them up safely, a router for known ones does not.
  const dispatch: Surface = async (request, envelope) => {
    if (!isApi(envelope.url)) return await hono.fetch(request, { envelope });
    envelope.note.route = "/api/*";
    return await api(request, envelope);
  };
  const bodies = new BodyBudget({
    // One body of the size that an operator allows must fit.
    budgetBytes: Math.max(BODY_BUDGET_BYTES, 2 * options.maxBodyBytes),
    ...options.bodyLimits,
  });

  return {
    bodyBytes: () => bodies.held,
    async loadPages(): Promise<void> {
      await web();
    },
    async fetch(request, info): Promise<Response> {
      const started = performance.now();
      const { url, refusal: rejected } = screenRequest(request);
      const requestId = crypto.randomUUID();
      const { trustedProxies, baseUrl } = options;
      const client = readClient(request, {
        remote: info?.remoteAddr?.hostname ?? null,
        trustedProxies,
        baseUrl,
        url,
      });
      const body = bodies.bodyOf(request);
      const envelope: Envelope = { client, requestId, url, body, note: {} };
      requests.entered();
      const response = await answer(dispatch, request, { envelope, options, limit, rejected });
      body.release();
      withHeaders(response, {
        "x-request-id": requestId,
        ...(url.pathname.startsWith("/api")
          ? API_HEADERS
          : url.pathname.startsWith("/graphql")
          ? DATA
          : PLAIN),
      });
      withHeaders(response, ageOf(options.database));
      allowOrigin(request, response, options.corsOrigins);
      const { method } = request;
      const { status } = response;
      const ms = performance.now() - started;
      const { route } = envelope.note;
      requests.answered({ method, route, status, seconds: ms / 1000 });
      await nameSpan({ method, route, requestId });
      options.log.log("info", "request", {
        request_id: requestId,
        method,
        path: url.pathname,
        status,
        duration_ms: Math.round(ms * 1000) / 1000,
        address: client.address,
        ...envelope.note,
      });
      return response;
    },
  };
}

/** Loads a surface when it is first needed: the start is sooner, and the process smaller where nobody asks. */
function once(load: () => Promise<Surface>): () => Promise<Surface> {
  let loading: Promise<Surface> | undefined;
  return () => loading ??= load();
}

/** Of GraphQL's answers: as the API's, but they are not that API's. */
const { "api-version": _, ...DATA } = API_HEADERS;
/** Whoever watches the service must not be throttled with others of its address, nor use up what they may ask. */
const UNLIMITED: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);
const PLAIN = { "x-content-type-options": "nosniff" };

async function answer(
  dispatch: Surface,
  request: Request,
  { envelope, options, limit, rejected }: {
    envelope: Envelope;
    options: AppOptions;
    limit: (client: string, now: number) => void;
    rejected: AppError | undefined;
  },
): Promise<Response> {
  try {
    if (rejected === undefined && isPreflight(request)) return new Response(null, { status: 204 });
    const { client, url } = envelope;
    if (!UNLIMITED.has(url.pathname)) limit(client.address ?? "", options.clock.now());
    if (rejected !== undefined) throw rejected;
    return await dispatch(request, envelope);
  } catch (error) {
    if (error instanceof AppError) {
      logRefusal(options.log, { error, request_id: envelope.requestId });
      return refusal(error);
    }
    options.log.log("error", "defect", {
      request_id: envelope.requestId,
      error: stackOf(error),
    });
    return defect(envelope.requestId);
  }
}

/** Whether requests can be served: the database answers and has the schema of this release. */
async function readyz({ database, log }: AppOptions): Promise<Response> {
  const headers = { "cache-control": "no-store" };
  const found = await checkReadiness(database, MIGRATIONS, { limitMs: READINESS_TIMEOUT_MS });
  if (found === undefined) return new Response("ready\n", { headers });
  const { reason, cause } = found;
  log.log("warn", "not ready", { reason, ...(cause === undefined ? {} : { cause: String(cause) }) });
  const status = { status: 503, headers: { ...headers, "retry-after": String(RETRY_AFTER_S) } };
  return new Response(`${reason}\n`, status);
}

/** What clients must know of answers from a copy whose server is away (RFC 9111 §5.1, RFC 7234 §5.5.1). */
function ageOf({ copy }: Database): Record<string, string> {
  if (copy === undefined || !copy.isStale) return {};
  return { "age": String(Math.ceil(copy.ageMs / 1_000)), "warning": '110 certmgr "Response is Stale"' };
}

function isPreflight(request: Request): boolean {
  return request.method === "OPTIONS" && request.headers.has("access-control-request-method");
}

/** Fetch standard, CORS protocol: only configured origins, credentials in the header only (no cookies). */
function allowOrigin(request: Request, response: Response, origins: readonly string[]): void {
  const origin = request.headers.get("origin");
  if (origin === null || !origins.includes(origin)) return;
  response.headers.set("access-control-allow-origin", origin);
  response.headers.append("vary", "Origin");
  if (!isPreflight(request)) {
    response.headers.set(
      "access-control-expose-headers",
      "age, etag, location, retry-after, warning, x-request-id",
    );
    return;
  }
  response.headers.set("access-control-allow-methods", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
  response.headers.set(
    "access-control-allow-headers",
    "authorization, content-type, if-match, if-none-match",
  );
  response.headers.set("access-control-max-age", "600");
}
