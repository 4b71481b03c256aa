/** Numbers of the whole service, for those who see the whole inventory. */

import { authorize, type Context } from "../../../auth/mod.ts";
import type { Millis } from "../../../base/clock.ts";
import { forbidden } from "../../../base/errors.ts";
import { METRICS_MEMORY_MS } from "../../../base/limits.ts";
import type { Database } from "../../../db/mod.ts";
import { isEverything } from "../../../filters/mod.ts";
import { certificates } from "../../certificates/mod.ts";
import { certificateCounting, type CertificateNumbers, certificateNumbers } from "./certificate_numbers.ts";
import { queueCounting, type QueueNumbers, queueNumbers } from "./queue_numbers.ts";

/** What is counted in the database. */
export interface ServiceNumbers extends CertificateNumbers, QueueNumbers {}

const remembered = new WeakMap<Database, { at: Millis; numbers: ServiceNumbers }>();

/**
 * Counts. It takes `view` on certificates without constraints: the numbers are about all of them, and about everybody's
 * requests. Errors: forbidden.
 * The same few statements however much is stored, in one round trip; none for a while after they were asked.
 */
export async function readServiceNumbers({ ctx }: { ctx: Context }): Promise<ServiceNumbers> {
  if (!isEverything(authorize(ctx, "view", certificates.objectType))) throw forbidden();
  const { database, clock } = ctx;
  const now = clock.now();
  const known = remembered.get(database);
  if (known !== undefined && now - known.at < METRICS_MEMORY_MS && now >= known.at) return known.numbers;
  const [counted = [], ...queues] = await database.batch([certificateCounting(now), ...queueCounting()]);
  const numbers = { ...certificateNumbers(counted), ...queueNumbers(queues, now) };
  remembered.set(database, { at: now, numbers });
  return numbers;
}
