/**
 * Checks the integrity of the file (pages, indexes, constraints, search index), and references between
 * tables.
 */

import { sql } from "drizzle-orm";
import { counted } from "../../../base/amounts.ts";
import { type Check, toCheckResult } from "./check_result.ts";

/** Runs SQLite's integrity check, which includes the search index. Database servers do not allow it. */
export const checkIntegrity: Check = async ({ database, kind }) => {
  if (kind === "remote") {
    return {
      check: "integrity",
      result: "ok",
      message: "Not checked: the database server is responsible",
      examples: [],
    };
  }
  const rows = await database.all<{ integrity_check: string }>(sql`PRAGMA integrity_check`);
  return toCheckResult("integrity", {
    wrong: rows.map((row) => row.integrity_check).filter((text) => text !== "ok"),
    ok: "The file is intact",
    problem: (count) => `SQLite reports ${counted(count, "fault")}`,
  });
};

/** Checks foreign keys. */
export const checkReferences: Check = async ({ database }) => {
  const rows = await database.all<{ table: string; rowid: number | null; parent: string }>(
    sql`SELECT "table", rowid, parent FROM pragma_foreign_key_check`,
  );
  return toCheckResult("references", {
    wrong: rows.map((row) => `${row.table} ${row.rowid ?? ""} refers to a missing row of ${row.parent}`),
    ok: "All references are valid",
    problem: (count) => `${counted(count, "reference")} to missing rows`,
  });
};
