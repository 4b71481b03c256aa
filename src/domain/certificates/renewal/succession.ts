/**
 * The steps of renewals: what a successor must be and takes over, and the status of the certificate that it replaces. The
 * number of statements does not depend on the number of renewals.
 */

import { visible } from "../../../auth/mod.ts";
import { addError, AppError, type FieldErrors, invalid, notFound } from "../../../base/errors.ts";
import { formatDate, type Millis } from "../../../base/clock.ts";
import type { Row } from "../../../db/mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import {
  type Draft,
  loadForChange,
  storeDrafts,
  validateDrafts,
  type WriteCall,
} from "../../../resource/mod.ts";
import { type ImportRow, type Inherited, storeSuccessors } from "../import/mod.ts";
import { isExpired, moveAssignments, noSharedName, shareName } from "../mod.ts";
import { copyContacts } from "./copy_to_successor.ts";

/** A certificate and its successor. */
export interface Renewed {
  readonly old: Row;
  readonly successor: Row;
}

/** Loads certificates to renew, in the order of the ids. Errors: not_found, conflict (one already has a successor). */
export async function loadRenewing(call: WriteCall, ids: readonly number[]): Promise<Row[]> {
  const found = await loadForChange(call, ids);
  const rows = ids.map((id) => found.get(id));
  for (const row of rows) {
    if (row === undefined) throw notFound();
    if (row.replaced_by_id !== null) throw await alreadyReplaced(call, row.replaced_by_id as number);
  }
  return rows as Row[];
}

/** Returns the error, which names the successor if the caller may view it. */
async function alreadyReplaced(call: WriteCall, successorId: number): Promise<AppError> {
  const allowed = visible(call.ctx, call.resource.map);
  const successor = (await loadForChange({ ...call, allowed }, [successorId])).get(successorId);
  const named = successor === undefined
    ? "."
    : ` by ${successor.common_name} (ID: ${successorId}). Renew that one instead.`;
  return new AppError("conflict", `The certificate is already replaced${named}`);
}

/** A successor to create. */
export interface NewSuccessor {
  readonly old: Row;
  readonly row: ImportRow;
  /** Texts that it gets from the old certificate. */
  readonly copied: readonly ("private_key_location" | "description")[];
}

/**
 * Creates successors with the tenant, tags, renewal note and expiry notices of the old ones. Errors: invalid,
 * forbidden.
 */
export async function createSuccessors(call: WriteCall, given: readonly NewSuccessor[]): Promise<Row[]> {
  const inherited = new Map(given.map((one) => [one.row.place, inheritedFrom(one)]));
  const ids = await storeSuccessors(call, given.map(({ row }) => row), inherited);
  const rows = await loadForChange({ ...call, allowed: EVERYTHING }, [...ids.values()]);
  return given.map(({ row: { place } }) => rows.get(ids.get(place) as number) as Row);
}

function inheritedFrom({ old, copied }: NewSuccessor): Inherited {
  return {
    row: {
      tenant_id: old.tenant_id ?? null,
      expiry_notices: old.expiry_notices ?? null,
      renewal_note: old.renewal_note as string,
      ...Object.fromEntries(copied.map((name) => [name, old[name] as string])),
    },
    input: { tags: old.tags_ids as unknown as number[] },
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
    if (isExpired(successor.valid_to as number, now)) {
      const expired = formatDate(successor.valid_to as number);
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
  call: WriteCall,
  renewed: readonly Renewed[],
  { field, reason }: { field: string; reason: string },
): Promise<{ replaced: Record<string, unknown>[]; moved: number }> {
  const successions = renewed.map(({ old, successor }) => ({
    from: old.id as number,
    to: successor.id as number,
  }));
  const { moved } = await moveAssignments(call, successions);
  await copyContacts(call, successions);
  const drafts = renewed.map(({ old, successor }): Draft => ({
    id: old.id as number,
    before: old,
    input: {},
    row: { status: "replaced", replaced_by_id: successor.id as number, replacement_reason: reason },
    errors: {},
    reveal: {},
  }));
  await validateDrafts(call, drafts);
  for (const { errors: { replaced_by, ...errors } } of drafts) {
    if (replaced_by !== undefined) errors[field] = replaced_by;
    if (Object.keys(errors).length > 0) throw invalid(errors);
  }
  return { replaced: await storeDrafts(call, drafts), moved };
}
