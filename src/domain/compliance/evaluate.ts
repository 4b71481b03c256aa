/** Loads certificates and policies, evaluates them, and counts the results. Stores nothing. */

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { type Context, restrictionSql, type ValidityRule } from "../../auth/mod.ts";
import type { Millis } from "../../base/clock.ts";
import { invalid } from "../../base/errors.ts";
import { findingAt } from "../../base/findings.ts";
import { andAll, idsIn, readBatch, type Reader, type RowOf, where } from "../../db/mod.ts";
import type { compliance_policies } from "../../db/schema/mod.ts";
import type { Condition } from "../../filters/mod.ts";
import type { Kind } from "../../x509/mod.ts";
import {
  type CertificateRow,
  certificates,
  FROM_LIST,
  hasIssuerChain,
  readFindings,
} from "../certificates/mod.ts";
import { policies } from "./policies.ts";
import { type CertificateFacts, ruleOf, type RuleResult } from "./rules/mod.ts";

/** A certificate with its raw columns, for its brief form. */
export type LoadedCertificate = EvaluatedCertificate & { readonly row: FactsRow };
/** A policy with its raw columns, for its brief form. */
export type LoadedPolicy = Policy & { readonly row: PolicyRow };

/** The columns that policies examine. */
type FactsRow = CertificateRow & {
  readonly kind: Kind;
  readonly tag_ids: string;
  readonly has_chain: number;
};
type PolicyRow = RowOf<typeof compliance_policies> & { readonly tag_ids: string };

/** The ids of a run, and the conditions that apply to the caller. */
export interface RunRequest {
  readonly certificateIds: readonly number[];
  readonly seen: Condition;
  /** Undefined for all enabled ones. */
  readonly policyIds: readonly number[] | undefined;
  readonly allowed: Condition;
}

/**
 * Loads the certificates that the caller may check, by id, and the policies. Two statements in one round
 * trip. Errors: invalid, with each policy that does not exist or is hidden from the caller.
 */
export async function loadRun(
  { ctx, reader }: { ctx: Context; reader: Reader },
  request: RunRequest,
): Promise<{ subjects: Map<number, LoadedCertificate>; rules: LoadedPolicy[] }> {
  const [certificateRows, policyRows] = await readBatch(reader, [
    certificatesSql(ctx, request),
    policiesSql(ctx, request),
  ]);
  const rules = policyRows.map(policyOf);
  const validityRules = ctx.settings.rules;
  const found = new Set(rules.map(({ id }) => id));
  const missing = request.policyIds?.filter((id) => !found.has(id)) ?? [];
  if (missing.length > 0) {
    throw invalid(
      missing.map((id) =>
        findingAt("policy_ids", "no_object_with", { type: "compliance policy", attribute: "id", value: id })
      ),
    );
  }
  return {
    subjects: new Map(certificateRows.map((row) => [row.id, certificateOf(row, validityRules)])),
    rules,
  };
}

function certificatesSql(ctx: Context, { certificateIds, seen }: RunRequest): SQL<FactsRow> {
  const condition = andAll(
    sql`certificates.id IN ${idsIn(certificateIds)}`,
    restrictionSql(ctx, seen, { map: certificates.map }),
  );
  return sql<
    FactsRow
  >`SELECT id, common_name, serial_number, status, issuer, subject, algorithm, key_size, kind, key_algorithm,
      signature_algorithm, valid_from, valid_to,
      sans, tenant_id, chain_status, chain_errors, publicly_trusted, revocation_status,
      revocation_checked_at, usages, scts, findings, discovered_via, ${
    tagIds(certificates.objectType, "certificates")
  },
      ${hasIssuerChain(sql`certificates.id`)} AS has_chain
    FROM certificates${where(condition)}`;
}

function policiesSql(
  ctx: Context,
  { policyIds, allowed }: Pick<RunRequest, "policyIds" | "allowed">,
): SQL<PolicyRow> {
  const condition = andAll(
    policyIds === undefined
      ? sql`compliance_policies.enabled = 1`
      : sql`compliance_policies.id IN ${idsIn(policyIds)}`,
    restrictionSql(ctx, allowed, { map: policies.map }),
  );
  return sql<PolicyRow>`SELECT id, name, policy_type, severity, parameters, tenant_id, kinds,
      ${tagIds(policies.objectType, "compliance_policies")}
    FROM compliance_policies${where(condition)} ORDER BY id`;
}

function tagIds(objectType: string, table: string): SQL {
  return sql`(SELECT json_group_array(tag_id) FROM tagged_items
    WHERE object_type = ${objectType} AND object_id = ${sql.identifier(table)}.id) AS tag_ids`;
}

