/** Tenants as tables and forms name them: by name, by slug, or by id. */

import { sql } from "drizzle-orm";
import { restrictionSql, visible } from "../../../auth/mod.ts";
import { addError } from "../../../base/errors.ts";
import type { Row } from "../../../db/mod.ts";
import { quote, type WriteCall } from "../../../resource/mod.ts";
import { tenants } from "../../inventory/mod.ts";
import type { ImportRow } from "./rows.ts";

/**
 * Puts ids in the place of texts; a text that names no tenant which the caller may see is an error of its row. Names
 * go before slugs, and both before ids, for a name may be a number. One statement, if any.
 */
export async function resolveTenants(
  { ctx, tx }: Pick<WriteCall, "ctx" | "tx">,
  rows: readonly ImportRow[],
): Promise<ImportRow[]> {
  const texts = JSON.stringify([...new Set(rows.flatMap(({ tenantText }) => tenantText ?? []))]);
  if (texts === "[]") return [...rows];
  const seen = restrictionSql(ctx, visible(ctx, tenants.objectType), tenants.objectType, "tenants");
  const wanted = sql`(SELECT value FROM json_each(${texts}))`;
  const found = await tx.all<Row>(
    sql`SELECT tenants.id AS id, tenants.name AS name, tenants.slug AS slug FROM tenants
      WHERE (tenants.name IN ${wanted} OR tenants.slug IN ${wanted} OR CAST(tenants.id AS TEXT) IN ${wanted})${
      seen === undefined ? sql`` : sql` AND ${seen}`
    }`,
  );
  return rows.map((row) => row.tenantText === undefined ? row : withTenant(row, found));
}

function withTenant(row: ImportRow, found: readonly Row[]): ImportRow {
  const text = row.tenantText as string;
  for (const column of ["name", "slug", "id"]) {
    const tenant = found.find((one) => String(one[column]) === text);
    if (tenant !== undefined) return { ...row, body: { ...row.body, tenant: tenant.id } };
  }
  const errors = { ...row.errors };
  addError(errors, "tenant", `Tenant ${quote(text)} was not found.`);
  return { ...row, errors };
}
