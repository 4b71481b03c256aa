/**
 * Certificates that are known from a list only: rows of spreadsheets that lack a serial number, a fingerprint or the
 * algorithm of the key, and the certificates that complete them later.
 */

import { getTableName, sql } from "drizzle-orm";
import { restriction, restrictionSql, visibleSql } from "../../../auth/mod.ts";
import { DAY_MS } from "../../../base/clock.ts";
import { ALL_FIELDS, type Finding, finding } from "../../../base/findings.ts";
import type { Draft } from "../../../resource/mod.ts";
import { type CertificateCall, FROM_LIST, isProvisional } from "../mod.ts";
import { type Duplicate, duplicateOf } from "./duplicates.ts";
import type { RowDraft } from "./plan.ts";
import type { ImportRow } from "./rows.ts";

/** Columns of which a list lacks at least one. */
const DECISIVE = ["serial_number", "fingerprint_sha256", "algorithm"];
/** Columns that such a list may lack, too. */
const LACKING = [...DECISIVE, "issuer", "valid_from"];

/** Returns a row of a spreadsheet, as one that is known from a list if it lacks what a list may lack. */
export function asListed(row: ImportRow): ImportRow {
  const lacks = ({ code, field = "" }: Finding): boolean => code === "required" && LACKING.includes(field);
  const lacking = row.errors.filter(lacks);
  if (!lacking.some(({ field = "" }) => DECISIVE.includes(field)) || row.body.pem_content !== undefined) {
    return row;
  }
  return { ...row, errors: row.errors.filter((one) => !lacks(one)), isListed: true };
}

/** Says that a row becomes a record that is known from a list. */
export const LISTED = { ...finding("known_from_list"), field: ALL_FIELDS };

/** Fills what a draft of a listed row lacks; its validity begins today at the latest. */
export function fillListed({ input, row }: Draft, now: number): void {
  const { valid_to: end } = input;
  const today = now - now % DAY_MS;
  const unknown = {
    serial_number: "",
    fingerprint_sha256: "",
    issuer: "",
    algorithm: "unknown",
    valid_from: typeof end === "number" ? Math.min(end, today) : today,
  };
  for (const [name, value] of Object.entries(unknown)) if (input[name] === undefined) row[name] = value;
  row.discovered_via = FROM_LIST;
  if (input.status === "active") input.status = "pending";
}

/** What is stored under the name and the expiry of a row. */
interface Namesakes {
  /** Certificates that listed rows repeat, by place. */
  readonly repeated: ReadonlyMap<number, Duplicate>;
  /** The record of a list that a row completes, by place. */
  readonly completed: ReadonlyMap<number, number>;
}

/**
 * Finds certificates with the common name of a row that expire on the same day, or a day earlier or later: lists have
 * days of their own time zone. A row repeats any of them if it is listed itself. Otherwise it completes the only one
 * that is listed, which `finder` may change. One statement.
 */
export async function findNamesakes(
  { tx, resource }: CertificateCall,
  planned: readonly RowDraft[],
  { noun, finder: { ctx } }: { noun: string; finder: Pick<CertificateCall, "ctx"> },
): Promise<Namesakes> {
  const searched = planned.flatMap(({ place, row: { isListed = false }, draft: { input, row } }) => {
    const [name, end] = [input.common_name, input.valid_to];
    const isKnown = typeof name === "string" && typeof end === "number" &&
      (isListed || input.status !== "pending");
    return isKnown
      ? [[
        place,
        name,
        Math.floor(end / DAY_MS),
        Number(isListed),
        row.serial_hex ?? null,
        row.fingerprint_hex ?? null,
      ]]
      : [];
  });
  if (searched.length === 0) return { repeated: new Map(), completed: new Map() };
  const alias = getTableName(resource.table);
  const seen = visibleSql(ctx, resource.map, alias) ?? sql`1`;
  const changeable = restriction(ctx, "change", resource.map);
  const mayChange = changeable === undefined
    ? sql`0`
    : restrictionSql(ctx, changeable, { map: resource.map, alias }) ?? sql`1`;
  // Usually nothing is known from a list, and the statement ends with its first condition.
  const some = searched.some(([, , , isListed]) => isListed === 1)
    ? sql`1`
    : sql`EXISTS (SELECT 1 FROM certificates WHERE discovered_via <> '' AND discovered_via = ${FROM_LIST})`;
  const rows = await tx.all<{ place: number; id: number; count: number; listed: number }>(
    sql`SELECT searched.value->>0 AS place, searched.value->>3 AS listed, min(certificates.id) AS id, count(*) AS count
        FROM json_each(${JSON.stringify(searched)}) AS searched
        CROSS JOIN certificates ON certificates.common_name = searched.value->>1 COLLATE NOCASE
        WHERE ${some} AND certificates.valid_to / ${DAY_MS} BETWEEN searched.value->>2 - 1 AND searched.value->>2 + 1
          AND ${seen} AND (searched.value->>3 OR (certificates.discovered_via = ${FROM_LIST} AND ${
      isProvisional(alias)
    }
            AND coalesce(certificates.serial_hex = searched.value->>4, 1)
            AND coalesce(certificates.fingerprint_hex = searched.value->>5, 1) AND ${mayChange}))
        GROUP BY 1`,
  );
  const found = new Map(rows.map((row) => [row.place, row]));
  const repeated = new Map<number, Duplicate>();
  const completed = new Map<number, number>();
  const first = new Map<string, number>();
  for (const [place, name, day, isListed] of searched) {
    const at = Number(place);
    const stored = found.get(at);
    if (isListed === 0) {
      if (stored?.count === 1) completed.set(at, stored.id);
      continue;
    }
    const key = JSON.stringify([String(name).toLowerCase(), day]);
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, at);
    if (stored !== undefined) {
      const reason = finding("already_exists", { id: stored.id });
      repeated.set(at, { reason, existing: stored.id, field: "common_name" });
    } else if (earlier !== undefined) {
      repeated.set(at, { ...duplicateOf(noun, earlier), field: "common_name" });
    }
  }
  return { repeated, completed };
}
