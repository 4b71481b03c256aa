/** Query plans of SQLite: which tables a statement scans, and whether it does so for each row of another table. */

import { sql } from "drizzle-orm";
import type { Database, Reader } from "../../src/db/mod.ts";

/** A table that a statement scans completely. */
export interface Scan {
  /** Name or alias of the table in the statement. */
  readonly table: string;
  /** Whether it is scanned again for each row of another table. */
  readonly repeated: boolean;
  readonly detail: string;
}

interface Step {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

/**
 * Returns the scans of a statement. JSON values count if they are scanned within another scan; results of the statement
 * itself do not count.
 */
export async function scansOf(database: Reader, text: string): Promise<Scan[]> {
  const steps = await database.all<Step>(sql.raw(`EXPLAIN QUERY PLAN ${text}`));
  const byId = new Map(steps.map((step) => [step.id, step]));
  const made = new Set(
    steps.flatMap(({ detail }) => /^(?:MATERIALIZE|CO-ROUTINE) (\S+)/.exec(detail)?.[1] ?? []),
  );
  return steps.flatMap((step) => {
    const { detail } = step;
    const [, table = ""] = /^SCAN (\S+)/.exec(detail) ?? [];
    if (table === "" || detail === "SCAN CONSTANT ROW") return [];
    if (made.has(table) || /^\d+$|^\(/.test(table)) return [];
    const before = steps.filter((other) => other.parent === step.parent && other.id < step.id);
    if (/ VIRTUAL TABLE /.test(detail)) {
      // Values that are parsed again for each row of a scanned table: the join is in the wrong order.
      const walked = before.some((other) =>
        /^SCAN (?!CONSTANT)/.test(other.detail) && !/ VIRTUAL TABLE /.test(other.detail)
      );
      return walked ? [{ table, repeated: true, detail }] : [];
    }
    const inner = before.some((other) => /^(?:SCAN (?!CONSTANT)|SEARCH )/.test(other.detail));
    return [{ table, repeated: inner || isCorrelated(step, byId), detail }];
  });
}

function isCorrelated(step: Step, byId: ReadonlyMap<number, Step>): boolean {
  for (let above = byId.get(step.parent); above !== undefined; above = byId.get(above.parent)) {
    if (above.detail.startsWith("CORRELATED ")) return true;
    // Evaluated once, in any position.
    if (/^(?:LIST|SCALAR) SUBQUERY/.test(above.detail)) return false;
  }
  return false;
}

/** The sizes of tables and the selectivity of indexes that SQLite assumes. */
export type Statistics = (
  index: { readonly columns: number; readonly unique: boolean },
) => string | undefined;

/** Statistics of every kind of inventory. None: as on a libSQL server. */
export const STATISTICS: Readonly<Record<string, Statistics>> = {
  "no statistics": () => undefined,
  "small tables": ({ columns, unique }) => numbers(12, columns, unique ? 1 : 3),
  "large tables": ({ columns, unique }) => numbers(1_000_000, columns, unique ? 1 : 20),
  "large tables in which most rows have the same values": ({ columns, unique }) =>
    numbers(1_000_000, columns, unique ? 1 : 400_000),
};

function numbers(rows: number, columns: number, each: number): string {
  return [rows, ...Array.from({ length: columns }, (_, index) => index === columns - 1 ? each : each * 2)]
    .map((number) => Math.min(number, rows)).join(" ");
}

/** Replaces the statistics; connections that are opened later read them. */
export async function replaceStatistics(database: Database, statistics: Statistics): Promise<void> {
  const indexes = await database.all<{ tbl: string; name: string; columns: number; unique: number }>(
    sql`SELECT t.name AS tbl, i.name AS name, i."unique" AS "unique",
        (SELECT count(*) FROM pragma_index_info(i.name)) AS columns
      FROM sqlite_schema AS t, pragma_index_list(t.name) AS i WHERE t.type = 'table'`,
  );
  const rows = indexes.flatMap(({ tbl, name, columns, unique }) => {
    const stat = statistics({ columns, unique: unique === 1 });
    return stat === undefined ? [] : [[tbl, name, stat]];
  });
  await database.write(async (tx) => {
    await tx.runAll([
      sql`DELETE FROM sqlite_stat1`,
      sql`INSERT INTO sqlite_stat1 (tbl, idx, stat)
        SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${JSON.stringify(rows)})`,
    ]);
  });
}
