/** `GET /metrics`: authenticates, and answers in the format of Prometheus. */

import type { Handler } from "hono";
import { authenticate } from "../auth/mod.ts";
import { type AppEnv, type AppOptions, contextOf } from "../app_options.ts";
import { AppError } from "../base/errors.ts";
import { readServiceNumbers } from "../domain/system/metrics/mod.ts";
import { EXPOSITION_TYPE, writeExposition } from "./exposition.ts";
import { processFamilies, serviceFamilies } from "./families.ts";
import type { RequestMetrics } from "./requests.ts";

/** Creates the handler; `requests` counts what the process answers. Errors: method_not_allowed, unauthenticated. */
export function createMetrics(options: AppOptions, requests: RequestMetrics): Handler<AppEnv> {
  return async (c) => {
    const { method } = c.req;
    if (method !== "GET" && method !== "HEAD") {
      throw new AppError("method_not_allowed", `Method "${method.slice(0, 20)}" not allowed.`, {
        headers: { allow: "GET, HEAD" },
      });
    }
    const authorization = c.req.header("authorization") ?? null;
    const actor = await authenticate(options, { authorization, address: c.get("client").address });
    c.set("username", actor.username);
    const numbers = await readServiceNumbers({ ctx: contextOf(options, c, actor) });
    const families = [
      ...processFamilies(options.processNumbers?.(), options.database),
      ...requests.families(),
      ...serviceFamilies(numbers),
    ];
    return new Response(writeExposition(families), {
      headers: { "content-type": EXPOSITION_TYPE, "cache-control": "no-store" },
    });
  };
}
