/** Merges imported rows into stored certificates. */

import { DAY_MS, type Millis } from "../../../base/clock.ts";
import { addError } from "../../../base/errors.ts";
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
import { type Certificate, inventoryFields } from "../../../x509/mod.ts";
import {
  cacheCertificate,
  cachedCertificate,
  type CertificateCall,
  type CertificateRow,
  certificates,
  PEM_FIELDS,
} from "../mod.ts";
import type { ImportRow } from "./rows.ts";
import { isDictionary } from "../../../filters/mod.ts";

/** A row and the stored certificate to which it belongs. */
export interface Match {
  readonly row: ImportRow;
  /** The row as a new certificate, validated. */
  readonly draft: Draft;
  readonly existing: number;
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
      addError(errors, field, `Your permissions do not allow changing certificate ${existing}.`);
    } else merged.set(match, changeOf(match, { before, overwrite, field }));
  }
  const changes = [...merged.values()].filter((draft) => draft !== undefined);
  if (changes.length > 0) await validateDrafts(call, changes);
  for (const [{ draft }, change] of merged) {
    for (const [name, messages] of Object.entries(change?.errors ?? {})) {
      for (const message of messages) {
        if (draft.errors[name]?.includes(message) !== true) addError(draft.errors, name, message);
      }
    }
  }
  return merged;
}

function changeOf(
  { row, draft, existing }: Match,
  { before, overwrite, field }: { before: CertificateRow; overwrite: boolean; field: string },
): Draft | undefined {
  const certificate = cachedCertificate(draft);
  if (certificate !== undefined && !overwrite && isOther(certificate, before)) {
    addError(
      draft.errors,
      field,
      `Certificate ${existing} has another fingerprint. Use overwrite to replace its values.`,
    );
    return undefined;
  }
  const { input: given, errors: wrong, message } = parseGuarded(certificates, row.body, {
    mode: "patch",
    errors: {},
  });
  // Custom fields that a new certificate requires may be filled already. The change validates those in the
  // row.
  delete draft.errors[CUSTOM_COLUMN];
  for (const text of wrong[CUSTOM_COLUMN] ?? []) addError(draft.errors, CUSTOM_COLUMN, text);
  const known = certificate === undefined ? {} : pemFields(certificate);
  const input: Values = {};
  for (const [name, value] of Object.entries({ ...known, ...given })) {
    if (isMissing(value)) continue;
    const stored = storedValue(before, name);
    if (name === CUSTOM_COLUMN) {
      if (!isDictionary(value) || !isDictionary(stored)) continue;
      const custom = overwrite ? value : missingIn(stored, value);
      if (Object.keys(custom).length > 0) input[name] = custom;
    } else if (overwrite || isMissing(stored) || isExactTime(before[name], known[name])) input[name] = value;
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

function storedValue(before: CertificateRow, name: string): unknown {
  // The change record has only a hash of a long text.
  const { long, record } = requireField(certificates, name);
  return long ? before[name] : record?.(before);
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
