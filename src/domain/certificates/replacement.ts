/** What follows when a certificate gets a successor: its reason is recorded, and its assignments move. */

import { sql } from "drizzle-orm";
import type { Transaction } from "../../db/mod.ts";
import { EVERYTHING } from "../../filters/mod.ts";
import {
  anyErrors,
  changeDraft,
  type Draft,
  loadForChange,
  quote,
  refuse,
  removeRows,
  resourceOfType,
  storeOnly,
  validateDrafts,
  type WriteCall,
} from "../../resource/mod.ts";
import { ASSIGNMENT } from "./presence.ts";
import type { CertificateDraft, CertificateStep } from "./resource.ts";

/** Ids of a certificate and of its successor. */
export interface Succession {
  readonly from: number;
  readonly to: number;
}

/** Why a certificate was replaced. */
export const REPLACEMENT_REASONS = ["renewal", "reissue", "key_compromise", "ca_incident", "other"] as const;

/** Sets the reason of a replacement: only a certificate with a successor has one. */
export function setReason(draft: CertificateDraft): void {
  const { input, before, row } = draft;
  const given = input.replacement_reason;
  const stored = before?.replacement_reason ?? "";
  const former = before?.replaced_by_id ?? null;
  const successor = row.replaced_by_id ?? ("replaced_by" in input ? input.replaced_by : former) ?? null;
  if (row.replacement_reason !== undefined || (successor === former && given === undefined)) return;
  if (successor === null && given && given !== stored) {
    refuse(draft, "replacement_reason", `Expected "replaced_by" with the reason ${quote(given)}.`);
  }
  row.replacement_reason = successor === null ? "" : given || successor === former && stored || "renewal";
}

/** Drafts with `move_assignments: false`. The choice is about one write, so no row has it. */
const keeping = new WeakSet<Draft>();

/** Takes the choice out of the draft's input, where it would count as a change. */
export function readMoveChoice(draft: Draft): void {
  if (draft.input.move_assignments === false) keeping.add(draft);
  delete draft.input.move_assignments;
}

/** Moves the assignments of certificates that a write has given a successor, unless it says otherwise. */
export async function moveToSuccessors({ ctx, tx, drafts }: CertificateStep): Promise<void> {
  const successions = drafts.flatMap((draft) => {
    const { id, before, input: { replaced_by: to } } = draft;
    const isNew = before !== undefined && typeof to === "number" && to !== before.replaced_by_id;
    return isNew && !keeping.has(draft) ? [{ draft, from: id, to }] : [];
  });
  const { refused } = await moveAssignments({ ctx, tx }, successions);
  for (const { draft } of successions) {
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
  // Assignments refer to certificates, so that their definition cannot be imported here.
  const resource = resourceOfType(ASSIGNMENT);
  if (successions.length === 0 || resource === undefined) return { moved: 0, refused: new Map() };
  const call = { ctx, tx, resource, allowed: EVERYTHING };
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
  const pairs = found.flatMap(({ existing, ...mine }) => {
    const row = rows.get(mine.id);
    return row === undefined
      ? []
      : [{ mine, row, other: existing === null ? undefined : rows.get(existing) }];
  });
  const moving = pairs.filter(({ other }) => other === undefined).map(({ mine, row }) => ({
    mine,
    draft: changeDraft(row, { row: { certificate_id: mine.successor } }),
  }));
  const crossing = moving.filter(({ mine }) => mine.same_tenant === 0).map(({ draft }) => draft);
  if (crossing.length > 0) await validateDrafts(call, crossing);
  if (anyErrors(crossing)) {
    const wrong = moving.flatMap(({ mine, draft }) => {
      const [message] = Object.values(draft.errors).flat();
      return message === undefined ? [] : [[mine.certificate, message] as const];
    });
    return { moved: 0, refused: new Map(wrong) };
  }
  const dropped = pairs.filter(({ other }) => other !== undefined).map(({ row }) => row);
  if (dropped.length > 0) await removeRows(call, dropped);
  const drafts = [
    ...moving.map(({ draft }) => draft),
    ...pairs.flatMap(({ mine, other }) =>
      other === undefined ? [] : changeDraft(other, {
        row: {
          is_primary: Math.max(mine.is_primary, Number(other.is_primary)),
          automatic: Math.min(mine.automatic, Number(other.automatic)),
        },
      })
    ),
  ];
  if (drafts.length > 0) await storeOnly(call, drafts);
  return { moved: found.length, refused: new Map() };
}
