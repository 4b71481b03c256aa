/** The certificates that a report is about, and those of them without a current result. */

import { isGranted } from "../../../auth/mod.ts";
import { numberText } from "../../../base/amounts.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { type Certificate, certificates } from "../../../domain/certificates/mod.ts";
import {
  addReportFilters,
  countUnchecked,
  policies,
  type ReportQuery,
  type UncheckedNumbers,
} from "../../../domain/compliance/mod.ts";
import { parseListQuery } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import {
  allCertificatesPath,
  certificateColumns,
  LISTED,
  type ListedCertificate,
  neededFields,
} from "../certificates/mod.ts";
import { type Column, withQuery } from "../../kit/components/mod.ts";
import { certificatesById, type Params, searchOf } from "../../kit/mod.ts";

const OF_CERTIFICATE = "certificate__";
const OF_POLICY = "policy_id";

/** Filters of certificates, and the policies whose results are reported. */
interface Scope {
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

/** The certificates without a current result: their numbers, and the path of their list. */
export interface UncheckedCount extends UncheckedNumbers {
  readonly path: string;
}

/**
 * Counts the certificates of a report without a current result; undefined without a scope, or if the user may view no
 * certificates. One statement.
 */
export async function readUnchecked(
  { ctx }: Call,
  scope: Pick<Scope, "unchecked" | "policyIds"> | undefined,
): Promise<UncheckedCount | undefined> {
  if (scope === undefined || !isGranted(ctx, "view", certificates.objectType)) return undefined;
  const { unchecked, policyIds } = scope;
  const { filter } = parseListQuery(ctx, { resource: certificates, params: searchOf(unchecked) });
  return { ...await countUnchecked({ ctx, filter, policyIds }), path: allCertificatesPath(unchecked) };
}

/** Returns how many certificates have no result, and how many an outdated one: "13 never, 5 changed since". */
export function uncheckedText({ count, never }: UncheckedNumbers): string {
  const changed = count - never;
  return [
    ...(never === 0 ? [] : [`${numberText(never)} never`]),
    ...(changed === 0 ? [] : [`${numberText(changed)} changed since`]),
  ].join(", ");
}

/** Returns when the service checks them itself, to follow a text; empty if it never does. */
export function nextCheck({ ctx: { clock, settings: { evaluationTime } } }: Call): string {
  if (evaluationTime === null) return "";
  const [time, now] = [evaluationTime, clock.now()].map((at) => formatDatetime(at).slice(11, 16));
  return `; next check${`${time}` > `${now}` ? "" : " tomorrow"} at ${time} UTC`;
}

/** Returns whether the user may run policies on many certificates. */
export function mayCheckMany({ ctx }: Call): boolean {
  return isGranted(ctx, "manage_compliance", policies.objectType) &&
    isGranted(ctx, "bulk_operations", certificates.objectType) &&
    isGranted(ctx, "view", certificates.objectType);
}

/** A row about a certificate; undefined if the user may not view it. */
interface Row {
  readonly certificate: ListedCertificate | undefined;
}

/** Reads the fields of columns of certificates by id, without those that the user may not view. One statement. */
export async function readCertificates<const Name extends string & keyof Certificate>(
  call: Call,
  ids: readonly number[],
  { columns = [], fields = [] }: { columns?: readonly string[]; fields?: readonly Name[] },
): ReturnType<typeof certificatesById<Name | (typeof LISTED)[number]>> {
  return await certificatesById(call, ids, [...LISTED, ...fields], neededFields(columns));
}

/** Returns columns of certificates for rows about certificates. */
export function columnsOfCertificates<Of extends Row>(call: Call, names: readonly string[]): Column<Of>[] {
  return certificateColumns(call, names).map(({ label, cell, layout = [] }): Column<Of> => ({
    label,
    cell: ({ certificate }) => certificate === undefined ? "" : cell(certificate),
    layout: ["p2", "folds", ...layout.filter((word) => word.endsWith("share"))],
  }));
}
