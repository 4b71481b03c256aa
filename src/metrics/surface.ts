/** `GET /metrics`: authenticates, answers in the format of Prometheus. */

import { authenticate } from "../auth/mod.ts";
import { type AppOptions, contextOf, type Envelope } from "../app_options.ts";
import { AppError } from "../base/errors.ts";
import { readServiceNumbers } from "../domain/system/metrics/mod.ts";
import { EXPOSITION_TYPE, writeExposition } from "./exposition.ts";
import { processFamilies, serviceFamilies } from "./families.ts";
import type { RequestMetrics } from "./requests.ts";

/** Answers requests to `/metrics`; throws refusals. */
export type MetricsSurface = (request: Request, envelope: Envelope) => Promise<Response>;

/** The surface; `requests` has counted what the process answered. */
export function createMetrics(options: AppOptions, requests: RequestMetrics): MetricsSurface {
  return async (request, envelope) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      throw new AppError("method_not_allowed", `Method "${request.method.slice(0, 20)}" not allowed.`, {
        headers: { allow: "GET, HEAD" },
      });
    }
    const { database, clock } = options;
    const authorization = request.headers.get("authorization");
    const { address } = envelope.client;
    const actor = await authenticate({ database, clock }, { authorization, address });
    envelope.note.username = actor.username;
    const numbers = await readServiceNumbers({ ctx: contextOf(options, envelope, actor) });
    const families = [
      ...processFamilies(options.processNumbers?.(), database),
      ...requests.families(),
      ...serviceFamilies(numbers),
    ];
    return new Response(writeExposition(families), {
      headers: { "content-type": EXPOSITION_TYPE, "cache-control": "no-store" },
    });
  };
}
