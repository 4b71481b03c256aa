/** Reads a delivery in a write transaction. */

import { sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import type { Row, Transaction } from "../../../db/mod.ts";
import { ALL_FIELDS, type Resource, rowReader, selectList } from "../../../resource/mod.ts";
import { webhookDeliveries } from "./resource.ts";

/**
 * Returns the delivery with this id, which must exist. It belongs to a webhook, unless another resource is
 * given. One statement.
 */
export async function readDelivery(
  { ctx, tx, resource = webhookDeliveries }: { ctx: Context; tx: Transaction; resource?: Resource },
  id: number,
): Promise<Record<string, unknown>> {
  const packed = selectList(resource, ALL_FIELDS, ctx);
  const { table } = resource;
  const rows = await tx.all<Row>(sql`SELECT ${packed.list} FROM ${table} WHERE ${table}.id = ${id}`);
  const [row] = packed.unpack(rows);
  if (row === undefined) throw new Error(`Delivery ${id} was deleted within its transaction`);
  return rowReader(resource, ALL_FIELDS, ctx)(row);
}
