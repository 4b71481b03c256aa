/** Validates assignments: certificate and object must not belong to different tenants. */

import { sql } from "drizzle-orm";
import { type Draft, refuse, type WriteStep } from "../../resource/mod.ts";
import { ASSIGNED_RESOURCES } from "./targets.ts";

/**
 * Refuses assignments across tenants. Objects without a tenant can be assigned to any. One statement, none if
 * no assignment changes.
 */
export async function prepareAssignments({ tx, drafts }: WriteStep): Promise<void> {
  for (const { input, before, row } of drafts) {
    if (before !== undefined && Object.keys(input).length > 0) row.automatic = 0;
  }
  const changed = drafts.filter((draft) => Object.keys(draft.errors).length === 0 && isMoved(draft));
  if (changed.length === 0) return;
  const moved = changed.map((draft) => KEYS.map((key) => valueOf(draft, key)));
  const tenants = ASSIGNED_RESOURCES.map(({ objectType, table }) =>
    sql`WHEN ${objectType} THEN (SELECT tenant_id FROM ${table} WHERE id = moved.value->>2)`
  );
  const rows = await tx.all<{ place: number }>(
    sql`SELECT moved.key AS place FROM json_each(${JSON.stringify(moved)}) AS moved
        CROSS JOIN certificates ON certificates.id = moved.value->>0
        WHERE certificates.tenant_id <> CASE moved.value->>1 ${sql.join(tenants, sql` `)} END`,
  );
  const crossing = new Set(rows.map(({ place }) => place));
  for (const [place, draft] of changed.entries()) {
    if (crossing.has(place)) refuse(draft, "__all__", OTHER_TENANT);
  }
}

/** Error of an assignment across tenants. */
export const OTHER_TENANT = "A certificate of one tenant cannot be assigned to another tenant's object.";

/** Columns that identify the certificate and the object. */
const KEYS = ["certificate_id", "assigned_object_type", "assigned_object_id"] as const;
const FIELDS: Readonly<Record<string, string>> = { certificate_id: "certificate" };

/** Returns the value of a column after the write: the given one, or the stored one. */
function valueOf({ input, row, before }: Draft, column: string): unknown {
  return row[column] ?? input[FIELDS[column] ?? column] ?? before?.[column] ?? null;
}

/**
 * Returns whether the certificate or the object changes. Existing assignments are kept if an object changes
 * its tenant.
 */
function isMoved(draft: Draft): boolean {
  return KEYS.some((key) => valueOf(draft, key) !== (draft.before?.[key] ?? null));
}
