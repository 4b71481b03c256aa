/** Moves every assignment of one certificate to another; seen by the caller or not, for the use goes on. */

import { sql } from "drizzle-orm";
import type { Cell, Row } from "../../../db/mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import { type Draft, loadForChange, removeRows, storeDrafts, type WriteCall } from "../../../resource/mod.ts";
import { assignments } from "../../assignments/mod.ts";

/** An assignment to be moved, and the one that the new certificate has for the same target already. */
interface Found {
  readonly id: number;
  readonly is_primary: number;
  readonly twin: number | null;
  readonly twin_is_primary: number | null;
}

/**
 * Moves them; one for whose target the new certificate has its own is dropped, and that one is primary if either
 * was. Nothing is judged: whatever uses the old certificate goes on with the new one, of the same tenant. Gives how
 * many there were.
 */
export async function moveAssignments(
  { ctx, tx }: WriteCall,
  { from, to }: { from: number; to: number },
): Promise<number> {
  const call: WriteCall = { ctx, tx, resource: assignments, allowed: EVERYTHING };
  const found = await tx.all<Found>(
    sql`SELECT mine.id AS id, mine.is_primary AS is_primary, other.id AS twin, other.is_primary AS twin_is_primary
        FROM certificate_assignments AS mine LEFT JOIN certificate_assignments AS other
          ON other.certificate_id = ${to} AND other.assigned_object_type = mine.assigned_object_type
          AND other.assigned_object_id = mine.assigned_object_id
        WHERE mine.certificate_id = ${from} ORDER BY mine.id`,
  );
  if (found.length === 0) return 0;
  const rows = await loadForChange(call, found.flatMap(({ id, twin }) => twin === null ? [id] : [id, twin]));
  const changed = (id: number, row: Record<string, Cell>): Draft => ({
    id,
    before: rows.get(id) as Row,
    input: {},
    row,
    errors: {},
    reveal: {},
  });
  const dropped = found.filter(({ twin }) => twin !== null);
  if (dropped.length > 0) await removeRows(call, dropped.map(({ id }) => rows.get(id) as Row));
  const drafts = [
    ...found.filter(({ twin }) => twin === null).map(({ id }) => changed(id, { certificate_id: to })),
    ...dropped.filter(({ is_primary, twin_is_primary }) => is_primary === 1 && twin_is_primary === 0)
      .map(({ twin }) => changed(twin as number, { is_primary: 1 })),
  ];
  if (drafts.length > 0) await storeDrafts(call, drafts);
  return found.length;
}
