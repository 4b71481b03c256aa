/** Moves every assignment of one certificate to another; seen by the caller or not, for the use goes on. */

import { sql } from "drizzle-orm";
import type { Row } from "../../db/mod.ts";
import { EVERYTHING } from "../../lookup/mod.ts";
import {
  type Draft,
  judgeDrafts,
  loadForChange,
  removeRows,
  storeDrafts,
  type WriteCall,
} from "../../resource/mod.ts";
import { assignments } from "../assignments/mod.ts";

/** Moves them; one for whose target the new certificate has its own is dropped. Gives how many there were. */
export async function moveAssignments(
  { ctx, tx }: WriteCall,
  { from, to }: { from: number; to: number },
): Promise<number> {
  const call: WriteCall = { ctx, tx, resource: assignments, allowed: EVERYTHING };
  const found = await tx.all<{ id: number; doubled: number }>(
    sql`SELECT id, EXISTS (
          SELECT 1 FROM certificate_assignments AS other WHERE other.certificate_id = ${to}
          AND other.assigned_object_type = mine.assigned_object_type
          AND other.assigned_object_id = mine.assigned_object_id) AS doubled
        FROM certificate_assignments AS mine WHERE certificate_id = ${from} ORDER BY id`,
  );
  if (found.length === 0) return 0;
  const rows = await loadForChange(call, found.map(({ id }) => id));
  const doubled = found.filter((one) => one.doubled === 1).map(({ id }) => rows.get(id) as Row);
  if (doubled.length > 0) await removeRows(call, doubled);
  const drafts = found.filter((one) => one.doubled === 0).map(({ id }): Draft => ({
    id,
    before: rows.get(id) as Row,
    input: {},
    row: { certificate_id: to },
    errors: {},
    reveal: {},
  }));
  if (drafts.length > 0) {
    await judgeDrafts(call, drafts);
    await storeDrafts(call, drafts);
  }
  return found.length;
}
