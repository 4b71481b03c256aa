/** Whether the file is sound: pages, indexes, constraints, the search index, references between tables. */

import { sql } from "drizzle-orm";
import { type Check, counted, judged } from "./finding.ts";

/** SQLite's own check; it covers the search index too. A server does not let clients run it. */
export const checkIntegrity: Check = async ({ database, kind }) => {
  if (kind === "remote") {
    return { check: "integrity", result: "ok", message: "Left to the database server", examples: [] };
  }
  const rows = await database.all<{ integrity_check: string }>(sql`PRAGMA integrity_check`);
  return judged("integrity", {
    wrong: rows.map((row) => row.integrity_check).filter((text) => text !== "ok"),
    well: "The file is sound",
    ill: (count) => `SQLite reports ${counted(count, "fault")}`,
  });
};

/** Rows that refer to rows which are not there. */
export const checkReferences: Check = async ({ database }) => {
  const rows = await database.all<{ table: string; rowid: number | null; parent: string }>(
    sql`SELECT "table", rowid, parent FROM pragma_foreign_key_check`,
  );
  return judged("references", {
    wrong: rows.map((row) => `${row.table} ${row.rowid ?? ""} refers to a missing row of ${row.parent}`),
    well: "Every reference leads to a row",
    ill: (count) => `${counted(count, "reference")} to rows that are not there`,
  });
};
