/** Runs compliance policies on certificates and stores the results. */

import { z } from "zod";
import { type SQL, sql } from "drizzle-orm";
import { type Context, nameable } from "../../auth/mod.ts";
import { boundedList } from "../../base/bounded_list.ts";
import type { Millis } from "../../base/clock.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { CHECKS_PER_TRANSACTION, MAX_BULK_OBJECTS, MAX_COMPLIANCE_CHECKS } from "../../base/limits.ts";
import { pacer } from "../../base/pace.ts";
import { insertRows, type ObjectRow, type Row, type Transaction } from "../../db/mod.ts";
import { compliance_checks } from "../../db/schema/mod.ts";
import { and } from "../../filters/mod.ts";
import { objectBody, operation, shown } from "../../operation/mod.ts";
import { ALL_FIELDS, expectedError, idList, rowReader } from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { type Check, checks } from "./checks.ts";
import {
  CheckCounts,
  checkCounts,
  countResults,
  evaluate,
  type Evaluation,
  type LoadedCertificate,
  type LoadedPolicy,
  loadRun,
  type RunRequest,
} from "./evaluate.ts";
import { policies } from "./policies.ts";

/** Policies to run; all enabled ones if the list is absent. */
const PolicyIdsInput = boundedList(z.int(expectedError("an id")), {
  max: MAX_BULK_OBJECTS,
  ...expectedError("a list of ids"),
  tooMany: (count) => `Batch too large: expected at most ${MAX_BULK_OBJECTS} ids, not ${count}.`,
}).nullish().describe("Policies to run; default: all enabled ones.");

/** The numbers of a certificate. */
const CertificateCompliance = z.object({
  certificate_id: z.int(),
  certificate_name: z.string(),
  ...CheckCounts.shape,
});
type CertificateCompliance = z.infer<typeof CertificateCompliance>;

/**
 * The response for one certificate (specification, compliance-check). Its checks are in the order of the
 * policies' ids.
 */
const ComplianceResult = z.object({ ...CertificateCompliance.shape, checks: z.array(shown(checks)) });

/** The response for many certificates (specification, bulk-compliance-check). */
const BulkComplianceResult = z.object({
  total_certificates: z.int(),
  processed: z.int(),
  missing_ids: z.array(z.int()),
  overall_passed: z.int(),
  overall_failed: z.int(),
  overall_score: z.number(),
  reports: z.array(CertificateCompliance),
});

/**
 * Runs the named policies, or all enabled ones, on a certificate. Policies that do not apply to it are not
 * counted. Errors: forbidden, not_found, invalid.
 */
export const checkCertificate = operation({
  needs: [["manage_compliance", policies]],
  input: objectBody({ policy_ids: PolicyIdsInput }).optional(),
  output: ComplianceResult,
  run: async ({ ctx, id, input, ...run }) => {
    const allowed = run.allowed(policies);
    const policyIds = someOf(input?.policy_ids);
    const seen = nameable(ctx, certificates.map);
    const done = await runPolicies(ctx, { certificateIds: [id], seen, policyIds, allowed, readBack: true });
    const subject = done.subjects.get(id);
    if (subject === undefined) throw notFound();
    return { ...complianceOf(subject, done.evaluations), checks: recordsOf(ctx, done) };
  },
});

/**
 * Runs policies on many certificates. Certificates that the caller may not check, or not with bulk
 * operations, are listed as missing. A large run is stored in several transactions, so after an error the
 * results of some certificates may be stored; running it again replaces them. Errors: forbidden, invalid.
 */
export const bulkCheckCertificates = operation({
  needs: [["bulk_operations", certificates], ["manage_compliance", policies]],
  input: objectBody({ certificate_ids: idList(MAX_BULK_OBJECTS), policy_ids: PolicyIdsInput }),
  output: BulkComplianceResult,
  run: async ({ ctx, input: { certificate_ids: certificateIds, policy_ids }, ...run }) => {
    const allowed = run.allowed(policies);
    const seen = and(nameable(ctx, certificates.map), run.allowed(certificates));
    const request = { certificateIds, seen, policyIds: someOf(policy_ids), allowed };
    const processed = await runInTransactions(ctx, request);
    const reports = certificateIds.flatMap((id) => processed.get(id) ?? []);
    const overall = checkCounts({
      passed: reports.reduce((sum, { passed }) => sum + passed, 0),
      failed: reports.reduce((sum, { failed }) => sum + failed, 0),
    });
    return {
      total_certificates: certificateIds.length,
      processed: reports.length,
      missing_ids: certificateIds.filter((id) => !processed.has(id)),
      overall_passed: overall.passed,
      overall_failed: overall.failed,
      overall_score: overall.compliance_score,
      reports,
    };
  },
});

