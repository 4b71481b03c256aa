/** Reads numbers about the whole service. */

import { authorize, type Context } from "../../../auth/mod.ts";
import type { Millis } from "../../../base/clock.ts";
import { forbidden } from "../../../base/errors.ts";
import { perDatabase } from "../../../db/mod.ts";
import { isEverything } from "../../../filters/mod.ts";
import { certificates } from "../../certificates/mod.ts";
import { certificateCountsSql, type CertificateNumbers, certificateNumbers } from "./certificate_numbers.ts";
import { endpointCountsSql, type EndpointNumbers, endpointNumbers } from "./endpoint_numbers.ts";
import { queueCountsSql, type QueueNumbers, queueNumbers } from "./queue_numbers.ts";

/** Time for which numbers are cached for the metrics, because counting a million certificates takes 40 ms. */
export const METRICS_MEMORY_MS = 10_000;

export interface ServiceNumbers extends CertificateNumbers, QueueNumbers, EndpointNumbers {}

const cacheOf = perDatabase((): { known?: { at: Millis; numbers: ServiceNumbers } } => ({}));

/**
 * Returns the numbers, cached for a short time. Requires `view` on certificates without constraints, because
 * the numbers include all certificates and the requests of all users. A fixed number of statements, in one
 * round trip. Errors: forbidden.
 */
export async function readServiceNumbers({ ctx }: { ctx: Context }): Promise<ServiceNumbers> {
  if (!isEverything(authorize(ctx, "view", certificates.map))) throw forbidden();
  const { database, clock } = ctx;
  const now = clock.now();
  const cache = cacheOf(database);
  const { known } = cache;
  if (known !== undefined && now - known.at < METRICS_MEMORY_MS && now >= known.at) return known.numbers;
  const endpoints = endpointCountsSql(now);
  const [counted = [], ...others] = await database.batch([
    certificateCountsSql(now),
    ...endpoints,
    ...queueCountsSql(),
  ]);
  const numbers = {
    ...certificateNumbers(counted),
    ...endpointNumbers(others.slice(0, endpoints.length), now),
    ...queueNumbers(others.slice(endpoints.length), now),
  };
  cache.known = { at: now, numbers };
  return numbers;
}