function certificateOf(row: FactsRow, rules: readonly ValidityRule[]): LoadedCertificate {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    tagIds: JSON.parse(row.tag_ids),
    kind: row.kind,
    isListed: row.discovered_via === FROM_LIST,
    row,
    facts: {
      commonName: row.common_name,
      sans: JSON.parse(row.sans),
      issuer: row.issuer,
      subject: row.subject,
      algorithm: row.algorithm,
      keySize: row.key_size,
      keyAlgorithm: row.key_algorithm,
      signatureAlgorithm: row.signature_algorithm,
      usages: JSON.parse(row.usages),
      scts: row.scts,
      validFrom: row.valid_from,
      validTo: row.valid_to,
      publiclyTrusted: row.publicly_trusted === null ? null : row.publicly_trusted === 1,
      hasChain: row.has_chain === 1,
      chainStatus: row.chain_status,
      chainErrors: JSON.parse(row.chain_errors),
      revocationStatus: row.revocation_status,
      revocationCheckedAt: row.revocation_checked_at,
      validityRules: rules,
      findings: readFindings(row.findings),
    },
  };
}

function policyOf(row: PolicyRow): LoadedPolicy {
  return {
    id: row.id,
    type: row.policy_type,
    severity: row.severity,
    parameters: JSON.parse(row.parameters),
    tenantId: row.tenant_id,
    tagIds: JSON.parse(row.tag_ids),
    kinds: JSON.parse(row.kinds),
    row,
  };
}

/** A certificate to evaluate. */
export interface EvaluatedCertificate {
  readonly id: number;
  readonly tenantId: number | null;
  readonly tagIds: readonly number[];
  readonly kind: Kind;
  /** Whether it is known from a list, so that no policy applies to it. */
  readonly isListed?: boolean;
  readonly facts: CertificateFacts;
}

/** A policy to apply. */
export interface Policy {
  readonly id: number;
  readonly type: string;
  readonly severity: string;
  /** As stored. The rule's schema fills in defaults that are newer than the policy. */
  readonly parameters: unknown;
  /** Only certificates of this tenant are evaluated; null for all. */
  readonly tenantId: number | null;
  /** Only certificates with at least one of these tags are evaluated; empty for all. */
  readonly tagIds: readonly number[];
  readonly kinds: readonly Kind[];
}

/** The result of a policy for a certificate. */
export interface Evaluation extends RuleResult {
  readonly certificateId: number;
  /** Expiry of the certificate. */
  readonly validTo: Millis;
  readonly policyId: number;
  readonly severity: string;
}

/** Returns whether a certificate is in the scope of a policy. */
function applies(
  { tenantId, tagIds, kinds }: Policy,
  subject: Pick<EvaluatedCertificate, "tenantId" | "tagIds" | "kind" | "isListed">,
): boolean {
  return !subject.isListed && kinds.includes(subject.kind) &&
    (tenantId === null || tenantId === subject.tenantId) &&
    (tagIds.length === 0 || tagIds.some((id) => subject.tagIds.includes(id)));
}

/**
 * Returns a function that evaluates a certificate by a policy. Throws if the policy's type is unknown or its
 * parameters are invalid.
 */
function evaluatorOf(policy: Policy, now: Millis): (subject: EvaluatedCertificate) => Evaluation {
  const rule = ruleOf(policy.type);
  if (rule === undefined) throw new Error(`Policy ${policy.id} has the unknown type "${policy.type}"`);
  const parameters = rule.parameters.parse(policy.parameters);
  return ({ id, facts }) => ({
    certificateId: id,
    validTo: facts.validTo,
    policyId: policy.id,
    severity: policy.severity,
    ...rule.check({ certificate: facts, parameters, now }),
  });
}

/**
 * Evaluates every certificate by every policy that applies to it. `outside` contains the pairs that do not
 * apply.
 */
export function evaluate(
  { subjects, policies, now }: {
    subjects: readonly EvaluatedCertificate[];
    policies: readonly Policy[];
    now: Millis;
  },
): { evaluations: Evaluation[]; outside: [certificateId: number, policyId: number][] } {
  const evaluations: Evaluation[] = [];
  const outside: [number, number][] = [];
  const prepared = policies.map((policy) => ({ policy, evaluateOne: evaluatorOf(policy, now) }));
  for (const subject of subjects) {
    for (const { policy, evaluateOne } of prepared) {
      if (applies(policy, subject)) evaluations.push(evaluateOne(subject));
      else outside.push([subject.id, policy.id]);
    }
  }
  return { evaluations, outside };
}

/** Counts of checks by result. */
export const CheckCounts = z.object({
  total_checks: z.int(),
  passed: z.int(),
  failed: z.int(),
  compliance_score: z.number().describe(
    "Percentage of passed checks, with one decimal; 100 if nothing was checked.",
  ),
});
export type CheckCounts = z.infer<typeof CheckCounts>;

/** Returns the total and the score for numbers of passed and failed checks. */
export function checkCounts({ passed, failed }: { passed: number; failed: number }): CheckCounts {
  const total = passed + failed;
  return {
    total_checks: total,
    passed,
    failed,
    compliance_score: total === 0 ? 100 : Math.round(passed * 1_000 / total) / 10,
  };
}

export function countResults(results: readonly { readonly result: "pass" | "fail" }[]): CheckCounts {
  const passed = results.filter(({ result }) => result === "pass").length;
  return checkCounts({ passed, failed: results.length - passed });
}
