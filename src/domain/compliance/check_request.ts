/** Evaluates policies on certificates that are not stored yet: requested ones and successors. Stores nothing. */

import type { Context } from "../../auth/mod.ts";
import { applies, evaluate, type EvaluatedCertificate } from "./evaluate.ts";
import { loadVisiblePolicies } from "./load.ts";
import { type RequestFacts, ruleOf } from "./rules/mod.ts";

/** What a signing request says about the certificate. */
export interface RequestedCertificate {
  readonly facts: RequestFacts;
  /** Which parts of the facts are known: a request without PEM need not have them. */
  readonly known: { readonly key: boolean; readonly names: boolean };
  readonly tenantId: number | null;
  readonly tagIds: readonly number[];
}

export interface CheckedPolicy {
  readonly id: number;
  readonly name: string;
  readonly severity: string;
}

/** A policy that the certificate would fail, and why in a sentence. */
export interface FailedPolicy extends CheckedPolicy {
  readonly message: string;
}

/** The policies that apply to a request, by their result. */
export interface RequestCheck {
  readonly failed: readonly FailedPolicy[];
  readonly passed: readonly CheckedPolicy[];
  /** Policies about what only a certificate has, such as its issuer or its expiry. */
  readonly undecided: readonly CheckedPolicy[];
}

/**
 * Evaluates the enabled policies that the caller may view and that apply to certificates with the tenant and the tags
 * of the request. One statement.
 */
export async function checkRequest(
  { ctx, request }: { ctx: Context; request: RequestedCertificate },
): Promise<RequestCheck> {
  const failed: FailedPolicy[] = [];
  const passed: CheckedPolicy[] = [];
  const undecided: CheckedPolicy[] = [];
  for (const policy of await loadVisiblePolicies(ctx)) {
    if (!applies(policy, request)) continue;
    const { id, severity, row } = policy;
    const shown = { id, name: String(row.name), severity };
    const rule = ruleOf(policy.type);
    if (rule?.evaluates === undefined || !request.known[rule.evaluates]) {
      undecided.push(shown);
      continue;
    }
    const parameters = rule.parameters.parse(policy.parameters);
    const result = rule.checkRequest?.({ certificate: request.facts, parameters });
    if (result?.result === "fail") failed.push({ ...shown, message: result.message });
    else passed.push(shown);
  }
  return { failed, passed, undecided };
}

/** Returns the enabled policies that the caller may view and that a certificate would fail. One statement. */
export async function failedPolicies(
  { ctx, certificate }: { ctx: Context; certificate: EvaluatedCertificate },
): Promise<FailedPolicy[]> {
  const policies = await loadVisiblePolicies(ctx);
  const names = new Map(policies.map(({ id, row }) => [id, String(row.name)]));
  const { evaluations } = evaluate({ subjects: [certificate], policies, now: ctx.clock.now() });
  return evaluations.filter(({ result }) => result === "fail").map(({ policyId: id, severity, message }) => ({
    id,
    name: names.get(id) ?? "",
    severity,
    message,
  }));
}
