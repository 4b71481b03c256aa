/** What follows when a certificate gets a successor: its reason is recorded, and in a renewal its assignments move. */

import { finding } from "../../base/findings.ts";
import { sql } from "drizzle-orm";
import { nameableSql } from "../../auth/mod.ts";
import type { Transaction } from "../../db/mod.ts";
import { EVERYTHING } from "../../filters/mod.ts";
import {
  changeDraft,
  loadForChange,
  quote,
  refuse,
  removeRows,
  resourceOfType,
  storeOnly,
  type WriteCall,
} from "../../resource/mod.ts";
import { ASSIGNMENT } from "./presence.ts";
import type { CertificateDraft } from "./resource.ts";

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
    refuse(draft, "replacement_reason", finding("reason_without_successor", { value: quote(given) }));
  }
  row.replacement_reason = successor === null ? "" : given || successor === former && stored || "renewal";
}

/** An assignment to move, and the successor's existing one for the same target. */
interface MovableAssignment {
  readonly id: number;
  readonly is_primary: number;
  readonly automatic: number;
  /** The successor of its certificate. */
  readonly successor: number;
  readonly existing: number | null;
  /** Whether the caller may name it. */
  readonly nameable: number;
}

/**
 * Moves all assignments, including those that are hidden from the caller, because the targets continue to use
 * the certificate. If the successor already has an assignment for a target, the old one is deleted, and the
 * other becomes primary if either was, and stays automatic if both were. Permissions and tenants need no check, because both
 * certificates have the same tenant. Returns the number of those that the caller may name. The number of statements
 * does not depend on the number of certificates.
 */
export async function moveAssignments(
  { ctx, tx }: { ctx: WriteCall["ctx"]; tx: Transaction },
  successions: readonly Succession[],
): Promise<number> {
  // Assignments refer to certificates, so that their definition cannot be imported here.
  const resource = resourceOfType(ASSIGNMENT);
  if (resource === undefined) return 0;
  const call = { ctx, tx, resource, allowed: EVERYTHING };
  const found = await tx.all<MovableAssignment>(
    sql`SELECT mine.id AS id, mine.is_primary AS is_primary, mine.automatic AS automatic,
          succession.value ->> 'to' AS successor, other.id AS existing,
          ${nameableSql(ctx, resource.map, "mine") ?? sql`1`} AS nameable
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
  const pairs = found.flatMap(({ existing, ...mine }) => {
    const row = rows.get(mine.id);
    return row === undefined
      ? []
      : [{ mine, row, other: existing === null ? undefined : rows.get(existing) }];
  });
  const dropped = pairs.filter(({ other }) => other !== undefined).map(({ row }) => row);
  if (dropped.length > 0) await removeRows(call, dropped);
  const drafts = pairs.map(({ mine, row, other }) =>
    other === undefined ? changeDraft(row, { row: { certificate_id: mine.successor } }) : changeDraft(other, {
      row: {
        is_primary: Math.max(mine.is_primary, Number(other.is_primary)),
        automatic: Math.min(mine.automatic, Number(other.automatic)),
      },
    })
  );
  if (drafts.length > 0) await storeOnly(call, drafts);
  return found.filter(({ nameable }) => nameable === 1).length;
}
