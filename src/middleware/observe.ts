/**
 * Logs and counts every request, and names the span that the runtime opens for it if tracing is enabled
 * (`OTEL_DENO=true`).
 */

import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../app_options.ts";
import type { Logger } from "../base/log.ts";
import type { RequestMetrics } from "../metrics/mod.ts";

/**
 * Measures the time until the headers of the response are ready, and reports it with the route and the
 * status.
 */
export function observe(log: Logger, requests: RequestMetrics): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const started = performance.now();
    requests.entered();
    await next();
    const ms = performance.now() - started;
    const { method } = c.req;
    const { status } = c.res;
    const [requestId, route, username] = [c.get("requestId"), c.get("route"), c.get("username")];
    requests.answered({ method, route, status, seconds: ms / 1000 });
    await nameSpan({ method, route, requestId });
    log.log("info", "request", {
      request_id: requestId,
      method,
      path: c.env.url.pathname,
      status,
      duration_ms: Math.round(ms * 1000) / 1000,
      address: c.get("client").address,
      ...(route === undefined ? {} : { route }),
      ...(username === undefined ? {} : { username }),
    });
  };
}

/** Global key under which all copies of OpenTelemetry's API of this major version find the tracer. */
const TRACER = Symbol.for("opentelemetry.js.api.1");

/**
 * Names the span after the request's route (OpenTelemetry semantic conventions, HTTP server: `{method}
 * {http.route}`), and adds the request id, with which the log line can be found. Does nothing while tracing
 * is disabled. The API is loaded at the first request that is traced.
 */
async function nameSpan(
  { method, route, requestId }: { method: string; route: string | undefined; requestId: string },
): Promise<void> {
  if (!(TRACER in globalThis)) return;
  const { default: { trace } } = await import("@opentelemetry/api");
  const span = trace.getActiveSpan();
  if (span === undefined) return;
  span.setAttribute("certmgr.request_id", requestId);
  if (route === undefined) return;
  span.setAttribute("http.route", route);
  span.updateName(`${method} ${route}`);
}
