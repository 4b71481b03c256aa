/** Reads one delivery within a write transaction. */

import { sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import type { Row, Transaction } from "../../../db/mod.ts";
import { ALL_FIELDS, rowReader, selectList } from "../../../resource/mod.ts";
import { webhookDeliveries } from "./resource.ts";

/** Returns the delivery with this id, which must exist. One statement. */
export async function readDelivery(
  { ctx, tx }: { ctx: Context; tx: Transaction },
  id: number,
): Promise<Record<string, unknown>> {
  const packed = selectList(webhookDeliveries, ALL_FIELDS, ctx);
  const { table } = webhookDeliveries;
  const rows = await tx.all<Row>(sql`SELECT ${packed.list} FROM ${table} WHERE ${table}.id = ${id}`);
  const [row] = packed.unpack(rows);
  if (row === undefined) throw new Error(`Delivery ${id} is gone within its transaction`);
  return rowReader(webhookDeliveries, ALL_FIELDS, ctx)(row);
}
