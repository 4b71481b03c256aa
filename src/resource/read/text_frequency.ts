/**
 * Determines how common a text is, which decides how rows with it are counted fastest: a trigram index finds
 * them, each row is compared, or each entry of an index is compared, and the rows whose entry does not
 * contain the text.
 */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import type { Row } from "../../db/mod.ts";
import type { TrigramQuery } from "../../filters/mod.ts";
import type { Resource } from "../model/definition.ts";
import type { LeadingField, ListedRows } from "./listed_rows.ts";

/**
 * Number of samples of a table in which trigrams are counted, and the fraction of the ids in each of them.
 */
const SAMPLES = 3;
const SAMPLE_SHARE = 512;
/** Minimum number of ids in a sample. */
const MIN_SAMPLE_IDS = 100;
/** Largest id from which counting is worthwhile; below it, either way takes a few milliseconds. */
const SAMPLED_ROWS = 5_000;
/** Maximum number of trigrams that are counted. */
const MAX_TRIGRAMS = 24;
/** A row that the index returns costs as much as comparing this number of rows. */
const INDEX_COST = 12;

/**
 * Numbers of parts of the table, and of rows in each, that are compared to estimate how often the leading
 * field contains the text.
 */
const COMPARED_PARTS = 4;
const COMPARED_ROWS = 128;
/**
 * Fraction of these rows from which its index is scanned: for every other entry the row is needed, which
 * costs as much as ten entries.
 */
const LEADING_SHARE = 7 / 8;

/** How to count rows with a text. */
export type CountingWay = "search" | "scan" | "walk";

/** How common the texts of a condition are. */
export interface Frequency {
  readonly way: CountingWay;
  /** Largest id of the table. */
  readonly largest: number;
}

/** Measures how common the texts are for which a list is searched. One statement. */
export async function textFrequency(
  { database }: Context,
  { resource, searched, leading }: Pick<ListedRows, "searched" | "leading"> & { readonly resource: Resource },
): Promise<Frequency> {
  const trigrams = measuredTrigrams(searched);
  const columns = [...trigrams].map(([trigram, table], index) =>
    sql`, CASE WHEN largest < ${SAMPLED_ROWS} OR share >= ${LEADING_SHARE} THEN 0 ELSE ${
      hitsSql(table, trigram)
    } END
      AS ${sql.identifier(`hits_${index}`)}`
  );
  const share = leading === undefined
    ? sql`0`
    : sql`CASE WHEN largest < ${SAMPLED_ROWS} THEN 0 ELSE ${shareSql(resource, leading)} END`;
  const [row] = await database.all<Row>(sql`WITH ids (largest, width) AS MATERIALIZED (
      SELECT coalesce(max(id), 0), max(${MIN_SAMPLE_IDS}, coalesce(max(id), 0) / ${SAMPLE_SHARE})
      FROM ${resource.table}), shares (share) AS MATERIALIZED (SELECT ${share} FROM ids)
    SELECT largest, width, share${sql.join(columns)} FROM ids, shares`);
  const largest = Number(row?.largest);
  if (Number(row?.share) >= LEADING_SHARE) return { way: "walk", largest };
  if (searched.length === 0) return { way: "scan", largest };
  const found = new Map(
    [...trigrams.keys()].map((trigram, index) => [trigram, Number(row?.[`hits_${index}`])]),
  );
  // A text is at most as common as its rarest trigram.
  const hits = searched.flatMap((query) => query.trigrams).map((each) =>
    Math.min(...each.map((trigram) => found.get(trigram) ?? 0))
  );
  const isCommon = hits.reduce((sum, each) => sum + each, 0) * INDEX_COST > Number(row?.width) * SAMPLES;
  return { way: isCommon ? "scan" : "search", largest };
}

/**
 * Returns an expression on `ids` for the fraction of some rows in which the leading field contains the text.
 */
function shareSql({ table }: Resource, { condition }: LeadingField): SQL {
  const parts = Array.from(
    { length: COMPARED_PARTS },
    (_, part) =>
      sql`SELECT id FROM (SELECT id FROM ${table}
      WHERE id >= (SELECT CAST(largest * ${
        part / COMPARED_PARTS
      } AS INTEGER) FROM ids) ORDER BY id LIMIT ${COMPARED_ROWS})`,
  );
  return sql`(SELECT coalesce(avg(${condition}), 0) FROM ${table} WHERE id IN (${
    sql.join(parts, sql` UNION ALL `)
  }))`;
}

/** Returns trigrams with the table of their index. Searches of several columns have the same ones. */
function measuredTrigrams(searched: readonly TrigramQuery[]): Map<string, string> {
  const all = searched.flatMap(({ index, trigrams }) =>
    trigrams.flat().map((trigram) => [trigram, index.table] as const)
  );
  return new Map([...new Map(all)].slice(0, MAX_TRIGRAMS));
}

/**
 * Counts the rows of all samples that contain a trigram in any column. Only a single trigram, because for
 * anything else the index searches for the first match up to the end of the table.
 */
function hitsSql(table: string, trigram: string): SQL {
  const name = sql.identifier(table);
  const parts = Array.from({ length: SAMPLES }, (_, part) => {
    const first = sql`(SELECT CAST(largest * ${(2 * part + 1) / (2 * SAMPLES)} AS INTEGER) FROM ids)`;
    return sql`(SELECT count(*) FROM ${name} WHERE ${name} MATCH ${trigram}
      AND rowid >= ${first} AND rowid < ${first} + (SELECT width FROM ids))`;
  });
  return sql`(${sql.join(parts, sql` + `)})`;
}
