/** How common a text is, which decides whether a trigram index finds its rows faster than comparing each row. */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import type { Row } from "../../db/mod.ts";
import type { TrigramQuery } from "../../filters/mod.ts";
import type { Resource } from "../model/definition.ts";
import type { ListedRows } from "./listed_rows.ts";

/** Parts of a table in which trigrams are counted, and the share of the ids in each of them. */
const SAMPLES = 3;
const SAMPLE_SHARE = 512;
/** Ids in a sample at least. */
const MIN_SAMPLE_IDS = 100;
/** Largest id from which it is worth counting: below, either way takes some milliseconds. */
const SAMPLED_ROWS = 5_000;
/** Trigrams that are counted. */
const MAX_TRIGRAMS = 24;
/** A row that the index yields costs as much as comparing so many rows. */
const INDEX_COST = 12;

/** How common the texts of a condition are. */
export interface Frequency {
  /** Whether comparing each row takes less time than what the condition asks its trigram index. */
  readonly isCommon: boolean;
  /** Largest id of the table. */
  readonly largest: number;
}

/** Measures how common the texts are for which a list is searched. One statement. */
export async function textFrequency(
  { database }: Context,
  { resource, searched }: Pick<ListedRows, "searched"> & { readonly resource: Resource },
): Promise<Frequency> {
  const trigrams = measuredTrigrams(searched);
  const columns = [...trigrams].map(([trigram, table], index) =>
    sql`, CASE WHEN largest < ${SAMPLED_ROWS} THEN 0 ELSE ${hitsSql(table, trigram)} END AS ${
      sql.identifier(`hits_${index}`)
    }`
  );
  const [row] = await database.all<Row>(sql`WITH ids (largest, width) AS (
      SELECT coalesce(max(id), 0), max(${MIN_SAMPLE_IDS}, coalesce(max(id), 0) / ${SAMPLE_SHARE})
      FROM ${resource.table})
    SELECT largest, width${sql.join(columns)} FROM ids`);
  const found = new Map(
    [...trigrams.keys()].map((trigram, index) => [trigram, Number(row?.[`hits_${index}`])]),
  );
  // A text is at most as common as its rarest trigram.
  const hits = searched.flatMap((query) => query.trigrams).map((each) =>
    Math.min(...each.map((trigram) => found.get(trigram) ?? 0))
  );
  const isCommon = hits.reduce((sum, each) => sum + each, 0) * INDEX_COST > Number(row?.width) * SAMPLES;
  return { isCommon, largest: Number(row?.largest) };
}

/** Returns trigrams with the table of their index; searches of several columns have the same ones. */
function measuredTrigrams(searched: readonly TrigramQuery[]): Map<string, string> {
  const all = searched.flatMap(({ table, trigrams }) =>
    trigrams.flat().map((trigram) => [trigram, table] as const)
  );
  return new Map([...new Map(all)].slice(0, MAX_TRIGRAMS));
}

/**
 * Counts the rows of all samples that contain a trigram in any column. A single trigram, because the index looks for the
 * first match of anything else as far as the end of the table.
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
