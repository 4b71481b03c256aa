/** Reads what every handler needs to know about a request: its URL, its sender, its body. */

import type { MiddlewareHandler } from "hono";
import type { AppEnv, AppOptions } from "../app_options.ts";
import type { BodyBudget } from "../base/body_bytes.ts";
import { readClient } from "./client.ts";

/** Sets the variables of a request, and releases the memory of its body once it is answered. */
export function receive(
  { trustedProxies, baseUrl }: AppOptions,
  bodies: BodyBudget,
): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const request = c.req.raw;
    const { remoteAddr, url } = c.env;
    const remote = remoteAddr?.hostname ?? null;
    c.set("client", readClient(request, { remote, trustedProxies, baseUrl, url }));
    const body = bodies.bodyOf(request);
    c.set("body", body);
    try {
      await next();
    } finally {
      body.release();
    }
  };
}
