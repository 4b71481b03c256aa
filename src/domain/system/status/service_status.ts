/** Returns versions and object counts. */

import { z } from "zod";
import { type SQL, sql } from "drizzle-orm";
import { type Context, visibleSql } from "../../../auth/mod.ts";
import type { Resource } from "../../../resource/mod.ts";
import { certificates } from "../../certificates/mod.ts";
import { tenants } from "../../inventory/mod.ts";
import { users } from "../../accounts/users/resource.ts";
import { VERSION } from "../../../base/version.ts";

/** The NetBox version whose REST conventions apply. Clients check it. */
export const NETBOX_VERSION = "4.6.0";

/** Versions, and the number of rows of the main resources that the caller may view. */
export const ServiceStatus = z.object({
  "certmgr-version": z.string(),
  "netbox-version": z.string().describe("The version of NetBox whose API conventions are followed."),
  "database": z.enum(["file", "remote"]),
  "counts": z.object({ certificates: z.int(), tenants: z.int(), users: z.int() }),
});
export type ServiceStatus = z.infer<typeof ServiceStatus>;

/** Returns the status. One statement. */
export async function serviceStatus(ctx: Context): Promise<ServiceStatus> {
  const counted = { certificates, tenants, users };
  const parts = Object.entries(counted).map(([name, resource]) =>
    sql`(SELECT count(*) FROM ${resource.table}${seen(ctx, resource)}) AS ${sql.identifier(name)}`
  );
  const [counts = { certificates: 0, tenants: 0, users: 0 }] = await ctx.database.all<
    ServiceStatus["counts"]
  >(sql`SELECT ${sql.join(parts, sql`, `)}`);
  return {
    "certmgr-version": VERSION,
    "netbox-version": NETBOX_VERSION,
    "database": ctx.database.kind,
    counts,
  };
}

function seen(ctx: Context, resource: Resource): SQL {
  const { map } = resource;
  const restricted = visibleSql(ctx, map);
  return restricted === undefined ? sql`` : sql` WHERE ${restricted}`;
}
