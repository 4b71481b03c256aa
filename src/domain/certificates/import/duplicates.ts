/** Explains duplicates: certificates that already exist, or occur twice in a batch; and updates existing ones. */

import { getTableName, sql } from "drizzle-orm";
import { visibleSql } from "../../../auth/mod.ts";
import { addFinding, addOnce, ALL_FIELDS, type Finding, finding } from "../../../base/findings.ts";
import {
  changeDraft,
  CUSTOM_COLUMN,
  type Draft,
  loadForChange,
  parseGuarded,
  plainHex,
  requireField,
  validateDrafts,
  type Values,
} from "../../../resource/mod.ts";
import {
  cacheCertificate,
  cachedCertificate,
  type CertificateCall,
  type CertificateRow,
  certificates,
  isProvisional,
  PEM_FIELDS,
} from "../mod.ts";
import type { RowDraft } from "./plan.ts";
import { DAY_MS, type Millis } from "../../../base/clock.ts";
import { type Certificate, inventoryFields } from "../../../x509/mod.ts";
import type { ImportRow } from "./rows.ts";
import { isDictionary } from "../../../filters/mod.ts";

export interface Duplicate {
  readonly reason: Finding;
  /** The field by which it is a duplicate, if not by serial number and issuer. */
  readonly field?: string;
  /** Id of the existing certificate if the caller may view it. */
  readonly existing?: number;
  /** Whether it duplicates another row instead of a stored certificate. */
  readonly inBatch?: true;
}

/** How duplicates are found. */
interface Search {
  /** Noun for a row in messages. */
  readonly noun: string;
  /**
   * Whether rows with the same fingerprint are duplicates: tables write the issuer of one certificate in several
   * ways. With `serial`, only if they have the same serial number.
   */
  readonly fingerprints: "ignored" | "serial" | "any";
}

/**
 * Removes the general uniqueness error from drafts. Returns why rows are duplicates of stored certificates or of earlier
 * rows, by index. At most two statements.
 */
export async function findDuplicates(
  call: CertificateCall,
  planned: readonly RowDraft[],
  { noun, fingerprints }: Search,
): Promise<Map<number, Duplicate>> {
  const marked = new Set(planned.filter(({ draft }) => removeUniquenessError(draft)));
  const others = fingerprints === "ignored" ? [] : planned.filter((one) => !marked.has(one));
  const stored = marked.size === 0
    ? new Map()
    : await findStored(call, [...marked].map(({ draft }) => draft));
  const same = await findByFingerprint(call, others, fingerprints);
  const first = new Map<string, number>();
  const duplicates = new Map<number, Duplicate>();
  for (const [index, row] of planned.entries()) {
    const { place, draft } = row;
    const { fingerprint_hex: hex, serial_hex: serial } = draft.row;
    const [key, print] = [keyOf(draft), `${hex} ${serial}`];
    const [sameKey = place, samePrint] = [first.get(key), first.get(print)];
    const existing = same.get(place);
    if (marked.has(row)) duplicates.set(index, stored.get(key) ?? duplicateOf(noun, sameKey));
    else if (existing !== undefined) {
      const reason = finding("already_exists", { id: existing });
      duplicates.set(index, { reason, existing, field: FINGERPRINT });
    } else if (samePrint !== undefined && fingerprints !== "ignored") {
      duplicates.set(index, { ...duplicateOf(noun, samePrint), field: FINGERPRINT });
    }
    if (!first.has(key)) first.set(key, place);
    if (typeof hex === "string" && samePrint === undefined) first.set(print, place);
  }
  return duplicates;
}

const FINGERPRINT = "fingerprint_sha256";

/** Returns that a row duplicates another row. */
export function duplicateOf(noun: string, place: number): Duplicate {
  return { reason: finding("duplicate_in_batch", { noun, place }), inBatch: true };
}

