/**
 * The steps of renewals: what a successor must be and takes over, and the status of the certificate that it replaces. The
 * number of statements does not depend on the number of renewals.
 */

import { visible } from "../../../auth/mod.ts";
import { addError, AppError, type FieldErrors, invalid, notFound } from "../../../base/errors.ts";
import { formatDate, type Millis } from "../../../base/clock.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import { changeDraft, linksOf, loadForChange, storeDrafts, validateDrafts } from "../../../resource/mod.ts";
import { type ImportRow, type Inherited, storeSuccessors } from "../import/mod.ts";
import {
  type Certificate,
  type CertificateCall,
  type CertificateRow,
  isExpired,
  moveAssignments,
  noSharedName,
  shareName,
} from "../mod.ts";
import { copyContacts } from "./copy_to_successor.ts";

/** A certificate and its successor. */
export interface Renewed {
  readonly old: CertificateRow;
  readonly successor: CertificateRow;
}

/** Loads certificates to renew, in the order of the ids. Errors: not_found, conflict (one already has a successor). */
export async function loadRenewing(call: CertificateCall, ids: readonly number[]): Promise<CertificateRow[]> {
  const found = await loadForChange(call, ids);
  const rows: CertificateRow[] = [];
  for (const id of ids) {
    const row = found.get(id);
    if (row === undefined) throw notFound();
    if (row.replaced_by_id !== null) throw await alreadyReplaced(call, row.replaced_by_id);
    rows.push(row);
  }
  return rows;
}

/** Returns the error, which names the successor if the caller may view it. */
async function alreadyReplaced(call: CertificateCall, successorId: number): Promise<AppError> {
  const allowed = visible(call.ctx, call.resource.map);
  const successor = (await loadForChange({ ...call, allowed }, [successorId])).get(successorId);
  const named = successor === undefined
    ? "."
    : ` by ${successor.common_name} (ID: ${successorId}). Renew that one instead.`;
  return new AppError("conflict", `The certificate is already replaced${named}`);
}

/** A successor to create. */
export interface NewSuccessor {
  readonly old: CertificateRow;
  readonly row: ImportRow;
  /** Texts that it gets from the old certificate. */
  readonly copied: readonly ("private_key_location" | "description")[];
}

/**
 * Creates successors with the tenant, tags, renewal note and expiry notices of the old ones. Errors: invalid,
 * forbidden.
 */
export async function createSuccessors(
  call: CertificateCall,
  given: readonly NewSuccessor[],
): Promise<CertificateRow[]> {
  const inherited = new Map(given.map((one) => [one.row.place, inheritedFrom(one)]));
  const ids = await storeSuccessors(call, given.map(({ row }) => row), inherited);
  const rows = await loadForChange({ ...call, allowed: EVERYTHING }, [...ids.values()]);
  return given.flatMap(({ row: { place } }) => rows.get(ids.get(place) ?? 0) ?? []);
}

function inheritedFrom({ old, copied }: NewSuccessor): Inherited {
  return {
    row: {
      tenant_id: old.tenant_id,
      expiry_notices: old.expiry_notices,
      renewal_note: old.renewal_note,
      ...Object.fromEntries(copied.map((name) => [name, old[name]])),
    },
    input: { tags: linksOf({ before: old }, "tags") },
  };
}

/** Checks that a certificate can be the successor of another one. Errors: invalid (`field`). */
export function checkSuccessor(
  { old, successor }: Renewed,
  { field, now }: { field: string; now: Millis },
): void {
  const errors: FieldErrors = {};
  if (successor.id === old.id) addError(errors, field, "A certificate cannot replace itself.");
  else {
    if (successor.tenant_id !== old.tenant_id) {
      addError(errors, field, "The successor belongs to another tenant.");
    }
    if (!shareName(old, successor)) addError(errors, field, noSharedName(old, successor));
    // One that expires earlier is allowed: after an incident of the authority, or when lifetimes become shorter.
    if (isExpired(successor.valid_to, now)) {
      const expired = formatDate(successor.valid_to);
      addError(errors, field, `The successor expired on ${expired}. Choose one that is still valid.`);
    }
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

/**
 * Moves assignments and copies contacts to the successors, and sets the old certificates to `replaced`. Returns the
 * changed certificates and the number of assignments. Errors: invalid (`field` for the successor).
 */
export async function replaceAll(
  call: CertificateCall,
  renewed: readonly Renewed[],
  { field, reason }: { field: string; reason: string },
): Promise<{ replaced: Certificate[]; moved: number }> {
  const successions = renewed.map(({ old, successor }) => ({ from: old.id, to: successor.id }));
  const { moved } = await moveAssignments(call, successions);
  await copyContacts(call, successions);
  const drafts = renewed.map(({ old, successor }) =>
    changeDraft(old, {
      row: { status: "replaced", replaced_by_id: successor.id, replacement_reason: reason },
    })
  );
  await validateDrafts(call, drafts);
  for (const { errors: { replaced_by, ...errors } } of drafts) {
    if (replaced_by !== undefined) errors[field] = replaced_by;
    if (Object.keys(errors).length > 0) throw invalid(errors);
  }
  return { replaced: await storeDrafts(call, drafts), moved };
}
