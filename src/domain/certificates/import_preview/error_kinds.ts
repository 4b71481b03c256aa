/** Groups the errors of a preview by kind, so that an error of many rows is one line. */

import { sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { jsonText } from "../../../db/mod.ts";
import { import_preview_rows } from "../../../db/schema/mod.ts";

/** Maximum number of kinds that are returned. */
const MAX_KINDS = 8;

/** Errors of one column that differ at most in the value that they quote. */
export interface ErrorKind {
  readonly column: string;
  /** The only message, or one of them. */
  readonly message: string;
  /** Number of different messages. */
  readonly messages: number;
  /** Number of rows, and the first of them. */
  readonly rows: number;
  readonly first: number;
  /** The text of the cell if all rows have the same. */
  readonly text: string | null;
}

export interface ErrorKinds {
  /** The kinds with most rows. */
  readonly kinds: readonly ErrorKind[];
  /** Number of all kinds. */
  readonly total: number;
}

/**
 * Counts the errors of rows by kind. Messages with a suggestion are one kind each, because each can be accepted. One
 * statement.
 */
export async function countErrorKinds(
  { database }: Context,
  { id, columns }: { id: number; columns: readonly string[] },
): Promise<ErrorKinds> {
  const places = jsonText(Object.fromEntries(columns.map((name, index) => [name, index])));
  const rows = await database.all<{
    column: string;
    message: string;
    messages: number;
    rows: number;
    first: number;
    text: string;
    texts: number;
    total: number;
  }>(
    sql`WITH found AS (
        SELECT place, wrong.key AS "column", message.value AS message, coalesce(cells ->> places.value, '') AS text
        FROM ${import_preview_rows} CROSS JOIN json_each(messages) AS wrong
        CROSS JOIN json_each(wrong.value) AS message
        LEFT JOIN json_each(${places}) AS places ON places.key = wrong.key
        WHERE preview_id = ${id} AND status = 'error')
      SELECT "column", min(message) AS message, count(DISTINCT message) AS messages, count(DISTINCT place) AS rows,
        min(place) AS first, min(text) AS text, count(DISTINCT text) AS texts, count(*) OVER () AS total
      FROM found
      GROUP BY "column", CASE
        WHEN instr(message, 'Did you mean "') > 0 THEN message
        WHEN message GLOB 'Duplicate of *' THEN 'Duplicate of'
        ELSE substr(message, 1, min(instr(message || '"', '"'), instr(message || ':', ':')) - 1) END
      ORDER BY rows DESC, first LIMIT ${MAX_KINDS}`,
  );
  const kinds = rows.map(({ text, texts, total: _, ...kind }) => ({
    ...kind,
    text: texts === 1 ? text : null,
  }));
  return { kinds, total: rows[0]?.total ?? 0 };
}
