/** What follows when a certificate gets a successor: its reason is recorded, and its assignments move. */

import { sql } from "drizzle-orm";
import type { Cell, Row, Transaction } from "../../db/mod.ts";
import { EVERYTHING } from "../../filters/mod.ts";
import {
  anyErrors,
  type Draft,
  loadForChange,
  quote,
  refuse,
  removeRows,
  type Resource,
  resourceOfType,
  storeOnly,
  validateDrafts,
  type WriteCall,
  type WriteStep,
} from "../../resource/mod.ts";
import { ASSIGNMENT } from "./presence.ts";

/** Ids of a certificate and of its successor. */
export interface Succession {
  readonly from: number;
  readonly to: number;
}

/** Why a certificate was replaced. */
export const REPLACEMENT_REASONS = ["renewal", "reissue", "key_compromise", "ca_incident", "other"] as const;

/** Sets the reason of a replacement: only a certificate with a successor has one. */
export function setReason(draft: Draft): void {
  const { input, before, row } = draft;
  const given = input.replacement_reason as string | undefined;
  const stored = before?.replacement_reason ?? "";
  const former = before?.replaced_by_id ?? null;
  const successor = row.replaced_by_id ?? ("replaced_by" in input ? input.replaced_by : former) ?? null;
  if (row.replacement_reason !== undefined || (successor === former && given === undefined)) return;
  if (successor === null && given && given !== stored) {
    refuse(draft, "replacement_reason", `Expected "replaced_by" with the reason ${quote(given)}.`);
  }
  row.replacement_reason = successor === null
    ? ""
    : given || (successor === former && stored as string) || "renewal";
}

/** Drafts with `move_assignments: false`. The choice is about one write, so no row has it. */
const keeping = new WeakSet<Draft>();

/** Takes the choice out of the draft's input, where it would count as a change. */
export function readMoveChoice(draft: Draft): void {
  if (draft.input.move_assignments === false) keeping.add(draft);
  delete draft.input.move_assignments;
}

/** Moves the assignments of certificates that a write has given a successor, unless it says otherwise. */
export async function moveToSuccessors({ ctx, tx, drafts }: WriteStep): Promise<void> {
  const replaced = drafts.filter((draft) => {
    const { before, input: { replaced_by: successor } } = draft;
    return before !== undefined && typeof successor === "number" && successor !== before.replaced_by_id &&
      !keeping.has(draft);
  });
  const successions = replaced.map(({ id, input }) => ({ from: id, to: input.replaced_by as number }));
  const { refused } = await moveAssignments({ ctx, tx }, successions);
  for (const draft of replaced) {
    const message = refused.get(draft.id);
    if (message !== undefined) {
      refuse(draft, "replaced_by", `${message} Set "move_assignments" to false to leave its assignments.`);
    }
  }
}

/** An assignment to move, and the successor's existing one for the same target. */
interface MovableAssignment {
  readonly id: number;
  readonly is_primary: number;
  readonly automatic: number;
  readonly certificate: number;
  /** The successor of its certificate. */
  readonly successor: number;
  readonly existing: number | null;
  /** Whether both certificates have the same tenant. */
  readonly same_tenant: number;
}

/**
 * Moves all assignments, including those that are hidden from the caller, because the targets continue to use
 * the certificate. If the successor already has an assignment for a target, the old one is deleted, and the
 * other becomes primary if either was, and stays automatic if both were. Permissions need no check; the tenants of the targets only if the certificates
 * have different ones. Returns the number of assignments, and errors by the id of the certificate. The number of
 * statements does not depend on the number of certificates.
 */
export async function moveAssignments(
  { ctx, tx }: { ctx: WriteCall["ctx"]; tx: Transaction },
  successions: readonly Succession[],
): Promise<{ moved: number; refused: ReadonlyMap<number, string> }> {
  if (successions.length === 0) return { moved: 0, refused: new Map() };
  // Assignments refer to certificates, so that their definition cannot be imported here.
  const resource = resourceOfType(ASSIGNMENT) as Resource;
  const call: WriteCall = { ctx, tx, resource, allowed: EVERYTHING };
  const found = await tx.all<MovableAssignment>(
    sql`SELECT mine.id AS id, mine.is_primary AS is_primary, mine.automatic AS automatic, mine.certificate_id AS certificate,
          succession.value ->> 'to' AS successor, other.id AS existing,
          old.tenant_id IS successor.tenant_id AS same_tenant
        FROM json_each(${JSON.stringify(successions)}) AS succession
        CROSS JOIN certificate_assignments AS mine ON mine.certificate_id = succession.value ->> 'from'
        CROSS JOIN certificates AS old ON old.id = mine.certificate_id
        CROSS JOIN certificates AS successor ON successor.id = succession.value ->> 'to'
        LEFT JOIN certificate_assignments AS other
          ON other.certificate_id = succession.value ->> 'to' AND other.assigned_object_type = mine.assigned_object_type
          AND other.assigned_object_id = mine.assigned_object_id
        ORDER BY mine.id`,
  );
  if (found.length === 0) return { moved: 0, refused: new Map() };
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
  const kept = found.filter(({ existing }) => existing === null);
  const moving = kept.map(({ id, successor }) => changed(id, { certificate_id: successor }));
  const crossing = moving.filter((_, index) => kept[index]?.same_tenant === 0);
  if (crossing.length > 0) await validateDrafts(call, crossing);
  if (anyErrors(crossing)) {
    const wrong = kept.flatMap(({ certificate }, index) => {
      const [message] = Object.values(moving[index]?.errors ?? {}).flat();
      return message === undefined ? [] : [[certificate, message] as const];
    });
    return { moved: 0, refused: new Map(wrong) };
  }
  if (dropped.length > 0) await removeRows(call, dropped.map(({ id }) => rows.get(id) as Row));
  const drafts = [
    ...moving,
    ...dropped.map(({ existing, ...mine }) => {
      const other = rows.get(existing as number) as Row;
      return changed(existing as number, {
        is_primary: Math.max(mine.is_primary, other.is_primary as number),
        automatic: Math.min(mine.automatic, other.automatic as number),
      });
    }),
  ];
  if (drafts.length > 0) await storeOnly(call, drafts);
  return { moved: found.length, refused: new Map() };
}
