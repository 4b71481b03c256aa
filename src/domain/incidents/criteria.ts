/** The criteria of incidents: which certificates are affected. */

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { type Context, SERVICE_ACTOR } from "../../auth/mod.ts";
import { boundedList } from "../../base/bounded_list.ts";
import { parseDatetime } from "../../base/clock.ts";
import { AppError, invalid, invalidField } from "../../base/errors.ts";
import { encoded, type Finding, within } from "../../base/findings.ts";
import { MAX_NAME_CHARS } from "../../base/limits.ts";
import { pacer, type Pause } from "../../base/pace.ts";
import { andAll, idsIn, where } from "../../db/mod.ts";
import { type Condition, quoteInput } from "../../filters/mod.ts";
import { objectBody } from "../../operation/mod.ts";
import {
  documented,
  expectedError,
  isUnfiltered,
  listCondition,
  parseListQuery,
  plainHex,
  unexpected,
} from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";

/** The field of incidents, and of a preview, with criteria. */
const FIELD = "criteria";
/** Maximum length of a list: more serial numbers than an authority has revoked at once. */
const MAX_NUMBERS = 100_000;
/** Number of elements between two pauses: about a millisecond. */
const CHECKED_AT_ONCE = 2_000;
/** Maximum length of an element of a list of hexadecimal numbers. */
const MAX_HEX_CHARS = 200;
/** Maximum length of the filter: the same as that of a URL. */
const MAX_FILTER_CHARS = 4_000;

/** Hexadecimal digits, with or without colons. */
const HEX = /^[0-9A-Fa-f]+(:[0-9A-Fa-f]+)*$/;
const EXPECTED_HEX = "hexadecimal digits such as 0A:1B:2C";

/** Returns the schema of a list of hexadecimal numbers, whose elements `readCriteria` reads. */
function hexes(): z.ZodType<string[]> {
  const error = ({ input }: { input?: unknown }): string => encoded(unexpected(EXPECTED_HEX, input));
  return boundedList(z.string({ error }), { max: MAX_NUMBERS, ...expectedError("a list of texts") });
}

/** A text becomes a list of one element with a line break. */
const serialNumbers = z.preprocess((given) => typeof given === "string" ? [`${given}\n`] : given, hexes());

const day = documented(
  z.string(expectedError("a date such as 2026-12-01")).refine(
    (given) => parseDatetime(given) !== undefined,
    { error: ({ input }) => encoded(unexpected("a date such as 2026-12-01", input)) },
  ),
  { type: "string", anyOf: [{ format: "date" }, { format: "date-time" }] },
);

export const Criteria = objectBody({
  issuers: boundedList(z.string(expectedError("a text")).trim().min(1).max(MAX_NAME_CHARS), {
    max: 1_000,
    ...expectedError("a list of texts"),
  }).optional().describe("Names of issuers, as certificates have them; ignoring case."),
  authority_key_ids: hexes().optional().describe("Key identifiers of issuers."),
  spki_sha256: hexes().optional().describe("SHA-256 of public keys."),
  serial_numbers: serialNumbers.optional().describe(
    "Serial numbers; leading zeros do not count. Or the text of the authority's CSV file, which may have decimal numbers.",
  ),
  fingerprints: hexes().optional().describe("SHA-256 of certificates."),
  filter: z.string(expectedError("a text")).max(MAX_FILTER_CHARS).optional()
    .describe("Query string of the list of certificates: `tenant=acme&status=active`."),
  valid_from__gte: day.optional().describe("Not valid before this day."),
  valid_from__lt: day.optional().describe("Valid before this day."),
}, expectedError("an object"));
export type Criteria = z.infer<typeof Criteria>;

type HexList = "authority_key_ids" | "spki_sha256" | "serial_numbers" | "fingerprints";

/** The comparison of each list of hexadecimal numbers. The columns contain lower-case digits without colons. */
const LISTS: readonly [name: HexList, comparison: (values: SQL) => SQL][] = [
  ["authority_key_ids", (values) => sql`certificates.authority_key_id IN ${values}`],
  // The first comparison is the expression of the index.
  [
    "spki_sha256",
    (values) =>
      sql`(substr(certificates.spki_sha256, 1, 16) IN (SELECT substr(value, 1, 16) FROM ${values})
      AND certificates.spki_sha256 IN ${values})`,
  ],
  ["serial_numbers", (values) => sql`certificates.serial_hex IN ${values}`],
  ["fingerprints", (values) => sql`certificates.fingerprint_hex IN ${values}`],
];

