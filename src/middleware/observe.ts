import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../app_options.ts";
import type { Logger } from "../base/log.ts";
import type { RequestMetrics } from "../metrics/mod.ts";

/**
 * Logs and counts every request, with its route, its status and the time until the headers of the response were ready.
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
