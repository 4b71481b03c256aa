/** Judges assignments: what belongs to one tenant does not go on what belongs to another. */

import { sql } from "drizzle-orm";
import type { Row } from "../../db/mod.ts";
import { type Draft, refuse, type WriteStep } from "../../resource/mod.ts";
import { TARGETS } from "./targets.ts";

/** Objects and certificates without a tenant are everybody's. One statement, none where nothing is (re)assigned. */
export async function prepareAssignments({ tx, drafts }: WriteStep): Promise<void> {
  const placed = drafts.filter((draft) => Object.keys(draft.errors).length === 0 && isMoved(draft));
  if (placed.length === 0) return;
  const wanted = placed.map((draft) => KEYS.map((key) => valueOf(draft, key)));
  const tenants = TARGETS.map(({ objectType, table }) =>
    sql`WHEN ${objectType} THEN (SELECT tenant_id FROM ${table} WHERE id = wanted.value->>2)`
  );
  const rows = await tx.all<Row>(
    sql`SELECT wanted.key AS place FROM json_each(${JSON.stringify(wanted)}) AS wanted
        CROSS JOIN certificates ON certificates.id = wanted.value->>0
        WHERE certificates.tenant_id <> CASE wanted.value->>1 ${sql.join(tenants, sql` `)} END`,
  );
  for (const { place } of rows) refuse(placed[place as number] as Draft, "__all__", OTHER_TENANT);
}

const OTHER_TENANT = "A certificate of one tenant cannot be assigned to another tenant's object.";

/** What an assignment joins: the columns, and the fields that fill them. */
const KEYS = ["certificate_id", "assigned_object_type", "assigned_object_id"] as const;
const FIELDS: Readonly<Record<string, string>> = { certificate_id: "certificate" };

/** What the row will hold: what a caller or a verb gives, else what is stored. */
function valueOf({ input, row, before }: Draft, column: string): unknown {
  return row[column] ?? input[FIELDS[column] ?? column] ?? before?.[column] ?? null;
}

/** Whether it joins other things than before. What has come to belong to others since may stay where it is. */
function isMoved(draft: Draft): boolean {
  return KEYS.some((key) => valueOf(draft, key) !== (draft.before?.[key] ?? null));
}
