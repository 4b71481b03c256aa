/** Conclusions from the facts about a certificate. */

import { addDays, daysUntil, formatDatetime, hasPassed } from "../../base/clock.ts";
import type { Context } from "../../auth/mod.ts";
import { ALL_FIELDS, getObject } from "../../resource/mod.ts";
import { assignments as assignmentResource } from "../assignments/mod.ts";
import { authorities } from "../authorities/mod.ts";
import {
  BY_HAND,
  type Certificate,
  certificates,
  FROM_LIST,
  isCurrent,
  isFound,
  renewalWindowState,
} from "../certificates/mod.ts";
import { type Check, checks as checkResource } from "../compliance/mod.ts";
import { contactAssignments } from "../contact_assignments/mod.ts";
import { endpoints } from "../endpoints/mod.ts";
import { signingRequests } from "../signing_requests/mod.ts";
import { type CertificateFacts, loadCertificateFacts } from "./certificate_facts.ts";
import { awaitsStart, isOwnTimeOnly, lacksRoot, rejectionOf } from "./chain_fault.ts";
import { incidentAdvice } from "./incident_advice.ts";
import { type Action, type CertificateAdvice, doing } from "./schema.ts";
import { deploymentOf, isNoticed, troubled } from "./serving.ts";

/** Days after the start of the validity in which a successor that no endpoint serves is probably not deployed yet. */
const DEPLOYMENT_DAYS = 14;

/** Returns the advice about a stored certificate. Errors: forbidden, not_found. */
export async function adviseOnCertificate(ctx: Context, id: number): Promise<readonly CertificateAdvice[]> {
  const { object } = await getObject({ ctx, resource: certificates, id, selection: ALL_FIELDS });
  return certificateAdvice(await loadCertificateFacts(ctx, object));
}

/**
 * Returns what follows from the facts, the most urgent first: what clients see now, then what they will see, then other
 * faults, then what is missing in the inventory. Nothing is to be done about one with a successor.
 */
export function certificateAdvice(facts: CertificateFacts): readonly CertificateAdvice[] {
  const past = pastAdvice(facts);
  const incident = incidentAdvice(facts, renewalOf(facts));
  if (past !== undefined) return [past, ...incident];
  const states = [...validityAdvice(facts), ...servingAdvice(facts), ...incident, ...laterAdvice(facts)];
  return facts.certificate.replaced_by === null
    ? [...states, ...inventoryAdvice(facts), ...expiryAdvice(facts)]
    : [...states, ...expiryAdvice(facts)].map((one) => ({ ...one, action: null }));
}

/** Returns what is said about a certificate that is revoked or replaced; undefined for another one. */
function pastAdvice(facts: CertificateFacts): CertificateAdvice | undefined {
  const { certificate: { id, status, days_remaining: days, is_expired }, served, revokedAt, now } = facts;
  const [first, ...others] = served?.here ?? [];
  const since = revokedAt === undefined ? null : daysUntil(Date.parse(revokedAt), now);
  const isRevoked = status === "revoked";
  if (isReplacedInUse(facts)) {
    return {
      code: "replaced_in_use",
      severity: is_expired || isRevoked ? "critical" : "warning",
      params: { days, is_expired, is_revoked: isRevoked, endpoints: others.length + 1 },
      action: doing("serve", endpoints, { id: others.length === 0 ? first?.id : undefined }),
    };
  }
  if (isRevokedInUse(facts)) {
    return {
      code: "revoked_in_use",
      severity: "critical",
      params: { days: since, endpoints: served?.here.length ?? 0 },
      action: doing("renew", certificates, { id, permitted: facts.may.renew }),
    };
  }
  if (isRevoked) return { code: "revoked", severity: "info", params: { days: since }, action: null };
  return isCurrent({ status }) ? undefined : { code: "replaced", severity: "info", params: {}, action: null };
}

