/** The PEM texts of certificates. */

import { getTableName, sql } from "drizzle-orm";
import { type Context, restrictionSql } from "../../../auth/mod.ts";
import { idsIn } from "../../../db/mod.ts";
import type { Condition } from "../../../filters/mod.ts";
import { andAll } from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";

/** A certificate as it is stored in texts; empty ones are empty. */
export interface StoredTexts {
  readonly id: number;
  readonly common_name: string;
  readonly pem_content: string;
  readonly issuer_chain: string;
}

/** The texts of the certificates among `ids` that lie within `allowed`, by id. One statement. */
export async function loadTexts(
  ctx: Context,
  allowed: Condition,
  ids: readonly number[],
): Promise<Map<number, StoredTexts>> {
  const { objectType, table } = certificates;
  const condition = andAll(
    sql`certificates.id IN ${idsIn(ids)}`,
    restrictionSql(ctx, allowed, objectType, getTableName(table)),
  );
  const rows = await ctx.database.all<StoredTexts>(
    sql`SELECT certificates.id AS id, certificates.common_name AS common_name,
               coalesce(texts.pem_content, '') AS pem_content, coalesce(texts.issuer_chain, '') AS issuer_chain
        FROM certificates LEFT JOIN certificate_texts AS texts ON texts.certificate_id = certificates.id
        WHERE ${condition} ORDER BY certificates.id`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}