/** Finds the only certificate with the same fingerprint that the caller may view, by place. At most one statement. */
async function findByFingerprint(
  { ctx, tx, resource }: CertificateCall,
  planned: readonly RowDraft[],
  fingerprints: Search["fingerprints"],
): Promise<Map<number, number>> {
  if (planned.length === 0) return new Map();
  const searched = planned.flatMap((
    { place, draft: { row: { fingerprint_hex: hex, serial_hex: serial } } },
  ) => typeof hex !== "string" ? [] : [[place, hex, fingerprints === "any" ? null : serial] as const]);
  const alias = getTableName(resource.table);
  const seen = visibleSql(ctx, resource.map, alias) ?? sql`1`;
  const rows = await tx.all<{ place: number; id: number }>(
    sql`SELECT searched.value->>0 AS place, min(certificates.id) AS id
        FROM json_each(${JSON.stringify(searched)}) AS searched
        CROSS JOIN certificates ON certificates.fingerprint_hex = searched.value->>1
        WHERE coalesce(searched.value->>2, certificates.serial_hex) = certificates.serial_hex AND ${seen}
        GROUP BY 1 HAVING count(*) = 1`,
  );
  return new Map(rows.map(({ place, id }) => [place, id]));
}

/** Removes the uniqueness error. Returns whether the draft had it. */
function removeUniquenessError({ errors }: Draft): boolean {
  const rule = certificates.unique[0];
  const place = errors.findIndex(({ field, code }) => field === rule?.field && code === rule?.finding.code);
  if (place >= 0) errors.splice(place, 1);
  return place >= 0;
}

function keyOf({ row }: Draft): string {
  return JSON.stringify([row.serial_hex, row.issuer]);
}

/**
 * Finds existing certificates by serial number and issuer. The reason names only those that the caller may
 * view.
 */
async function findStored(
  { ctx, tx, resource }: CertificateCall,
  drafts: readonly Draft[],
): Promise<Map<string, Duplicate>> {
  const byKey = Map.groupBy(drafts, keyOf);
  const keys = [...byKey.keys()];
  const alias = getTableName(resource.table);
  const seen = visibleSql(ctx, resource.map, alias) ?? sql`1`;
  const rows = await tx.all<{ place: number; id: number; common_name: string; hex: string; seen: number }>(
    sql`SELECT searched.key AS place, certificates.id AS id, certificates.common_name AS common_name,
          certificates.fingerprint_hex AS hex, (${seen}) IS TRUE AS seen
        FROM json_each(${`[${keys.join()}]`}) AS searched
        CROSS JOIN certificates ON certificates.serial_hex = searched.value->>0 AND certificates.issuer = searched.value->>1
        ORDER BY ${isProvisional("certificates")} DESC`,
  );
  const found = new Map(rows.map((row) => [row.place, row]));
  return new Map(keys.flatMap((key, place) => {
    const row = found.get(place);
    if (row === undefined) return [];
    if (row.seen !== 1) return [[key, { reason: finding("already_exists") }] as const];
    const { id, common_name: name, hex } = row;
    const prints = (byKey.get(key) ?? []).map(({ row }) => row.fingerprint_hex);
    // An invalid one is missing, and is an error of its own.
    const isOther = prints.every((print) => typeof print === "string" && print !== hex);
    const reason = finding("already_exists", { name, id, ...(isOther ? { different: "fingerprint" } : {}) });
    return [[key, { reason, existing: id }] as const];
  }));
}

/** Fields that a record of a list has only in its own words. */
const IDENTITY: readonly string[] = PEM_FIELDS;

/** A row and the stored certificate to which it belongs. */
export interface Match {
  readonly row: ImportRow;
  /** The row as a new certificate, validated. */
  readonly draft: Draft;
  readonly existing: number;
  /** Whether the certificate is known from a list, and the row has what it lacks. */
  readonly completes: boolean;
}

/**
 * Returns the validated change of the stored certificate for each match; undefined if nothing changes. Adds
 * an error to the match's draft if the caller may not change the certificate, or if the row is about another
 * certificate. A constant number of statements. Errors: too_large.
 * @param call The call with the condition for the rows that the caller may change.
 * @param overwrite Whether to replace values; otherwise only missing ones are filled.
 */
