/** Stores results: the latest one for each certificate and policy. */

import { type SQL, sql } from "drizzle-orm";
import type { Millis } from "../../base/clock.ts";
import { insertRows, type Row, type Transaction } from "../../db/mod.ts";
import { compliance_checks } from "../../db/schema/mod.ts";
import type { Evaluation } from "./evaluate.ts";

/** The columns of a stored result that are not part of its evaluation. */
export interface StoredCheck {
  readonly id: number;
  readonly certificate_id: number;
  readonly policy_id: number;
  readonly created: Millis;
  readonly last_updated: Millis;
}

/**
 * Stores results, and deletes those of pairs to which policies no longer apply. Two statements, whatever the
 * number of results.
 * @returns The stored results in no particular order if `readBack` is true; otherwise nothing.
 */
export async function storeChecks(
  tx: Transaction,
  { evaluations, outside, now, readBack }: {
    evaluations: readonly Evaluation[];
    outside: readonly (readonly [certificateId: number, policyId: number])[];
    now: Millis;
    readBack: boolean;
  },
): Promise<StoredCheck[]> {
  await tx.run(deleteOutside(outside));
  const upsert = sql`${
    insertRows(compliance_checks, evaluations.map((one) => rowOf(one, now)))
  } ON CONFLICT (certificate_id, policy_id)
    DO UPDATE SET result = excluded.result, severity = excluded.severity, message = excluded.message,
      checked_value = excluded.checked_value, expected_value = excluded.expected_value,
      checked_at = excluded.checked_at, last_updated = max(excluded.last_updated, last_updated + 1)`;
  if (readBack) {
    return await tx.all<StoredCheck>(
      sql`${upsert} RETURNING id, certificate_id, policy_id, created, last_updated`,
    );
  }
  await tx.run(upsert);
  return [];
}

function rowOf(evaluation: Evaluation, now: Millis): Row {
  const { certificateId, validTo, policyId, severity, result, message, checked_value, expected_value } =
    evaluation;
  return {
    certificate_id: certificateId,
    certificate_valid_to: validTo,
    policy_id: policyId,
    result,
    severity,
    message,
    checked_value,
    expected_value,
    checked_at: now,
    created: now,
    last_updated: now,
  };
}

function deleteOutside(outside: readonly (readonly [number, number])[]): SQL {
  return sql`DELETE FROM ${compliance_checks} WHERE (certificate_id, policy_id) IN
    (SELECT value ->> 0, value ->> 1 FROM json_each(${JSON.stringify(outside)}))`;
}
