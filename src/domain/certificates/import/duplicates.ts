/** Explains duplicates: certificates that already exist, or occur twice in a batch. */

import { getTableName, sql } from "drizzle-orm";
import { visibleSql } from "../../../auth/mod.ts";
import type { Draft } from "../../../resource/mod.ts";
import { type CertificateCall, certificates, isProvisional } from "../mod.ts";
import type { RowDraft } from "./plan.ts";

export interface Duplicate {
  readonly reason: string;
  /** The field by which it is a duplicate, if not by serial number and issuer. */
  readonly field?: string;
  /** Id of the existing certificate if the caller may view it. */
  readonly existing?: number;
  /** Whether it duplicates another row instead of a stored certificate. */
  readonly inBatch?: true;
}

/**
 * Removes the general uniqueness error from drafts, and returns a reason for each of them by index. One
 * statement, or none without duplicates.
 */
export async function explainDuplicates(
  call: CertificateCall,
  planned: readonly RowDraft[],
  noun: string,
): Promise<Map<number, Duplicate>> {
  const marked = planned.flatMap(({ place, draft }, index) =>
    removeUniquenessError(draft) ? [{ place, draft, index }] : []
  );
  if (marked.length === 0) return new Map();
  const stored = await findStored(call, marked.map(({ draft }) => draft));
  const first = new Map<string, number>();
  for (const { place, draft } of planned) {
    const key = keyOf(draft);
    if (!first.has(key)) first.set(key, place);
  }
  return new Map(marked.map(({ place, draft, index }) => {
    const key = keyOf(draft);
    return [index, stored.get(key) ?? duplicateOf(noun, first.get(key) ?? place)];
  }));
}

/** Returns that a row duplicates another row. */
export function duplicateOf(noun: string, place: number): Duplicate {
  return { reason: `Duplicate of ${noun} ${place} in this batch.`, inBatch: true };
}

/**
 * Returns the drafts that have the same fingerprint and serial number as an earlier row or a stored certificate, by
 * index: tables write the issuer of one certificate in several ways. Ignores drafts in `known`. One statement.
 * @param options.anySerial Whether a stored certificate may have another serial number.
 */
export async function explainFingerprints(
  call: CertificateCall,
  planned: readonly RowDraft[],
  { noun, known, anySerial }: {
    noun: string;
    known: ReadonlyMap<number, Duplicate>;
    anySerial: boolean;
  },
): Promise<Map<number, Duplicate>> {
  const field = "fingerprint_sha256";
  const stored = await findByFingerprint(call, planned.map(({ draft }) => draft), { known, anySerial });
  const first = new Map<string, number>();
  const found = new Map<number, Duplicate>();
  for (const [index, { place, draft }] of planned.entries()) {
    const { fingerprint_hex: hex, serial_hex: serial } = draft.row;
    if (typeof hex !== "string") continue;
    const key = `${hex} ${serial}`;
    const earlier = first.get(key);
    const existing = stored.get(index);
    if (earlier === undefined) first.set(key, place);
    if (known.has(index)) continue;
    if (existing !== undefined) {
      found.set(index, { reason: `Certificate already exists (ID: ${existing}).`, existing, field });
    } else if (earlier !== undefined) found.set(index, { ...duplicateOf(noun, earlier), field });
  }
  return found;
}

/**
 * Finds the only certificate with the same fingerprint that the caller may view, by index, because tables
 * write issuers differently from certificates. Ignores drafts in `known`. One statement.
 */
async function findByFingerprint(
  { ctx, tx, resource }: CertificateCall,
  drafts: readonly Draft[],
  { known, anySerial }: { known: ReadonlyMap<number, Duplicate>; anySerial: boolean },
): Promise<Map<number, number>> {
  const searched = drafts.flatMap(({ row: { fingerprint_hex: hex, serial_hex: serial } }, index) =>
    known.has(index) || typeof hex !== "string" ? [] : [[index, hex, anySerial ? null : serial] as const]
  );
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
  const [{ field, message } = { field: "", message: "" }] = certificates.unique;
  const messages = errors[field];
  if (messages?.includes(message) !== true) return false;
  const others = messages.filter((one) => one !== message);
  if (others.length > 0) errors[field] = others;
  else delete errors[field];
  return true;
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
  const keys = [...new Set(drafts.map(keyOf))];
  const alias = getTableName(resource.table);
  const seen = visibleSql(ctx, resource.map, alias) ?? sql`1`;
  const rows = await tx.all<{ place: number; id: number; common_name: string; seen: number }>(
    sql`SELECT searched.key AS place, certificates.id AS id, certificates.common_name AS common_name, (${seen}) IS TRUE AS seen
        FROM json_each(${`[${keys.join()}]`}) AS searched
        CROSS JOIN certificates ON certificates.serial_hex = searched.value->>0 AND certificates.issuer = searched.value->>1
        ORDER BY ${isProvisional("certificates")} DESC`,
  );
  const found = new Map(rows.map((row) => [row.place, row]));
  return new Map(keys.flatMap((key, place) => {
    const row = found.get(place);
    if (row === undefined) return [];
    const explained = row.seen === 1
      ? { reason: `Certificate already exists: ${row.common_name} (ID: ${row.id}).`, existing: row.id }
      : { reason: "Certificate already exists." };
    return [[key, explained] as const];
  }));
}
