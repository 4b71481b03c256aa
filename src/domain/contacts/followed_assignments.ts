/** The assignments of certificates that owners and constraints follow. */

import { type SQL, sql } from "drizzle-orm";
import { columnOf } from "../../resource/mod.ts";

/** Objects to which certificates are assigned, with their tables. */
export const TARGETS = [
  { type: "dcim.device", table: "devices" },
  { type: "virtualization.virtualmachine", table: "virtual_machines" },
  { type: "ipam.service", table: "services" },
] as const;

/**
 * Returns the condition that owners and constraints follow an assignment: someone made it, or the object belongs to the
 * certificate's tenant. Otherwise an endpoint could make the certificates of others one's own.
 */
export function isFollowed(used: string): SQL {
  const targets = TARGETS.map(({ type, table }) =>
    sql`WHEN ${type} THEN (SELECT tenant_id FROM ${sql.identifier(table)} WHERE id = ${
      columnOf(used, "assigned_object_id")
    })`
  );
  return sql`(${columnOf(used, "automatic")} = 0 OR (SELECT tenant_id FROM certificates WHERE id = ${
    columnOf(used, "certificate_id")
  }) IS CASE ${columnOf(used, "assigned_object_type")} ${sql.join(targets, sql` `)} END)`;
}
