/** Moves the assignments of certificates to their successors. */

import { sql } from "drizzle-orm";
import type { Cell, Row } from "../../../db/mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import { type Draft, loadForChange, removeRows, storeOnly, type WriteCall } from "../../../resource/mod.ts";
import { assignments } from "../../assignments/mod.ts";

/** Ids of a certificate and of its successor. */
export interface Succession {
  readonly from: number;
  readonly to: number;
}

/** An assignment to move, and the successor's existing one for the same target. */
interface MovableAssignment {
  readonly id: number;
  readonly is_primary: number;
  /** The successor of its certificate. */
  readonly successor: number;
  readonly existing: number | null;
  readonly existing_is_primary: number | null;
}

/**
 * Moves all assignments, including those that are hidden from the caller, because the targets continue to use
 * the certificate. If the successor already has an assignment for a target, the old one is deleted, and the
 * other becomes primary if either was. Permissions and tenants need no check, because both certificates have
 * the same tenant. Returns the number of assignments. The number of statements does not depend on the number of
 * certificates.
 */
export async function moveAssignments(
  { ctx, tx }: WriteCall,
  successions: readonly Succession[],
): Promise<number> {
  const call: WriteCall = { ctx, tx, resource: assignments, allowed: EVERYTHING };
  const found = await tx.all<MovableAssignment>(
    sql`SELECT mine.id AS id, mine.is_primary AS is_primary, succession.value ->> 'to' AS successor,
          other.id AS existing, other.is_primary AS existing_is_primary
        FROM json_each(${JSON.stringify(successions)}) AS succession
        CROSS JOIN certificate_assignments AS mine ON mine.certificate_id = succession.value ->> 'from'
        LEFT JOIN certificate_assignments AS other
          ON other.certificate_id = succession.value ->> 'to' AND other.assigned_object_type = mine.assigned_object_type
          AND other.assigned_object_id = mine.assigned_object_id
        ORDER BY mine.id`,
  );
  if (found.length === 0) return 0;
  const rows = await loadForChange(
    call,
    found.flatMap(({ id, existing }) => existing === null ? [id] : [id, existing]),
  );
  const changed = (id: number, row: Record<string, Cell>): Draft => ({
    id,
    before: rows.get(id) as Row,
    input: {},
    row,
    errors: {},
    reveal: {},
  });
  const dropped = found.filter(({ existing }) => existing !== null);
  if (dropped.length > 0) await removeRows(call, dropped.map(({ id }) => rows.get(id) as Row));
  const drafts = [
    ...found.filter(({ existing }) => existing === null).map(({ id, successor }) =>
      changed(id, { certificate_id: successor })
    ),
    ...dropped.filter(({ is_primary, existing_is_primary }) => is_primary === 1 && existing_is_primary === 0)
      .map(({ existing }) => changed(existing as number, { is_primary: 1 })),
  ];
  if (drafts.length > 0) await storeOnly(call, drafts);
  return found.length;
}
