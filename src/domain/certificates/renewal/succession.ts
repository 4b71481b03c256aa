/**
 * The steps of renewals: what a successor must be and takes over, and the status of the certificate that it replaces. The
 * number of statements does not depend on the number of renewals.
 */

import { sql } from "drizzle-orm";
import { sha256Hex } from "../../../base/bytes.ts";
import { addFinding, type Finding, finding } from "../../../base/findings.ts";
import { visible } from "../../../auth/mod.ts";
import { AppError, invalid, notFound } from "../../../base/errors.ts";
import { formatDate, type Millis } from "../../../base/clock.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import {
  changeDraft,
  draftsOf,
  linksOf,
  loadForChange,
  storeDrafts,
  storeOnly,
  validateDrafts,
  type WriteCall,
} from "../../../resource/mod.ts";
import { type ImportRow, type Inherited, storeSuccessors } from "../import/mod.ts";
import {
  type Certificate,
  type CertificateCall,
  type CertificateRow,
  certificates,
  isExpired,
  moveAssignments,
  noSharedName,
  shareName,
  type Succession,
} from "../mod.ts";
import { recordRenewed } from "../../signing_requests/mod.ts";
import { contactAssignments } from "../../contact_assignments/mod.ts";

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
interface NewSuccessor {
  readonly old: CertificateRow;
  readonly row: ImportRow;
}

/**
 * Creates successors with the tenant, tags, description, renewal note and expiry notices of the old ones, and with the
 * location of a key that they keep, unless it is given. Errors: invalid, forbidden.
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

function inheritedFrom({ old, row: { body, certificate } }: NewSuccessor): Inherited {
  const spki = certificate?.publicKey.spki;
  const keepsKey = spki !== undefined && sha256Hex(spki) === old.spki_sha256;
  return {
    row: {
      tenant_id: old.tenant_id,
      expiry_notices: old.expiry_notices,
      renewal_note: old.renewal_note,
      description: old.description,
      automation_given: old.automation_given,
      // A new key has a location of its own.
      ...(keepsKey && body.private_key_location === undefined
        ? { private_key_location: old.private_key_location }
        : {}),
    },
    input: { tags: linksOf({ before: old }, "tags") },
  };
}

/** Checks that a certificate can be the successor of another one. Errors: invalid (`field`). */
export function checkSuccessor(
  { old, successor }: Renewed,
  { field, now }: { field: string; now: Millis },
): void {
  const errors: Finding[] = [];
  if (successor.id === old.id) addFinding(errors, field, finding("own_successor"));
  else {
    if (successor.tenant_id !== old.tenant_id) {
      addFinding(errors, field, finding("other_tenant_successor"));
    }
    if (!shareName(old, successor)) addFinding(errors, field, noSharedName(old, successor));
    // One that expires earlier is allowed: after an incident of the authority, or when lifetimes become shorter.
    if (isExpired(successor.valid_to, now)) {
      addFinding(errors, field, finding("successor_expired", { date: formatDate(successor.valid_to) }));
    }
  }
  if (errors.length > 0) throw invalid(errors);
}

/**
 * Moves assignments and copies contacts to the successors, sets the old certificates to `replaced`, and their signing
 * requests to `issued`. Returns the changed certificates, and the numbers of assignments and requests. Errors: invalid (`field` for the successor).
 */
export async function replaceAll(
  call: CertificateCall,
  renewed: readonly Renewed[],
  { field, reason }: { field: string; reason: string },
): Promise<{ replaced: Certificate[]; moved: number; issued: number }> {
  const successions = renewed.map(({ old, successor }) => ({ from: old.id, to: successor.id }));
  const moved = await moveAssignments(call, successions);
  await copyContacts(call, successions);
  const drafts = renewed.map(({ old, successor }) =>
    changeDraft(old, {
      row: { status: "replaced", replaced_by_id: successor.id, replacement_reason: reason },
    })
  );
  await validateDrafts(call, drafts);
  for (const { errors } of drafts) {
    if (errors.length === 0) continue;
    throw invalid(errors.map((one) => one.field === "replaced_by" ? { ...one, field } : one));
  }
  const replaced = await storeDrafts(call, drafts);
  return { replaced, moved, issued: await recordRenewed(call, renewed) };
}

interface CopiedContact {
  /** The successor. */
  readonly object_id: number;
  readonly contact_id: number;
  readonly role_id: number | null;
  readonly priority: string | null;
}

/**
 * Assigns the contacts of certificates to their successors, except in roles that a successor has a contact in. Includes
 * those that are hidden from the caller, because they remain responsible for what uses the certificate; the certificate
 * keeps them, too. The number of statements does not depend on the number of certificates.
 */
async function copyContacts(
  { ctx, tx }: CertificateCall,
  successions: readonly Succession[],
): Promise<void> {
  const call: WriteCall = { ctx, tx, resource: contactAssignments, allowed: EVERYTHING };
  const type = certificates.objectType;
  const found = await tx.all<CopiedContact>(
    sql`SELECT succession.value ->> 'to' AS object_id, mine.contact_id AS contact_id, mine.role_id AS role_id,
          mine.priority AS priority
        FROM json_each(${JSON.stringify(successions)}) AS succession
        CROSS JOIN contact_assignments AS mine
          ON mine.object_type = ${type} AND mine.object_id = succession.value ->> 'from'
        WHERE NOT EXISTS (SELECT 1 FROM contact_assignments AS other WHERE other.object_type = ${type}
            AND other.object_id = succession.value ->> 'to' AND other.role_id IS mine.role_id)
        ORDER BY mine.id`,
  );
  if (found.length === 0) return;
  const drafts = await draftsOf(call, found.map(() => ({ input: {}, errors: [], reveal: {} })));
  await storeOnly(
    call,
    drafts.map((draft, index) => ({ ...draft, row: { object_type: type, ...found[index] } })),
  );
}