/** What clients see now: a chain that they reject, and dates. */
function* validityAdvice(facts: CertificateFacts): Iterable<CertificateAdvice> {
  const { certificate: row, request, renewable, predecessors, served, now } = facts;
  const { days_remaining: days, valid_from, valid_to } = row;
  const isPending = isBeforeStart(facts);
  const action = renewalOf(facts);
  const fault = rejectionOf(facts);
  if (fault !== undefined) yield { code: "chain_rejected", severity: "critical", params: fault, action };
  if (isPending) {
    const isServedBadly = served !== undefined &&
      (deploymentOf(served).isPartial || troubled(served).length > 0);
    yield {
      code: "not_yet_valid",
      severity: isServedBadly ? "warning" : "info",
      params: {
        days: daysUntil(Date.parse(valid_from), now),
        valid_from,
        is_pending: row.status === "pending",
      },
      action: null,
    };
  }
  if (row.is_expired) {
    const params = { days, valid_to, has_successor: row.replaced_by !== null };
    yield { code: "expired", severity: "critical", params, action };
  }
  if (request !== undefined && !isPending) {
    yield {
      code: "renewal_requested",
      severity: "info",
      params: { created: request.created },
      action: doing("view", signingRequests, request),
    };
  }
  if (renewable?.permitted === true && predecessors.length === 0) {
    yield {
      code: "renews_another",
      severity: "info",
      params: { valid_to: formatDatetime(renewable.valid_to), is_pending: isPending },
      action: doing("renew", certificates, { id: renewable.id }),
    };
  }
}

/** Where it is served, and where it should be. */
function* servingAdvice(facts: CertificateFacts): Iterable<CertificateAdvice> {
  const { certificate: row, served, predecessors, assignments = [], now } = facts;
  const { here, behind } = served ?? { here: [], behind: [] };
  const problems = served === undefined ? [] : troubled(served);
  const severity = row.expiry_status === "critical" || [...problems, ...behind].some(isNoticed)
    ? "critical"
    : "warning";
  // The certificate of a CA is not served.
  const isSuccessor = predecessors.length > 0 && !isAuthority(row);
  if (served !== undefined && deploymentOf(served).isPartial) {
    const { serving, expected } = deploymentOf(served);
    yield {
      code: "partly_deployed",
      severity,
      params: { serving, expected, behind: behind.length },
      action: isSuccessor && behind.length > 0 ? doing("serve", endpoints) : null,
    };
  }
  if (
    isSuccessor && behind.length + here.length === 0 && assignments.length > 0 &&
    !hasPassed(row.valid_from, addDays(now, -DEPLOYMENT_DAYS))
  ) {
    const object = assignments.length === 1 ? assignments[0]?.assigned_object?.display ?? null : null;
    const params = { objects: assignments.length, object };
    yield { code: "not_deployed", severity: "info", params, action: doing("serve", assignmentResource) };
  }
  const untrusted = isBeforeStart(facts) ? 0 : here.filter(({ state }) => state === "untrusted").length;
  if (untrusted > 0) {
    yield { code: "untrusted", severity, params: { endpoints: untrusted }, action: renewalOf(facts) };
  }
  const others = untrusted === 0 ? problems : problems.filter(({ state }) => state !== "untrusted");
  const [first] = others;
  if (first !== undefined) {
    yield {
      code: "endpoint_problems",
      severity,
      params: { endpoints: others.length, endpoint: first.display },
      action: doing("view", endpoints, others.length === 1 ? first : {}),
    };
  }
}

/** What clients will see, and other faults. */
function* laterAdvice(facts: CertificateFacts): Iterable<CertificateAdvice> {
  const { certificate: row, chain, checks = [], may } = facts;
  const { id, expiry_status: expiry, days_remaining: days, valid_to } = row;
  const isAutomatic = !BY_HAND.includes(row.automation);
  const { renewal_window_end: windowEnd, replaced_by: successor } = row;
  if (
    windowEnd !== null && successor === null && !row.is_expired &&
    renewalWindowState(row, facts.now) === "passed"
  ) {
    const params = { window_end: windowEnd, is_automatic: isAutomatic };
    yield { code: "renewal_window_passed", severity: "warning", params, action: renewalOf(facts) };
  }
  if (expiry === "critical" || expiry === "warning") {
    const params = { days, valid_to, is_automatic: isAutomatic };
    const action = isAutomatic && expiry === "warning" ? null : renewalOf(facts);
    yield { code: "expires_soon", severity: expiry, params, action };
  }
  const isFaulty = chain !== undefined && row.chain_status !== null &&
    (chain.status === "self_signed" ? !isAuthority(row) : chain.status !== "valid" || lacksRoot(chain));
  if (isFaulty && !isOwnTimeOnly(chain) && rejectionOf(facts) === undefined) {
    const lacksIssuers = ["no_chain", "incomplete"].includes(chain.status);
    yield {
      code: "chain_fault",
      severity: "warning",
      params: { status: chain.status },
      action: lacksIssuers && may.change ? doing("change", certificates, { id }) : null,
    };
  }
  const failed = failedChecks(facts).length;
  if (failed > 0) {
    const params = { failed, total: checks.length };
    yield { code: "checks_failed", severity: "warning", params, action: doing("view", checkResource) };
  }
}

