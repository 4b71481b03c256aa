/** Assigns a served certificate to the object of its endpoint. */

import { sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import type { Transaction } from "../../../db/mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import { draftsOf, storeOnly, validateDrafts, type WriteCall } from "../../../resource/mod.ts";
import { assignments } from "../../assignments/mod.ts";
import type { EvaluatedEndpoint } from "./settle.ts";

const NOTE = "Served by an endpoint of this object.";

interface ServedAssignment {
  readonly certificate: number;
  readonly type: string;
  readonly object: number;
}

/**
 * Adds missing assignments of certificates that endpoints serve now and did not serve before. Impossible
 * ones, for example to an object of another tenant, are left out. One statement, and those of a write if any
 * is missing.
 */
export async function assignServed(
  ctx: Context,
  tx: Transaction,
  evaluated: readonly EvaluatedEndpoint[],
): Promise<void> {
  const requested = evaluated.flatMap(({ endpoint, certificateId, findings }): ServedAssignment[] => {
    const { assigned_object_type: type, assigned_object_id: object } = endpoint;
    const isNew = certificateId !== null && certificateId !== endpoint.certificate_id;
    const isRight = !findings.some(({ state }) => ["superseded", "wrong_certificate"].includes(state));
    return isNew && isRight && type !== null && object !== null
      ? [{ certificate: certificateId, type, object }]
      : [];
  });
  if (requested.length === 0) return;
  const missing = await tx.all<ServedAssignment>(
    sql`SELECT DISTINCT value->>'certificate' AS certificate, value->>'type' AS type, value->>'object' AS object
        FROM json_each(${JSON.stringify(requested)}) WHERE NOT EXISTS (
          SELECT 1 FROM certificate_assignments AS present WHERE present.certificate_id = value->>'certificate'
            AND present.assigned_object_type = value->>'type' AND present.assigned_object_id = value->>'object')`,
  );
  if (missing.length === 0) return;
  const call: WriteCall = { ctx, tx, resource: assignments, allowed: EVERYTHING };
  const bodies = missing.map(() => ({ input: { is_primary: false, notes: NOTE }, errors: {}, reveal: {} }));
  const drafts = await draftsOf(call, bodies);
  for (const [index, { certificate, type, object }] of missing.entries()) {
    Object.assign(drafts[index]?.row ?? {}, {
      certificate_id: certificate,
      assigned_object_type: type,
      assigned_object_id: object,
    });
  }
  await validateDrafts(call, drafts);
  const possible = drafts.filter(({ errors }) => Object.keys(errors).length === 0);
  if (possible.length > 0) await storeOnly(call, possible);
}
