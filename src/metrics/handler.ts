/** `GET /metrics`: authenticates, and responds in the format of Prometheus. */

import type { Handler } from "hono";
import { authenticate } from "../auth/mod.ts";
import { type AppEnv, type AppOptions, contextOf } from "../app_options.ts";
import { AppError } from "../base/errors.ts";
import { EXPOSITION_TYPE, type Family, writeExposition } from "./exposition.ts";
import { mergeFamilies, processFamilies, serviceFamilies } from "./families.ts";
import type { RequestMetrics } from "./requests.ts";

/** How long the metrics of a busy worker are awaited, in milliseconds. */
const PEERS_MS = 1_000;

/** Sends the metrics of this process, which handles no requests itself, to the workers that ask for them. */
export function reportMetrics({ peers, processNumbers, database }: AppOptions): void {
  peers?.on("metrics", () => processFamilies(processNumbers?.(), database));
}

/**
 * Creates the handler. `requests` counts the requests that the process answers. Errors: method_not_allowed,
 * unauthenticated.
 */
export function createMetrics(options: AppOptions, requests: RequestMetrics): Handler<AppEnv> {
  const { peers } = options;
  const own = (): Family[] => [
    ...processFamilies(options.processNumbers?.(), options.database),
    ...requests.families(),
  ];
  peers?.on("metrics", own);
  const ofWorkers = async (): Promise<Family[]> => {
    if (peers === undefined) return own();
    const others = await peers.ask("metrics", null, PEERS_MS) as { worker: number; value: Family[] }[];
    return mergeFamilies([{ worker: peers.worker, value: own() }, ...others]);
  };
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
    // Loaded late, because it imports the jobs, and these use most of the domain.
    const { readServiceNumbers } = await import("../domain/system/metrics/mod.ts");
    const numbers = await readServiceNumbers({ ctx: contextOf(options, c, actor) });
    const families = [...await ofWorkers(), ...serviceFamilies(numbers)];
    return new Response(writeExposition(families), {
      headers: { "content-type": EXPOSITION_TYPE, "cache-control": "no-store" },
    });
  };
}
