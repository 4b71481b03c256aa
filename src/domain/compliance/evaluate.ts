/** Applies policies to certificates. Pure. */

import type { Millis } from "../../base/clock.ts";
import { type CertificateFacts, type Judgement, ruleOf } from "./rules/mod.ts";

/** A certificate that is judged. */
export interface Subject {
  readonly id: number;
  readonly tenantId: number | null;
  readonly tagIds: readonly number[];
  readonly facts: CertificateFacts;
}

/** A policy that is applied. */
export interface Policy {
  readonly id: number;
  readonly type: string;
  readonly severity: string;
  /** As stored; defaults that the rule has gained since are filled in. */
  readonly parameters: unknown;
  /** Only this tenant's certificates are judged; null: all. */
  readonly tenantId: number | null;
  /** Only certificates with at least one of these tags are judged; none: all. */
  readonly tagIds: readonly number[];
}

/** One policy's judgement of one certificate. */
export interface Evaluation extends Judgement {
  readonly certificateId: number;
  readonly policyId: number;
  readonly severity: string;
}

/** Whether a certificate is within a policy's scope. */
export function applies({ tenantId, tagIds }: Policy, subject: Subject): boolean {
  return (tenantId === null || tenantId === subject.tenantId) &&
    (tagIds.length === 0 || tagIds.some((id) => subject.tagIds.includes(id)));
}

/** A policy made ready: a function that judges a certificate. Throws when its type or its parameters are no known ones. */
export function judgeOf(policy: Policy, now: Millis): (subject: Subject) => Evaluation {
  const rule = ruleOf(policy.type);
  if (rule === undefined) throw new Error(`Policy ${policy.id} has the unknown type "${policy.type}"`);
  const parameters = rule.parameters.parse(policy.parameters);
  return ({ id, facts }) => ({
    certificateId: id,
    policyId: policy.id,
    severity: policy.severity,
    ...rule.check({ certificate: facts, parameters, now }),
  });
}

/** Judges every certificate by every policy that applies to it; and which pairs were left out because none does. */
export function evaluate(
  { subjects, policies, now }: {
    subjects: readonly Subject[];
    policies: readonly Policy[];
    now: Millis;
  },
): { evaluations: Evaluation[]; outside: [certificateId: number, policyId: number][] } {
  const evaluations: Evaluation[] = [];
  const outside: [number, number][] = [];
  const judges = policies.map((policy) => ({ policy, judge: judgeOf(policy, now) }));
  for (const subject of subjects) {
    for (const { policy, judge } of judges) {
      if (applies(policy, subject)) evaluations.push(judge(subject));
      else outside.push([subject.id, policy.id]);
    }
  }
  return { evaluations, outside };
}
