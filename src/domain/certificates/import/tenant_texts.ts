/** Resolves tenants that tables and forms give by name, slug or id. */

import { sql } from "drizzle-orm";
import { type Context, restrictionSql, visible } from "../../../auth/mod.ts";
import { addError } from "../../../base/errors.ts";
import type { Cell, Reader, Row } from "../../../db/mod.ts";
import { quote } from "../../../resource/mod.ts";
import { tenants } from "../../inventory/mod.ts";
import type { ImportRow } from "./rows.ts";

/**
 * Replaces texts by ids. A text that matches no tenant that the caller may view is an error of its row. Names
 * take precedence over slugs, and both over ids, because a name may be a number. One statement, none without
 * texts.
 */
export async function resolveTenants(
  { ctx, tx }: { ctx: Context; tx: Reader },
  rows: readonly ImportRow[],
): Promise<ImportRow[]> {
  const texts = JSON.stringify([...new Set(rows.flatMap(({ tenantText }) => tenantText ?? []))]);
  if (texts === "[]") return [...rows];
  const seen = restrictionSql(ctx, visible(ctx, tenants.map), tenants.map, "tenants");
  const searched = sql`(SELECT value FROM json_each(${texts}))`;
  const found = await tx.all<Row>(
    sql`SELECT tenants.id AS id, tenants.name AS name, tenants.slug AS slug FROM tenants
      WHERE (tenants.name IN ${searched} OR tenants.slug IN ${searched} OR CAST(tenants.id AS TEXT) IN ${searched})${
      seen === undefined ? sql`` : sql` AND ${seen}`
    }`,
  );
  const ids = new Map<string, Cell>();
  // If several match, the first one is used.
  for (const column of ["name", "slug", "id"]) {
    for (const tenant of found) {
      const text = String(tenant[column]);
      if (!ids.has(text)) ids.set(text, tenant.id as Cell);
    }
  }
  return rows.map((row) => row.tenantText === undefined ? row : withTenant(row, ids));
}

function withTenant(row: ImportRow, ids: ReadonlyMap<string, Cell>): ImportRow {
  const text = row.tenantText as string;
  const tenant = ids.get(text);
  if (tenant !== undefined) return { ...row, body: { ...row.body, tenant } };
  const errors = { ...row.errors };
  addError(errors, "tenant", `Tenant ${quote(text)} was not found.`);
  return { ...row, errors };
}
