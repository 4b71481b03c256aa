/** Evaluates policies on certificates, and counts the results. Has no side effects. */

import { z } from "zod";
import type { Millis } from "../../base/clock.ts";
import type { Kind } from "../../x509/mod.ts";
import { type CertificateFacts, ruleOf, type RuleResult } from "./rules/mod.ts";

/** A certificate to evaluate. */
export interface EvaluatedCertificate {
  readonly id: number;
  readonly tenantId: number | null;
  readonly tagIds: readonly number[];
  readonly kind: Kind;
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
export function applies(
  { tenantId, tagIds, kinds }: Policy,
  subject: Pick<EvaluatedCertificate, "tenantId" | "tagIds" | "kind">,
): boolean {
  return kinds.includes(subject.kind) && (tenantId === null || tenantId === subject.tenantId) &&
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