export async function mergeRows(
  call: CertificateCall,
  matches: readonly Match[],
  { overwrite, field }: { overwrite: boolean; field: string },
): Promise<Map<Match, Draft | undefined>> {
  if (matches.length === 0) return new Map();
  const rows = await loadForChange(call, matches.map(({ existing }) => existing), { bounded: true });
  const merged = new Map<Match, Draft | undefined>();
  for (const match of matches) {
    const { existing, draft: { errors } } = match;
    const before = rows.get(existing);
    if (before === undefined) {
      addFinding(errors, field, finding("not_changeable", { id: existing }));
    } else merged.set(match, changeOf(match, { before, overwrite, field }));
  }
  const changes = [...merged.values()].filter((draft) => draft !== undefined);
  if (changes.length > 0) await validateDrafts(call, changes);
  for (const [{ draft }, change] of merged) {
    for (const one of change?.errors ?? []) addOnce(draft.errors, one.field ?? ALL_FIELDS, one);
  }
  return merged;
}

function changeOf(
  { row, draft, existing, completes }: Match,
  { before, overwrite, field }: { before: CertificateRow; overwrite: boolean; field: string },
): Draft | undefined {
  const certificate = cachedCertificate(draft);
  if (certificate !== undefined && !overwrite && !completes && isOther(certificate, before)) {
    addFinding(draft.errors, field, finding("other_fingerprint", { id: existing }));
    return undefined;
  }
  const { input: given, errors: wrong, message } = parseGuarded(certificates, row.body, {
    mode: "patch",
    errors: [],
  });
  // Custom fields that a new certificate requires may be filled already. The change validates those in the
  // row.
  const isCustom = ({ field }: Finding): boolean => field === CUSTOM_COLUMN;
  const kept = draft.errors.filter((one) => !isCustom(one));
  draft.errors.splice(0, Infinity, ...kept, ...wrong.filter(isCustom));
  const known = certificate === undefined ? {} : pemFields(certificate);
  const input: Values = {};
  for (const [name, value] of Object.entries({ ...known, ...given })) {
    if (isMissing(value)) continue;
    if (completes && name === "status") input[name] = value;
    const stored = requireField(certificates, name).record?.read(before);
    if (name === CUSTOM_COLUMN) {
      if (!isDictionary(value) || !isDictionary(stored)) continue;
      const custom = overwrite ? value : missingIn(stored, value);
      if (Object.keys(custom).length > 0) input[name] = custom;
    } else if (
      isMissing(stored) || isExactTime(before[name], known[name]) ||
      (IDENTITY.includes(name) ? completes || (overwrite && !row.isListed) : overwrite)
    ) input[name] = value;
  }
  if (Object.keys(input).length === 0) return undefined;
  const change = changeDraft(before, { input, message });
  if (certificate !== undefined && "pem_content" in input) cacheCertificate(change, certificate);
  return change;
}

/** Returns whether a stored certificate without PEM has another fingerprint. */
function isOther(
  { fingerprintSha256 }: Certificate,
  { pem_content, fingerprint_sha256 }: CertificateRow,
): boolean {
  return pem_content === "" &&
    plainHex(fingerprint_sha256, { number: false }) !== fingerprintSha256;
}

function pemFields(certificate: Certificate): Values {
  const fields: Values = { ...inventoryFields(certificate) };
  return Object.fromEntries(PEM_FIELDS.map((name) => [name, fields[name]]));
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === "" || value === "unknown" ||
    (Array.isArray(value) && value.length === 0);
}

/**
 * Returns whether the stored time is only a date, as often in tables, and the certificate has a time on that
 * day.
 */
function isExactTime(stored: unknown, exact: unknown): boolean {
  return typeof stored === "number" && typeof exact === "number" && stored % DAY_MS === 0 &&
    dayOf(stored) === dayOf(exact);
}

function dayOf(time: Millis): number {
  return Math.floor(time / DAY_MS);
}

function missingIn(stored: Values, given: Values): Values {
  return Object.fromEntries(Object.entries(given).filter(([name]) => isMissing(stored[name])));
}
