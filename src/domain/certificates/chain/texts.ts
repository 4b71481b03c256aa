/** Loads the PEM texts of certificates. */

import { sql } from "drizzle-orm";
import { type Context, restrictionSql } from "../../../auth/mod.ts";
import { andAll, idsIn } from "../../../db/mod.ts";
import type { Condition } from "../../../filters/mod.ts";
import { certificates, issuerChainSql, pemTextSql, readPemText } from "../mod.ts";

/** The stored texts of a certificate. A missing text is empty. */
export interface StoredTexts {
  readonly id: number;
  readonly common_name: string;
  readonly pem_content: string;
  readonly issuer_chain: string;
}

/** Returns the texts of the certificates of `ids` that match `allowed`, by id. One statement. */
export async function loadTexts(
  ctx: Context,
  allowed: Condition,
  ids: readonly number[],
): Promise<Map<number, StoredTexts>> {
  const condition = andAll(
    sql`certificates.id IN ${idsIn(ids)}`,
    restrictionSql(ctx, allowed, { map: certificates.map }),
  );
  const rows = await ctx.database.all<Omit<StoredTexts, "pem_content"> & { pem: string | null }>(
    sql`SELECT certificates.id AS id, certificates.common_name AS common_name,
               ${pemTextSql("texts")} AS pem,
               ${issuerChainSql(sql`certificates.id`)} AS issuer_chain
        FROM certificates LEFT JOIN certificate_texts AS texts ON texts.certificate_id = certificates.id
        WHERE ${condition} ORDER BY certificates.id`,
  );
  return new Map(rows.map(({ pem, ...row }) => [row.id, { ...row, pem_content: readPemText(pem) }]));
}
