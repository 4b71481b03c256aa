/** Evaluates policies on certificates that are not stored yet: requested ones and successors. Stores nothing. */

import type { Certificate } from "../certificates/mod.ts";
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
    if (!applies(policy, { ...request, kind: "server" })) continue;
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

/**
 * Returns the enabled policies that the caller may view and that a certificate would fail. One statement.
 * @param options.certificate The certificate as the API returns it; it need not be stored.
 * @param options.subject Its subject, which the API does not return.
 */
export async function failedPolicies(
  { ctx, certificate, subject }: {
    ctx: Context;
    certificate: Partial<Omit<Certificate, "id" | "url">>;
    subject: string;
  },
): Promise<FailedPolicy[]> {
  const policies = await loadVisiblePolicies(ctx);
  const names = new Map(policies.map(({ id, row }) => [id, String(row.name)]));
  const { evaluations } = evaluate({
    subjects: [evaluatedOf(certificate, subject)],
    policies,
    now: ctx.clock.now(),
  });
  return evaluations.filter(({ result }) => result === "fail").map(({ policyId: id, severity, message }) => ({
    id,
    name: names.get(id) ?? "",
    severity,
    message,
  }));
}

function evaluatedOf(
  certificate: Partial<Omit<Certificate, "id" | "url">>,
  subject: string,
): EvaluatedCertificate {
  const { tenant, tags = [], sans = [], findings = [] } = certificate;
  return {
    // A successor that is not stored has no id, and no result refers to it.
    id: 0,
    tenantId: tenant?.id ?? null,
    tagIds: tags.map(({ id }) => id),
    kind: certificate.kind ?? "other",
    facts: {
      commonName: String(certificate.common_name),
      sans,
      issuer: String(certificate.issuer),
      subject,
      algorithm: String(certificate.algorithm),
      keySize: certificate.key_size ?? null,
      keyAlgorithm: String(certificate.key_algorithm),
      signatureAlgorithm: String(certificate.signature_algorithm),
      validFrom: Date.parse(String(certificate.valid_from)),
      validTo: Date.parse(String(certificate.valid_to)),
      hasChain: certificate.issuer_chain !== "",
      chainStatus: certificate.chain_status ?? null,
      findings,
    },
  };
}
