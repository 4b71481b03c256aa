/** The application: the surfaces in order, and what is common to every answer. */

import { type Context as HonoContext, Hono } from "hono";
import type { AppOptions, Envelope } from "./app_options.ts";
import { AppError } from "./base/errors.ts";
import { createGraphql } from "./graphql/mod.ts";
import {
  API_HEADERS,
  createRateLimiter,
  createSurface,
  defect,
  operationTable,
  readClient,
  refusal,
  withHeaders,
} from "./rest/mod.ts";
import { createWeb } from "./web/mod.ts";

/** What an entry serves. */
export interface App {
  readonly fetch: (request: Request, info?: ConnectionInfo) => Promise<Response>;
}

/** What the listener knows of a connection. */
export interface ConnectionInfo {
  readonly remoteAddr?: { readonly hostname?: string } | undefined;
}

type Bindings = { Bindings: { envelope: Envelope } };

/** Puts the application together. */
export function createApp(options: AppOptions): App {
  const hono = new Hono<Bindings>();
  const api = createSurface(options, operationTable());
  const toApi = (c: HonoContext<Bindings>): Promise<Response> => api(c.req.raw, c.env.envelope);
  const graphql = createGraphql(options);
  const toGraphql = (c: HonoContext<Bindings>): Promise<Response> => graphql(c.req.raw, c.env.envelope);
  const web = createWeb(options);
  hono.get("/healthz", () => new Response("ok\n"));
  hono.all("/api", toApi);
  hono.all("/api/*", toApi);
  hono.all("/graphql", toGraphql);
  hono.all("/graphql/*", toGraphql);
  hono.all("*", (c) => web(c.req.raw, c.env.envelope));
  hono.onError((error) => {
    throw error;
  });
  const limit = createRateLimiter(options.rateLimit);

  return {
    async fetch(request, info): Promise<Response> {
      const started = performance.now();
      const url = new URL(request.url);
      const requestId = crypto.randomUUID();
      const { trustedProxies, baseUrl } = options;
      const client = readClient(request, {
        remote: info?.remoteAddr?.hostname ?? null,
        trustedProxies,
        baseUrl,
        url,
      });
      const envelope: Envelope = { client, requestId, url, note: {} };
      const response = await answer(hono, request, { envelope, options, limit });
      withHeaders(response, {
        "x-request-id": requestId,
        ...(url.pathname.startsWith("/api")
          ? API_HEADERS
          : url.pathname.startsWith("/graphql")
          ? DATA
          : PLAIN),
      });
      allowOrigin(request, response, options.corsOrigins);
      options.log.log("info", "request", {
        request_id: requestId,
        method: request.method,
        path: url.pathname,
        status: response.status,
        duration_ms: Math.round((performance.now() - started) * 1000) / 1000,
        address: client.address,
        ...envelope.note,
      });
      return response;
    },
  };
}

/** Of GraphQL's answers: as the API's, but they are not that API's. */
const { "api-version": _, ...DATA } = API_HEADERS;
const PLAIN = { "x-content-type-options": "nosniff" };

async function answer(
  hono: Hono<Bindings>,
  request: Request,
  { envelope, options, limit }: {
    envelope: Envelope;
    options: AppOptions;
    limit: (client: string, now: number) => void;
  },
): Promise<Response> {
  try {
    if (isPreflight(request)) return new Response(null, { status: 204 });
    limit(envelope.client.address ?? "", options.clock.now());
    return await hono.fetch(request, { envelope });
  } catch (error) {
    if (error instanceof AppError) {
      if (error.cause !== undefined) {
        options.log.log("debug", "refusal", { request_id: envelope.requestId, cause: String(error.cause) });
      }
      return refusal(error);
    }
    options.log.log("error", "defect", {
      request_id: envelope.requestId,
      error: error instanceof Error ? error.stack ?? error.message : String(error),
    });
    return defect(envelope.requestId);
  }
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
    response.headers.set("access-control-expose-headers", "etag, location, retry-after, x-request-id");
    return;
  }
  response.headers.set("access-control-allow-methods", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
  response.headers.set(
    "access-control-allow-headers",
    "authorization, content-type, if-match, if-none-match",
  );
  response.headers.set("access-control-max-age", "600");
}
