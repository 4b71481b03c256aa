/** The order of messages: what waited for an earlier message about the same object, and waits no longer. */

import { sql } from "drizzle-orm";
import type { Millis } from "../../../base/clock.ts";
import { jsonText, type Transaction } from "../../../db/mod.ts";
import { webhook_deliveries } from "../../../db/schema/mod.ts";

/** An object that a webhook is told of. */
export interface Told {
  readonly webhookId: number;
  readonly objectType: string;
  readonly objectId: number;
}

/** Gives a time to the first message about each of these objects, unless it has one. One statement. */
export async function releaseNext(tx: Transaction, told: readonly Told[], now: Millis): Promise<void> {
  const rows = told.map(({ webhookId, objectType, objectId }) => [webhookId, objectType, objectId]);
  await tx.run(
    sql`UPDATE ${webhook_deliveries} SET next_attempt = ${now}
      WHERE next_attempt IS NULL AND state = 'pending' AND id IN (
        SELECT (SELECT min(p.id) FROM ${webhook_deliveries} AS p WHERE p.webhook_id = told.value ->> 0
          AND p.object_type = told.value ->> 1 AND p.object_id = told.value ->> 2 AND p.state = 'pending')
        FROM json_each(${jsonText(rows)}) AS told
      )`,
  );
}
