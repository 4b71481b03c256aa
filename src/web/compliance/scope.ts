/** The certificates that a report is about, and those of them without a current result. */

import { isGranted } from "../../auth/mod.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import { addReportFilters, policies, type ReportQuery } from "../../domain/compliance/mod.ts";
import type { Call } from "../call.ts";
import { allCertificatesPath } from "../certificates/mod.ts";
import { withQuery } from "../components/mod.ts";
import { countRows, type Params } from "../objects/mod.ts";

const OF_CERTIFICATE = "certificate__";
const OF_POLICY = "policy_id";

/** Filters of certificates, and the policies whose results are reported. */
export interface Scope {
  /** All certificates of the report. */
  readonly params: Params;
  /** Those that the policies apply to and that have no current result. */
  readonly unchecked: Params;
  /** Empty for all enabled ones. */
  readonly policyIds: readonly number[];
}

/** Returns the certificates of a report; undefined if other filters of checks select its results. */
export function scopeOf({ listed }: ReportQuery): Scope | undefined {
  const names = [...new Set(listed.keys())].filter((name) => name !== "policy_enabled" && name !== OF_POLICY);
  const ids = listed.getAll(OF_POLICY);
  if (!names.every((name) => name.startsWith(OF_CERTIFICATE)) || !ids.every((id) => /^\d+$/.test(id))) {
    return undefined;
  }
  const params = Object.fromEntries(
    names.map((name) => [name.slice(OF_CERTIFICATE.length), listed.getAll(name)]),
  );
  const unchecked = ids.length === 0 ? { unchecked: "true" } : { unchecked_by: ids };
  return { params, unchecked: { ...params, ...unchecked }, policyIds: ids.map(Number) };
}

/** Returns the list of the checks that the report counts, narrowed by further parameters. */
export function checksPath({ listed }: ReportQuery, of: Readonly<Record<string, string | number>>): string {
  return withQuery(new URL(`/checks/?${listed}`, "http://c"), of);
}

/** Returns the list of the checks of a policy that its numbers count. */
export function checksOf(id: number, result?: "pass" | "fail"): string {
  const params = new URLSearchParams({ policy_id: String(id), ...(result === undefined ? {} : { result }) });
  addReportFilters(params);
  return `/checks/?${params}`;
}

/** Returns the filters for certificates in use without a current result of a policy. */
export function uncheckedBy(policyId: number): Params {
  return { in_use: "true", unchecked_by: policyId };
}

/** The certificates without a current result: their number, and the path of their list. */
export interface UncheckedCount {
  readonly count: number;
  readonly path: string;
}

/**
 * Counts the certificates without a current result that filters select; undefined without filters, or if the user may
 * view none. One statement.
 */
export async function countUnchecked(
  call: Call,
  params: Params | undefined,
): Promise<UncheckedCount | undefined> {
  if (params === undefined || !isGranted(call.ctx, "view", certificates.objectType)) return undefined;
  return { count: await countRows(call, certificates, params), path: allCertificatesPath(params) };
}

/** Returns whether the user may run policies on many certificates. */
export function mayCheckMany({ ctx }: Call): boolean {
  return isGranted(ctx, "manage_compliance", policies.objectType) &&
    isGranted(ctx, "bulk_operations", certificates.objectType) &&
    isGranted(ctx, "view", certificates.objectType);
}
