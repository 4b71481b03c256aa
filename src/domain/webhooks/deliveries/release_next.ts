/** Keeps messages in order: releases those that waited for an earlier message about the same object. */

import { sql } from "drizzle-orm";
import type { Millis } from "../../../base/clock.ts";
import { jsonText, type Transaction } from "../../../db/mod.ts";
import { webhook_deliveries } from "../../../db/schema/mod.ts";

/** The webhook and the object of a message. Messages with the same subject are sent in order. */
export interface MessageSubject {
  readonly webhookId: number;
  readonly objectType: string;
  readonly objectId: number;
}

/** Makes the first pending message of each subject due, unless it already has a time. One statement. */
export async function releaseNext(
  tx: Transaction,
  subjects: readonly MessageSubject[],
  now: Millis,
): Promise<void> {
  const rows = subjects.map(({ webhookId, objectType, objectId }) => [webhookId, objectType, objectId]);
  await tx.run(
    sql`UPDATE ${webhook_deliveries} SET next_attempt = ${now}
      WHERE next_attempt IS NULL AND state = 'pending' AND id IN (
        SELECT (SELECT min(p.id) FROM ${webhook_deliveries} AS p WHERE p.webhook_id = subjects.value ->> 0
          AND p.object_type = subjects.value ->> 1 AND p.object_id = subjects.value ->> 2 AND p.state = 'pending')
        FROM json_each(${jsonText(rows)}) AS subjects
      )`,
  );
}
