/**
 * Certificates that are known from a list only: rows of spreadsheets that lack a serial number, a fingerprint or the
 * algorithm of the key, and the certificates that complete them later.
 */

import { type SQL, sql } from "drizzle-orm";
import { restriction, restrictionSql, visibleSql } from "../../../auth/mod.ts";
import { DAY_MS } from "../../../base/clock.ts";
import { ALL_FIELDS, type Finding, finding } from "../../../base/findings.ts";
import type { Draft } from "../../../resource/mod.ts";
import { pacer } from "../../../base/pace.ts";
import type { Row } from "../../../db/mod.ts";
import { filterNamesOf, NOTHING } from "../../../filters/mod.ts";
import { type CertificateCall, FROM_LIST, PEM_FIELDS } from "../mod.ts";
import { type Duplicate, duplicateOf } from "./duplicates.ts";
import type { RowDraft } from "./plan.ts";
import type { ImportRow } from "./rows.ts";

/** Columns of which a list lacks at least one. */
const DECISIVE = ["serial_number", "fingerprint_sha256", "algorithm"];
/** What stands in place of columns that a list lacks. */
const UNKNOWN = { serial_number: "", fingerprint_sha256: "", issuer: "", algorithm: "unknown" };
/** Columns that such a list may lack. */
const LACKING = [...Object.keys(UNKNOWN), "valid_from"];

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
  const valid_from = typeof end === "number" ? Math.min(end, today) : today;
  for (const [name, value] of Object.entries({ ...UNKNOWN, valid_from })) {
    if (input[name] === undefined) row[name] = value;
  }
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

/** Fields that a completion changes: a right that depends on them may not cover its result. */
const CHANGED = new Set<string>(
  [
    ...PEM_FIELDS,
    "status",
    "pem_content",
    "issuer_chain",
    "discovered_via",
    "san",
    "q",
    "kind",
    "issuing_ca",
  ],
);

/** A row, or a stored certificate, as they are compared. */
interface Compared {
  readonly name: string;
  readonly end: number;
  /** Serial number, fingerprint, and id of the tenant; null if unknown. */
  readonly identity: readonly (string | number | null)[];
}

/**
 * Finds certificates with the common name of a row that expire on the same day, else a day earlier or later: lists have
 * days of their own time zone. A row repeats any of them if it is listed itself. Otherwise it completes the only one
 * that is listed, if `finder` may change it whatever becomes of it. At most two statements.
 */
export async function findNamesakes(
  call: CertificateCall,
  planned: readonly RowDraft[],
  { noun, finder: { ctx } }: { noun: string; finder: Pick<CertificateCall, "ctx"> },
): Promise<Namesakes> {
  const pause = pacer();
  const rows = planned.flatMap(({ place, row: { isListed = false }, draft: { input, row } }) => {
    const { common_name: name, valid_to: end, status } = input;
    if (typeof name !== "string" || typeof end !== "number" || (!isListed && status === "pending")) return [];
    const identity = [row.serial_hex ?? null, row.fingerprint_hex ?? null, row.tenant_id ?? null];
    return [{ place, isListed, name, end, identity }];
  });
  const { map } = call.resource;
  const right = restriction(ctx, "change", map);
  const isCovered = right !== undefined &&
    !filterNamesOf(right).some((name) => CHANGED.has(name.split("__", 1)[0] ?? ""));
  // The index of these records needs the value in the text of the statement.
  const open = sql`discovered_via = ${
    sql.raw(`'${FROM_LIST}'`)
  } AND status NOT IN ('replaced', 'revoked') AND ${
    restrictionSql(ctx, right ?? NOTHING, { map }) ?? sql`1`
  }`;
  const seen = visibleSql(ctx, map) ?? sql`1`;
  const matchesOf = {
    listed: await loadMatches(call, rows.filter(({ isListed }) => isListed), seen),
    other: await loadMatches(
      call,
      isCovered ? rows.filter(({ isListed }) => !isListed) : [],
      sql`${seen} AND ${open}`,
    ),
  };
  const repeated = new Map<number, Duplicate>();
  const completed = new Map<number, number>();
  const first = new Map<string, number>();
  for (const row of rows) {
    await pause();
    const { place, isListed } = row;
    const [id, other] = matchesOf[isListed ? "listed" : "other"](row);
    if (!isListed) {
      if (id !== undefined && other === undefined) completed.set(place, id);
      continue;
    }
    const key = JSON.stringify([keyOf(row, 0), row.identity]);
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, place);
    const field = "common_name";
    if (id !== undefined && other !== undefined) {
      repeated.set(place, { reason: finding("already_exists"), field });
    } else if (id !== undefined) {
      repeated.set(place, { reason: finding("already_exists", { id }), existing: id, field });
    } else if (earlier !== undefined) repeated.set(place, { ...duplicateOf(noun, earlier), field });
  }
  return { repeated, completed };
}

/** Returns the name and the day of the expiry, some days later. */
function keyOf({ name, end }: Compared, days: number): string {
  return `${Math.floor(end / DAY_MS) + days} ${name.toLowerCase()}`;
}

/** Reads the certificates with the names of rows. Returns a function for the ids that match a row: none, one, or two of several. */
async function loadMatches(
  { tx }: CertificateCall,
  rows: readonly Compared[],
  condition: SQL,
): Promise<(row: Compared) => number[]> {
  const names = [...Map.groupBy(rows, ({ name }) => name.toLowerCase()).values()].map((same) => {
    const ends = same.map(({ end }) => end - end % DAY_MS).sort((a, b) => a - b);
    return [same[0]?.name, (ends[0] ?? 0) - DAY_MS, (ends.at(-1) ?? 0) + 2 * DAY_MS];
  });
  const stored = names.length === 0
    ? []
    : await tx.all<Row & { id: number; common_name: string; valid_to: number }>(
      sql`SELECT certificates.id, common_name, valid_to, serial_hex, fingerprint_hex, tenant_id
      FROM json_each(${JSON.stringify(names)}) AS searched
      CROSS JOIN certificates ON common_name = searched.value->>0 COLLATE NOCASE
        AND valid_to >= searched.value->>1 AND valid_to < searched.value->>2
      WHERE ${condition}`,
    );
  const byKey = Map.groupBy(
    stored.map(({ id, common_name: name, valid_to: end, serial_hex, fingerprint_hex, tenant_id }) => ({
      id,
      name,
      end,
      identity: [serial_hex ?? null, fingerprint_hex ?? null, tenant_id ?? null],
    })),
    (one) => keyOf(one, 0),
  );
  const isSame = (row: Compared, { identity }: Compared): boolean =>
    row.identity.every((value, index) => value === null || [null, value].includes(identity[index] ?? null));
  if (stored.length === 0) return () => [];
  return (row) => {
    const on = (days: number): number[] =>
      (byKey.get(keyOf(row, days)) ?? []).filter((one) => isSame(row, one)).map(({ id }) => id);
    const sameDay = on(0);
    return sameDay.length > 0 ? sameDay : [...on(-1), ...on(1)];
  };
}
