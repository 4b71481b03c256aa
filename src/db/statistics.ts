/**
 * Statistics that SQLite uses to choose between indexes. They describe a fictional inventory of a million
 * certificates, so that query plans are the same in every installation and from the first row on. The number
 * of rows per status is low, so that SQLite uses the filter instead of scanning in the requested order, which
 * is slow if nothing matches. No table is described as small, because SQLite would scan it for each row of
 * another table. Only for databases in files, because a libSQL server does not support ANALYZE.
 */

import { sql } from "drizzle-orm";
import type { Reader, Transaction } from "./database.ts";

/** Total number of rows, then rows per value of the index's first column, of its first two, and so on. */
const STATISTICS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  certificates: {
    certificates_serial_issuer: "1000000 1 1",
    certificates_id: "1000000 1",
    certificates_fingerprint: "1000000 1",
    certificates_common_name: "1000000 2",
    certificates_common_name_nocase: "1000000 2",
    certificates_spki: "1000000 2",
    certificates_replaced_by: "1000000 2",
    certificates_authorities: "1000000 2 1 1",
    certificates_valid_from: "1000000 20",
    certificates_valid_to: "1000000 20",
    certificates_created: "1000000 20",
    certificates_last_updated: "1000000 20",
    certificates_awaiting_expiry: "1000000 20 1 1 1 1",
    certificates_tenant_status: "1000000 20 6",
    certificates_tenant_valid_to: "1000000 20 1",
    certificates_tenant_common_name: "1000000 20 1",
    certificates_issuer: "1000000 3000",
    certificates_issuer_nocase: "1000000 3000",
    certificates_status: "1000000 5000",
    certificates_status_common_name: "1000000 5000 2",
    certificates_status_valid_to: "1000000 5000 2 1 1 1 1",
    certificates_issuing_ca: "1000000 6000",
    certificates_acme_provider: "1000000 6000",
    certificates_chain_status: "1000000 7000",
    certificates_expiry_notices: "1000000 7000",
    certificates_pem_matches: "1000000 8000",
    certificates_algorithm: "1000000 8000",
    certificates_key_size: "1000000 8000",
    certificates_is_acme: "1000000 10000",
    certificates_acme_auto_renewal: "1000000 10000",
    certificates_automation: "1000000 10000",
  },
  certificate_sans: {
    certificate_sans: "3000000 2 1 1",
  },
  tagged_items: {
    tagged_items: "1000000 1000000 2 1",
    tagged_items_tag: "1000000 5000 5000 1",
  },
};

const rows = Object.entries(STATISTICS).flatMap(([table, indexes]) =>
  Object.entries(indexes).map(([index, numbers]) => [table, index, numbers])
);

/**
 * Returns whether the database has exactly these statistics, so that nothing has to be written (the disk may
 * be full).
 */
export async function hasStatistics(reader: Reader): Promise<boolean> {
  const [table] = await reader.all(sql`SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'`);
  if (table === undefined) return false;
  const found = await reader.all<{ tbl: string; idx: string; stat: string }>(
    sql`SELECT tbl, idx, stat FROM sqlite_stat1`,
  );
  const keyOf = (row: readonly (string | undefined)[]): string => row.join(" ");
  const stored = new Set(found.map(({ tbl, idx, stat }) => keyOf([tbl, idx, stat])));
  return found.length === rows.length && rows.every((row) => stored.has(keyOf(row)));
}

/** Replaces all statistics. For an index without statistics, SQLite assumes ten rows per key. */
export async function setStatistics(tx: Transaction): Promise<void> {
  await tx.runAll([
    sql`ANALYZE sqlite_schema`, // creates the table
    sql`DELETE FROM sqlite_stat1`,
    sql`INSERT INTO sqlite_stat1 (tbl, idx, stat)
      SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${JSON.stringify(rows)})`,
    sql`ANALYZE sqlite_schema`, // loads it
  ]);
}
