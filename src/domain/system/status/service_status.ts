/** What the service is and how much it holds. */

import { getTableName, type SQL, sql } from "drizzle-orm";
import { type Context, restrictionSql, visible } from "../../../auth/mod.ts";
import type { Resource } from "../../../resource/mod.ts";
import { certificates } from "../../certificates/mod.ts";
import { tenants } from "../../inventory/mod.ts";
import { users } from "../../accounts/users/mod.ts";
import manifest from "../../../../deno.json" with { type: "json" };

/** The service's own version (SemVer). */
export const VERSION: string = manifest.version;
/** The version of NetBox whose REST conventions are kept; clients look for it. */
export const NETBOX_VERSION = "4.6.0";

/** Versions, and how many rows of the main resources the caller may see. One statement. */
export async function serviceStatus(ctx: Context): Promise<Record<string, unknown>> {
  const counted = { certificates, tenants, users };
  const parts = Object.entries(counted).map(([name, resource]) =>
    sql`(SELECT count(*) FROM ${resource.table}${seen(ctx, resource)}) AS ${sql.identifier(name)}`
  );
  const [counts] = await ctx.database.all(sql`SELECT ${sql.join(parts, sql`, `)}`);
  return {
    "certmgr-version": VERSION,
    "netbox-version": NETBOX_VERSION,
    "database": ctx.database.kind,
    "counts": counts,
  };
}

function seen(ctx: Context, resource: Resource): SQL {
  const { objectType, table } = resource;
  const restricted = restrictionSql(ctx, visible(ctx, objectType), objectType, getTableName(table));
  return restricted === undefined ? sql`` : sql` WHERE ${restricted}`;
}
