/** Chains that are validated again when an issuer or an authority above them is stored. */

import { type SQL, sql } from "drizzle-orm";
import type { Transaction } from "../../db/mod.ts";

/** Maximum number of authorities below a new one that are considered. */
const MAX_BELOW = 100;
/** Maximum number of chains that are validated at once; the daily evaluation validates the others. */
const MAX_WAITING = 1_000;

/** Chains whose result a new issuer can improve: also valid ones, if none of their authorities is known. */
export const IS_WAITING: SQL =
  sql`(waiting.chain_status IN ('no_chain', 'incomplete') OR waiting.chain_status = 'valid' AND waiting.issuing_ca_id IS NULL)`;

/**
 * Deletes the time of validation of chains below the subjects that match a condition on `waiting`, so that a job
 * validates them within a minute. One statement if there are subjects, otherwise none.
 */
export async function reopenChains(
  tx: Transaction,
  subjects: readonly string[],
  condition: SQL,
): Promise<void> {
  if (subjects.length === 0) return;
  await tx.run(
    sql`WITH RECURSIVE below (name) AS (
        SELECT value FROM json_each(${JSON.stringify(subjects)})
        UNION SELECT ca.subject FROM below CROSS JOIN certificates AS ca INDEXED BY certificates_authorities
          ON ca.issuer = below.name COLLATE NOCASE AND ca.kind = 'ca' AND ca.has_pem = 1
        LIMIT ${MAX_BELOW}
      )
      UPDATE certificates SET chain_validated_at = NULL WHERE id IN (
        SELECT waiting.id FROM below CROSS JOIN certificates AS waiting ON waiting.issuer = below.name COLLATE NOCASE
        WHERE waiting.chain_status IS NOT NULL AND waiting.has_pem = 1 AND ${condition}
        LIMIT ${MAX_WAITING}
      )`,
  );
}
