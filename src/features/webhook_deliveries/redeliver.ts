/** Sends a message once more that has arrived, or that was given up. */

import { getTableName, sql } from "drizzle-orm";
import { authorize, type Context, restrictionSql, visible } from "../../access/mod.ts";
import { AppError, notFound } from "../../base/errors.ts";
import type { Transaction } from "../../db/mod.ts";
import { across, and, type Lookup } from "../../lookup/mod.ts";
import { both } from "../../resource/mod.ts";
import { webhooks } from "../webhooks/mod.ts";
import { readDelivery } from "./read_delivery.ts";
import { webhookDeliveries } from "./resource.ts";
import { refuseDisabled, sendAtOnce } from "./send_at_once.ts";

/** What decides whether a message can be sent again. */
interface Stored {
  readonly state: string;
  readonly webhook_id: number;
  readonly enabled: number;
}

/**
 * `POST /api/extras/webhook-deliveries/{id}/redeliver/`: gives the message as it is afterwards, pending and without
 * attempts. It keeps its id (`webhook-id`), by which the receiver knows it. Needs `change` on the webhook of a message
 * that the caller may view. Errors: forbidden, not_found, conflict (it is pending, or its webhook is disabled).
 */
export async function redeliver(
  { ctx, id }: { ctx: Context; id: number },
): Promise<Record<string, unknown>> {
  const changeable = across("webhook", authorize(ctx, "change", webhooks.objectType));
  const allowed = and(changeable, visible(ctx, webhookDeliveries.objectType));
  return await ctx.database.write(async (tx) => {
    const stored = await findDelivery({ ctx, tx, allowed }, id);
    if (stored === undefined) throw notFound();
    refuseDisabled(stored);
    if (stored.state === "pending") {
      throw new AppError("conflict", "This message is on its way already; it is sent until it arrives.");
    }
    const now = ctx.clock.now();
    await tx.run(
      sql`UPDATE webhook_deliveries SET state = 'pending', attempts = 0, response_status = NULL, response_body = '',
          duration_ms = NULL, error = '', lease_owner = NULL, next_attempt = ${now},
          last_updated = max(${now}, last_updated + 1) WHERE id = ${id}`,
    );
    await sendAtOnce(tx, ctx, { webhook: stored.webhook_id, delivery: id });
    return await readDelivery({ ctx, tx }, id);
  });
}

async function findDelivery(
  { ctx, tx, allowed }: { ctx: Context; tx: Transaction; allowed: Lookup },
  id: number,
): Promise<Stored | undefined> {
  const { objectType, table } = webhookDeliveries;
  const restricted = restrictionSql(ctx, allowed, objectType, getTableName(table));
  const [row] = await tx.all<Stored>(
    sql`SELECT state, webhook_id, (SELECT enabled FROM webhooks WHERE webhooks.id = webhook_id) AS enabled
      FROM ${table} WHERE ${both(sql`${table}.id = ${id}`, restricted)}`,
  );
  return row;
}
