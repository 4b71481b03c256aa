/** Copies fields and contacts of a certificate to its successor if it does not have them. */

import { sql } from "drizzle-orm";
import { authorize } from "../../../auth/mod.ts";
import { invalid } from "../../../base/errors.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import {
  anyErrors,
  changeDraft,
  draftsOf,
  linksOf,
  loadForChange,
  storeOnly,
  validateDrafts,
  type WriteCall,
} from "../../../resource/mod.ts";
import { contactAssignments } from "../../contact_assignments/mod.ts";
import { type CertificateCall, type CertificateRow, certificates, type Succession } from "../mod.ts";

/** Fields that users set, and that describe the use of a certificate, so that a successor has them as well. */
export const COPYABLE = ["tags", "private_key_location", "description", "renewal_note"] as const;
export type Copyable = (typeof COPYABLE)[number];

type Copied = Readonly<Partial<Record<Copyable, unknown>>>;

/** Returns the fields that a certificate has and its successor does not have. */
export function copyableFields(old: Copied, successor: Copied): Copyable[] {
  return COPYABLE.filter((name) => !isEmpty(old[name]) && isEmpty(successor[name]));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "" || Array.isArray(value) && value.length === 0;
}

/**
 * Copies those of `fields` that are empty in an existing successor, in the caller's transaction. Errors: forbidden, invalid
 * (`copy_if_empty`).
 */
export async function copyIfEmpty(
  call: CertificateCall,
  { old, successor, fields }: { old: CertificateRow; successor: CertificateRow; fields: readonly Copyable[] },
): Promise<void> {
  const copied = copyableFields(valuesOf(old), valuesOf(successor)).filter((name) => fields.includes(name));
  if (copied.length === 0) return;
  const { id } = successor;
  const changing = { ...call, allowed: authorize(call.ctx, "change", certificates.map) };
  const before = (await loadForChange(changing, [id])).get(id);
  if (before === undefined) {
    throw invalid({
      copy_if_empty: [
        `You may not change the successor. Leave copy_if_empty out, or renew with another one.`,
      ],
    });
  }
  const texts = copied.filter((name) => name !== "tags").map((name) => [name, old[name]]);
  const draft = changeDraft(before, { input: Object.fromEntries(texts) });
  await validateDrafts(changing, [draft]);
  if (anyErrors([draft])) throw invalid(draft.errors);
  // Tags are copied although the caller may not view some of them, as for a successor that is given as PEM.
  if (copied.includes("tags")) draft.input.tags = linksOf({ before: old }, "tags");
  await storeOnly(changing, [draft]);
}

function valuesOf(row: CertificateRow): Copied {
  return { ...row, tags: linksOf({ before: row }, "tags") };
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
export async function copyContacts(
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
  const drafts = await draftsOf(call, found.map(() => ({ input: {}, errors: {}, reveal: {} })));
  await storeOnly(
    call,
    drafts.map((draft, index) => ({ ...draft, row: { object_type: type, ...found[index] } })),
  );
}