/** Returns each id once; undefined for all enabled policies, if none is named. */
function someOf(ids: readonly number[] | null | undefined): number[] | undefined {
  return ids === undefined || ids === null || ids.length === 0 ? undefined : [...new Set(ids)];
}

interface Run {
  readonly now: Millis;
  readonly subjects: ReadonlyMap<number, LoadedCertificate>;
  readonly rules: readonly LoadedPolicy[];
  readonly evaluations: readonly Evaluation[];
  /** Read back if the response shows them. */
  readonly stored: readonly StoredCheck[];
  /** Ids of certificates that were found, but are left to the next transactions. */
  readonly remaining: readonly number[];
  /** Number of certificates that fit into one transaction. */
  readonly perTransaction: number;
}

/**
 * Runs policies on many certificates, with a pause between transactions. Each transaction loads its
 * certificates and the policies again, because they may have changed. Returns the numbers of certificates
 * whose results are stored.
 */
async function runInTransactions(
  ctx: Context,
  request: RunRequest,
): Promise<Map<number, CertificateCompliance>> {
  const pause = pacer();
  const processed = new Map<number, CertificateCompliance>();
  let waiting = request.certificateIds;
  let count = waiting.length;
  while (waiting.length > 0) {
    const certificateIds = waiting.slice(0, count);
    const run = await runPolicies(ctx, { ...request, certificateIds, readBack: false });
    const evaluations = Map.groupBy(run.evaluations, ({ certificateId }) => certificateId);
    for (const [id, subject] of run.subjects) {
      processed.set(id, complianceOf(subject, evaluations.get(id) ?? []));
    }
    waiting = [...run.remaining, ...waiting.slice(count)];
    count = run.perTransaction;
    await pause();
  }
  return processed;
}

/**
 * Runs policies on as many certificates as fit into one transaction, but at least one. Four statements,
 * whatever the number of certificates and policies.
 */
async function runPolicies(
  ctx: Context,
  { readBack, ...request }: RunRequest & { readBack: boolean },
): Promise<Run> {
  return await ctx.database.write(async (tx) => {
    const pause = pacer();
    const now = ctx.clock.now();
    const { subjects: found, rules } = await loadRun({ ctx, reader: tx }, request);
    requireRunSize(found.size, rules.length);
    await pause();
    const perTransaction = Math.max(1, Math.floor(CHECKS_PER_TRANSACTION / rules.length));
    const subjects = new Map([...found].slice(0, perTransaction));
    const remaining = [...found.keys()].slice(perTransaction);
    const { evaluations, outside } = evaluate({ subjects: [...subjects.values()], policies: rules, now });
    await pause();
    const stored = await storeChecks(tx, { evaluations, outside, now, readBack });
    return { now, subjects, rules, evaluations, stored, remaining, perTransaction };
  });
}

function requireRunSize(subjects: number, rules: number): void {
  const size = subjects * rules;
  if (size <= MAX_COMPLIANCE_CHECKS) return;
  throw new AppError(
    "invalid",
    `Batch too large: ${subjects} certificates and ${rules} policies make ${size} checks. At most ` +
      `${MAX_COMPLIANCE_CHECKS} are allowed in one request.`,
  );
}

function complianceOf(subject: LoadedCertificate, evaluations: readonly Evaluation[]): CertificateCompliance {
  return {
    certificate_id: subject.id,
    certificate_name: subject.row.common_name,
    ...countResults(evaluations),
  };
}

/** Returns the results as the resource shows them, with the names of policies that the caller may run. */
function recordsOf(ctx: Context, { now, subjects, rules, evaluations, stored }: Run): Check[] {
  const read = rowReader(checks, ALL_FIELDS);
  const policyRows = new Map(rules.map(({ id, row }) => [id, row]));
  return evaluations.map(({ certificateId, policyId, ...found }) => {
    const kept = stored.find((one) => one.certificate_id === certificateId && one.policy_id === policyId);
    // Nested rows are read like the JSON of a packed row.
    const row: unknown = {
      ...found,
      ...kept,
      checked_at: now,
      policy: policyRows.get(policyId),
      certificate: subjects.get(certificateId)?.row,
    };
    return read(row as ObjectRow, ctx);
  });
}

/** The columns of a stored result that are not part of its evaluation. */
interface StoredCheck {
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
async function storeChecks(
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