/** What is missing in the inventory, if the caller may add it. */
function* inventoryAdvice(facts: CertificateFacts): Iterable<CertificateAdvice> {
  const { certificate: row, chain, assignments, checks, unchecked, served, may } = facts;
  const severity = "info";
  if (isFound(row) && may.change && !isBeforeStart(facts)) {
    yield {
      code: "not_accepted",
      severity,
      params: {},
      action: doing("change", certificates, { id: row.id }),
    };
  }
  if (row.discovered_via === FROM_LIST && may.change) {
    yield { code: "known_from_list", severity, params: {}, action: doing("import", certificates) };
  }
  const isTracked = chain?.anchor === "tracked_ca" && chain.certificates.length === 1;
  if (isAuthority(row) && !isTracked && may.addAuthority) {
    const params = { name: row.common_name };
    yield { code: "untracked_authority", severity, params, action: doing("add", authorities) };
  }
  if (row.owner === null && may.assignContact) {
    yield { code: "no_owner", severity, params: {}, action: doing("add", contactAssignments) };
  }
  if (!isAuthority(row) && assignments?.length === 0 && may.assign) {
    const params = { is_served: (served?.here.length ?? 0) > 0 };
    yield { code: "not_assigned", severity, params, action: doing("add", assignmentResource) };
  }
  if (isUnvalidated(facts) && may.change) {
    const action = doing("validate_chain", certificates, row);
    yield { code: "chain_not_validated", severity, params: {}, action };
  }
  if (checks?.length === 0 && may.check && unchecked.some(({ applies }) => applies)) {
    yield { code: "not_checked", severity, params: {}, action: doing("check", certificates, row) };
  }
}

/** An expiry that is not near, and whether it needs anything. */
function* expiryAdvice(facts: CertificateFacts): Iterable<CertificateAdvice> {
  const { certificate: row, request } = facts;
  const { expiry_status: expiry, days_remaining: days, valid_to } = row;
  if (isBeforeStart(facts)) return;
  const isAutomatic = !BY_HAND.includes(row.automation);
  if (expiry === "ok") {
    yield {
      code: "expires",
      severity: isUnvalidated(facts) ? "info" : "ok",
      params: { days, valid_to },
      // Those who list the certificate of a CA seldom renew it.
      action: isAutomatic || isAuthority(row) ? null : renewalOf(facts),
    };
  }
  if (
    isAutomatic && (expiry === "warning" || (expiry === "ok" && !isAuthority(row))) && request === undefined
  ) {
    yield { code: "renews_automatically", severity: "ok", params: { valid_to }, action: null };
  }
}

/** Returns the renewal of a certificate; null if it is not valid yet, or if an open request will renew it. */
function renewalOf(facts: CertificateFacts): Action | null {
  const { certificate: { id }, request, may } = facts;
  return isBeforeStart(facts) || request !== undefined
    ? null
    : doing("renew", certificates, { id, permitted: may.renew });
}

function isUnvalidated({ certificate, chain }: CertificateFacts): boolean {
  return chain !== undefined && certificate.chain_status === null;
}

/** Returns the failed checks, except one that passes by itself as soon as the certificate is valid. */
export function failedChecks(
  { chain, checks = [] }: Pick<CertificateFacts, "chain" | "checks">,
): readonly Check[] {
  return checks.filter(({ result, checked_value: value }) =>
    result === "fail" && !(awaitsStart(chain) && value === "not_yet_valid")
  );
}

/** Returns whether the validity of a certificate has not begun. */
export function isBeforeStart({ certificate, now }: Pick<CertificateFacts, "certificate" | "now">): boolean {
  return !hasPassed(certificate.valid_from, now);
}

/** Returns whether a certificate has been replaced, but endpoints still serve it. */
export function isReplacedInUse({ certificate: { status, replaced_by }, served }: CertificateFacts): boolean {
  return (status === "replaced" || replaced_by !== null) && (served?.here.length ?? 0) > 0;
}

/** Returns whether a certificate is revoked, has no successor, and is assigned or served. */
export function isRevokedInUse({ certificate, assignments = [], served }: CertificateFacts): boolean {
  return certificate.status === "revoked" && certificate.replaced_by === null &&
    assignments.length + (served?.here.length ?? 0) > 0;
}

/** Returns whether a certificate is that of an authority. */
export function isAuthority({ kind }: Pick<Certificate, "kind">): boolean {
  return kind === "ca";
}
