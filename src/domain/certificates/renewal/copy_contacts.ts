/** Copies the contacts of a certificate to its successor. */

import { sql } from "drizzle-orm";
import { EVERYTHING } from "../../../filters/mod.ts";
import { draftsOf, storeOnly, type WriteCall } from "../../../resource/mod.ts";
import { contactAssignments } from "../../contact_assignments/mod.ts";
import { certificates } from "../mod.ts";

interface Copied {
  readonly contact_id: number;
  readonly role_id: number | null;
  readonly priority: string | null;
}

/**
 * Assigns the contacts of a certificate to its successor, except in roles that the successor has a contact in. Includes
 * those that are hidden from the caller, because they remain responsible for what uses the certificate; the certificate
 * keeps them, too.
 */
export async function copyContacts(
  { ctx, tx }: WriteCall,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const call: WriteCall = { ctx, tx, resource: contactAssignments, allowed: EVERYTHING };
  const type = certificates.objectType;
  const found = await tx.all<Copied>(
    sql`SELECT mine.contact_id AS contact_id, mine.role_id AS role_id, mine.priority AS priority
        FROM contact_assignments AS mine WHERE mine.object_type = ${type} AND mine.object_id = ${from}
          AND NOT EXISTS (SELECT 1 FROM contact_assignments AS other WHERE other.object_type = ${type}
            AND other.object_id = ${to} AND other.role_id IS mine.role_id)
        ORDER BY mine.id`,
  );
  if (found.length === 0) return;
  const drafts = await draftsOf(call, found.map(() => ({ input: {}, errors: {}, reveal: {} })));
  await storeOnly(
    call,
    drafts.map((draft, index) => ({ ...draft, row: { object_type: type, object_id: to, ...found[index] } })),
  );
}