/** Reads the filter of criteria. Errors: invalid (`criteria`). */
function filterOf(ctx: Context, { filter = "" }: Criteria): Condition {
  try {
    return parseListQuery(ctx, { resource: certificates, params: new URLSearchParams(filter) }).filter;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    throw invalid(within(error.findings.flat(), quoteInput).map((one) => ({ ...one, field: FIELD })));
  }
}

/**
 * Returns the condition on the table `certificates`: an entry of each given list matches. Evaluated by the service,
 * whatever the caller may view. Errors: invalid (`criteria`: the filter; nothing is required, so that all would match).
 */
export async function criteriaSql(ctx: Context, criteria: Criteria): Promise<SQL> {
  const service = { ...ctx, actor: SERVICE_ACTOR };
  const filter = filterOf(service, criteria);
  const others = Object.values({ ...criteria, filter: "" });
  if (
    others.every((value) => value === undefined || value.length === 0) && isUnfiltered(certificates, filter)
  ) {
    throw invalidField(FIELD, "no_criteria");
  }
  const lists = LISTS.flatMap(([name, comparison]) => {
    const given = criteria[name];
    if (given === undefined || given.length === 0) return [];
    const plain = given.map((one) => plainHex(one, { number: name === "serial_numbers" }));
    return [comparison(sql`(SELECT value FROM json_each(${JSON.stringify(plain)}))`)];
  });
  const { issuers = [], valid_from__gte: from = "", valid_from__lt: before = "" } = criteria;
  const [start, end] = [parseDatetime(from), parseDatetime(before)];
  return andAll(
    await listCondition({ ctx: service, resource: certificates, filter }),
    issuers.length === 0
      ? undefined
      : sql`certificates.issuer COLLATE NOCASE IN (SELECT value FROM json_each(${JSON.stringify(issuers)}))`,
    ...lists,
    start === undefined ? undefined : sql`certificates.valid_from >= ${start}`,
    end === undefined ? undefined : sql`certificates.valid_from < ${end}`,
  ) ?? sql`1`;
}

/**
 * Returns the ids of the certificates that match, in their order: those after `after`, and if `among` is given, of these.
 * One statement, in the background. Errors: invalid (the filter).
 */
export async function matchingIds(
  ctx: Context,
  criteria: Criteria,
  { after = 0, among }: { after?: number; among?: readonly number[] } = {},
): Promise<number[]> {
  // The plus signs keep SQLite from scanning all rows in the order of their ids.
  const condition = where(
    await criteriaSql(ctx, criteria),
    among === undefined ? sql`+certificates.id > ${after}` : sql`certificates.id IN ${idsIn(among)}`,
  );
  const [found] = await ctx.database.all<{ ids: string }>(
    sql`SELECT json_group_array(id) AS ids FROM (
      SELECT certificates.id FROM certificates${condition} ORDER BY +certificates.id)`,
    // Also among a few, because a list of the criteria can be long.
    { long: true },
  );
  return JSON.parse(found?.ids ?? "[]");
}

/** Reads the lists of hexadecimal numbers of criteria, in slices. Errors: invalid (`criteria`). */
export async function readCriteria(criteria: Criteria): Promise<Criteria> {
  const pause = pacer();
  const read = { ...criteria };
  const findings: Finding[] = [];
  for (const [name] of LISTS) {
    const given = criteria[name];
    if (given === undefined) continue;
    const isText = given.length === 1 && /[\r\n]/.test(given[0] ?? "");
    const { plain, strange } = await readHexes(given, pause);
    if (name === "serial_numbers" && (isText || strange !== -1)) {
      const { readSerialNumbers } = await import("./serial_numbers.ts");
      const table = await readSerialNumbers(given.join("\n"), { pause, most: MAX_NUMBERS });
      read.serial_numbers = table.serials;
      for (const { row, ...one } of table.findings) {
        const place = row === undefined ? [] : [isText ? `row ${row}` : row - 1];
        findings.push({ ...one, field: FIELD, path: [name, ...place] });
      }
    } else if (strange === -1) read[name] = plain;
    else findings.push({ ...unexpected(EXPECTED_HEX, given[strange]), field: FIELD, path: [name, strange] });
  }
  if (findings.length > 0) throw invalid(findings);
  return read;
}

/** Returns hexadecimal numbers without white space, and the index of the first text that is none, or -1. */
async function readHexes(
  given: readonly string[],
  pause: Pause,
): Promise<{ plain: string[]; strange: number }> {
  const plain: string[] = [];
  for (const [index, one] of given.entries()) {
    if (index % CHECKED_AT_ONCE === 0) await pause();
    const text = one.trim();
    if (one.length > MAX_HEX_CHARS || !HEX.test(text)) return { plain, strange: index };
    plain.push(text);
  }
  return { plain, strange: -1 };
}
