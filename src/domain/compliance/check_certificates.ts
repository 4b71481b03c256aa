/** Runs compliance policies on certificates and keeps the results. */

import { authorize, type Context, restriction } from "../../auth/mod.ts";
import type { Millis } from "../../base/clock.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { MAX_BULK_OBJECTS, MAX_COMPLIANCE_CHECKS } from "../../base/limits.ts";
import type { Row } from "../../db/mod.ts";
import { and, type Condition, EVERYTHING, isEverything, NOTHING } from "../../filters/mod.ts";
import { ALL_FIELDS, quote, readIdList, rowReader } from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { checks } from "./checks.ts";
import { evaluate, type Evaluation } from "./evaluate.ts";
import { type LoadedCertificate, type LoadedPolicy, loadRun, type RunRequest } from "./load.ts";
import { policies } from "./policies.ts";
import { type Tally, tallyOf } from "./score.ts";
import { storeChecks, type StoredCheck } from "./store_checks.ts";

/** The numbers about one certificate. */
export interface CertificateTally extends Tally {
  readonly certificate_id: number;
  readonly certificate_name: string;
}

/** The answer about one certificate (specification, compliance-check). */
export interface ComplianceReport extends CertificateTally {
  /** As the compliance checks resource shows them, in the order of the policies' ids. */
  readonly checks: Record<string, unknown>[];
}

/** The answer about many (specification, bulk-compliance-check). */
export interface BulkCompliance {
  readonly total_certificates: number;
  readonly processed: number;
  readonly missing_ids: number[];
  readonly overall_passed: number;
  readonly overall_failed: number;
  readonly overall_score: number;
  readonly reports: CertificateTally[];
}

/**
 * Runs the policies of `{policy_ids}`, or all enabled ones, on a certificate that the caller may judge. Policies that
 * do not apply to it are not counted. Errors: forbidden, not_found, invalid.
 */
export async function checkCertificate(
  { ctx, id, input }: { ctx: Context; id: number; input: unknown },
): Promise<ComplianceReport> {
  const allowed = authorize(ctx, "manage_compliance", policies.objectType);
  const seen = judgeable(ctx, allowed);
  const policyIds = readPolicyIds(input);
  const done = await run(ctx, { certificateIds: [id], seen, policyIds, allowed, readBack: true });
  const subject = done.subjects.get(id);
  if (subject === undefined) throw notFound();
  return { ...tallyFor(subject, done.evaluations), checks: recordsOf(ctx, done) };
}

/**
 * The same for `{certificate_ids}`, all results at once. The certificates must be among those that the caller may
 * judge and may do bulk operations on; others are listed as missing. Errors: forbidden, invalid.
 */
export async function bulkCheckCertificates(
  { ctx, input }: { ctx: Context; input: unknown },
): Promise<BulkCompliance> {
  const bulk = authorize(ctx, "bulk_operations", certificates.objectType);
  const allowed = authorize(ctx, "manage_compliance", policies.objectType);
  const seen = and(judgeable(ctx, allowed), bulk);
  const certificateIds = readIdList(input, { field: "certificate_ids", max: MAX_BULK_OBJECTS });
  const policyIds = readPolicyIds(input);
  const { subjects, evaluations } = await run(ctx, {
    certificateIds,
    seen,
    policyIds,
    allowed,
    readBack: false,
  });
  const found = certificateIds.flatMap((id) => subjects.get(id) ?? []);
  const byCertificate = Map.groupBy(evaluations, ({ certificateId }) => certificateId);
  const overall = tallyOf(evaluations);
  return {
    total_certificates: certificateIds.length,
    processed: found.length,
    missing_ids: certificateIds.filter((id) => !subjects.has(id)),
    overall_passed: overall.passed,
    overall_failed: overall.failed,
    overall_score: overall.compliance_score,
    reports: found.map((subject) => tallyFor(subject, byCertificate.get(subject.id) ?? [])),
  };
}

/**
 * Certificates that a run may judge: those that the caller may view. Whoever has no `view` on certificates at all, but
 * `manage_compliance` without constraints, may judge every one: no other permission is needed than the one named.
 */
function judgeable(ctx: Context, allowed: Condition): Condition {
  const view = restriction(ctx.actor, "view", ctx.mapOf(certificates.objectType));
  return view ?? (isEverything(allowed) ? EVERYTHING : NOTHING);
}

interface Run {
  readonly now: Millis;
  readonly subjects: ReadonlyMap<number, LoadedCertificate>;
  readonly rules: readonly LoadedPolicy[];
  readonly evaluations: readonly Evaluation[];
  /** Read back where the answer shows them. */
  readonly stored: readonly StoredCheck[];
}

/** Four statements, however many certificates and policies. */
async function run(
  ctx: Context,
  { readBack, ...request }: RunRequest & { readBack: boolean },
): Promise<Run> {
  const now = ctx.clock.now();
  return await ctx.database.write(async (tx) => {
    const { subjects, rules } = await loadRun({ ctx, reader: tx }, request);
    requireRunSize(subjects.size, rules.length);
    const { evaluations, outside } = evaluate({ subjects: [...subjects.values()], policies: rules, now });
    const stored = await storeChecks(tx, { evaluations, outside, now, readBack });
    return { now, subjects, rules, evaluations, stored };
  });
}

function requireRunSize(subjects: number, rules: number): void {
  const size = subjects * rules;
  if (size <= MAX_COMPLIANCE_CHECKS) return;
  throw new AppError(
    "invalid",
    `Batch too large: ${subjects} certificates under ${rules} policies are ${size} checks, at most ` +
      `${MAX_COMPLIANCE_CHECKS} are made at a time.`,
  );
}

/** Undefined for all enabled policies: nothing named, or an empty list. */
function readPolicyIds(input: unknown): number[] | undefined {
  if (input === undefined || input === null) return undefined;
  if (typeof input !== "object" || Array.isArray(input)) {
    throw new AppError("invalid", `Expected an object, not ${quote(input)}.`);
  }
  const given = (input as { policy_ids?: unknown }).policy_ids ?? [];
  if (Array.isArray(given) && given.length === 0) return undefined;
  return readIdList({ policy_ids: given }, { field: "policy_ids", max: MAX_BULK_OBJECTS });
}

function tallyFor(subject: LoadedCertificate, evaluations: readonly Evaluation[]): CertificateTally {
  return {
    certificate_id: subject.id,
    certificate_name: subject.row.common_name as string,
    ...tallyOf(evaluations),
  };
}

/** The results as the resource shows them; a policy that the caller may run is named to him. */
function recordsOf(
  ctx: Context,
  { now, subjects, rules, evaluations, stored }: Run,
): Record<string, unknown>[] {
  const read = rowReader(checks, ALL_FIELDS, ctx);
  const policyRows = new Map(rules.map(({ id, row }) => [id, row]));
  return evaluations.map(({ certificateId, policyId, ...found }) => {
    const kept = stored.find((one) => one.certificate_id === certificateId && one.policy_id === policyId);
    const row = {
      ...found,
      ...kept,
      checked_at: now,
      policy: policyRows.get(policyId),
      certificate: subjects.get(certificateId)?.row,
    };
    return read(row as unknown as Row);
  });
}
