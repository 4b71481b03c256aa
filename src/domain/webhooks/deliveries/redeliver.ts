/** Sends a message at once: one that has arrived or was given up once more, one that waits for its next attempt now. */

import { getTableName, sql } from "drizzle-orm";
import { type Context, restrictionSql, visible } from "../../../auth/mod.ts";
import type { Millis } from "../../../base/clock.ts";
import { AppError, notFound } from "../../../base/errors.ts";
import type { Transaction } from "../../../db/mod.ts";
import { across, and, type Condition } from "../../../filters/mod.ts";
import { NO_INPUT, operation, shown } from "../../../operation/mod.ts";
import { andAll } from "../../../resource/mod.ts";
import { webhooks } from "../mod.ts";
import { readDelivery } from "./read_delivery.ts";
import { webhookDeliveries } from "./resource.ts";
import { refuseDisabled, sendAtOnce } from "./send_at_once.ts";

/** What decides whether a message can be sent now. */
interface Stored {
  readonly state: string;
  readonly next_attempt: Millis | null;
  readonly lease_owner: string | null;
  /** Whether an earlier message about the same object, for the same webhook, is to be sent first. */
  readonly follows: number;
  readonly webhook_id: number;
  readonly enabled: number;
}

/**
 * Sends a message again, or before its next attempt is due; returns it pending and due. One that has arrived or was
 * given up starts again without attempts, one that waits for its next attempt keeps its count. It keeps its id
 * (`webhook-id`), by which the receiver knows it. Needs `change` on the webhook of a message that the caller may view.
 * Errors: forbidden, not_found, conflict (it is being sent, it waits for an earlier message about its object, or its
 * webhook is disabled).
 */
export const redeliver = operation({
  needs: [["change", webhooks]],
  input: NO_INPUT,
  output: shown(webhookDeliveries),
  run: async ({ ctx, id, ...run }) => {
    const changeable = across("webhook", run.allowed(webhooks));
    const allowed = and(changeable, visible(ctx, webhookDeliveries.objectType));
    return await ctx.database.write(async (tx) => {
      const stored = await findDelivery({ ctx, tx, allowed }, id);
      if (stored === undefined) throw notFound();
      refuseDisabled(stored.enabled);
      const now = ctx.clock.now();
      refuseUnready(stored, now);
      const anew =
        sql`state = 'pending', attempts = 0, response_status = NULL, response_body = '', duration_ms = NULL,
        error = '',`;
      await tx.run(
        sql`UPDATE webhook_deliveries SET ${stored.state === "pending" ? sql`` : anew} lease_owner = NULL,
          next_attempt = ${now}, last_updated = max(${now}, last_updated + 1) WHERE id = ${id}`,
      );
      await sendAtOnce(tx, ctx, { webhook: stored.webhook_id, delivery: id });
      return await readDelivery({ ctx, tx }, id);
    });
  },
});

/** A message is sent by one process at a time, and those about one object in their order. */
function refuseUnready(
  { state, next_attempt: next, lease_owner: owner, follows }: Stored,
  now: Millis,
): void {
  if (state !== "pending") return;
  // A time alone says nothing: the earlier one may have been redelivered after this one was sent in vain.
  if (next === null || follows === 1) {
    throw new AppError(
      "conflict",
      "This message waits for an earlier one about the same object; send that one.",
    );
  }
  // After its lease has ended it is due again.
  if (owner !== null && next > now) throw new AppError("conflict", "This message is being sent just now.");
}

async function findDelivery(
  { ctx, tx, allowed }: { ctx: Context; tx: Transaction; allowed: Condition },
  id: number,
): Promise<Stored | undefined> {
  const { objectType, table } = webhookDeliveries;
  const restricted = restrictionSql(ctx, allowed, objectType, getTableName(table));
  const [row] = await tx.all<Stored>(
    sql`SELECT state, next_attempt, lease_owner, webhook_id,
        (SELECT enabled FROM webhooks WHERE webhooks.id = webhook_id) AS enabled,
        EXISTS (SELECT 1 FROM ${table} AS earlier WHERE earlier.webhook_id = ${table}.webhook_id
          AND earlier.object_type = ${table}.object_type AND earlier.object_id = ${table}.object_id
          AND earlier.state = 'pending' AND earlier.id < ${table}.id) AS follows
      FROM ${table} WHERE ${andAll(sql`${table}.id = ${id}`, restricted)}`,
  );
  return row;
}
