/** The tables of `support.ts` in a separate database file, with the indexes that the real ones have. */

import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../src/db/database.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";

const SCHEMA = `
CREATE TABLE users (id INTEGER PRIMARY KEY, username TEXT NOT NULL UNIQUE);
CREATE TABLE tenants (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, slug TEXT NOT NULL UNIQUE, description TEXT, owner_id INTEGER
) STRICT;
CREATE TABLE tags (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, slug TEXT NOT NULL UNIQUE);
CREATE TABLE tenant_tags (tenant_id INTEGER, tag_id INTEGER, PRIMARY KEY (tenant_id, tag_id)) WITHOUT ROWID;
CREATE TABLE certificates (
  id INTEGER PRIMARY KEY, common_name TEXT NOT NULL, issuer TEXT NOT NULL, acme_provider TEXT, serial_hex TEXT NOT NULL,
  fingerprint_hex TEXT NOT NULL, status TEXT NOT NULL, key_size INTEGER, is_acme INTEGER NOT NULL,
  valid_to INTEGER NOT NULL, tenant_id INTEGER, replaced_by_id INTEGER, sans TEXT NOT NULL
) STRICT;
CREATE INDEX certificates_common_name ON certificates (common_name);
CREATE INDEX certificates_common_name_nocase ON certificates (common_name COLLATE NOCASE);
CREATE INDEX certificates_serial ON certificates (serial_hex);
CREATE INDEX certificates_valid_to ON certificates (valid_to);
CREATE INDEX certificates_status_valid_to ON certificates (status, valid_to);
CREATE INDEX certificates_tenant ON certificates (tenant_id);
CREATE INDEX certificates_key_size ON certificates (key_size);
CREATE TABLE certificate_tags (certificate_id INTEGER, tag_id INTEGER, PRIMARY KEY (certificate_id, tag_id)) WITHOUT ROWID;
CREATE INDEX certificate_tags_tag ON certificate_tags (tag_id);
CREATE TABLE certificate_sans (
  certificate_id INTEGER NOT NULL, position INTEGER NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (value COLLATE NOCASE, certificate_id, position)
) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE certificate_search USING fts5(
  common_name, sans, content = '', contentless_delete = 1, tokenize = 'trigram', detail = column
);`;

/** A certificate of the inventory; all values have defaults. */
export interface CertificateRow {
  readonly id: number;
  readonly common_name?: string;
  readonly issuer?: string;
  readonly acme_provider?: string | null;
  readonly serial_hex?: string;
  readonly fingerprint_hex?: string;
  readonly status?: string;
  readonly key_size?: number | null;
  readonly is_acme?: number;
  readonly valid_to?: number;
  readonly tenant_id?: number | null;
  readonly replaced_by_id?: number | null;
  readonly tags?: readonly number[];
  readonly sans?: readonly string[];
}

const DEFAULTS = {
  common_name: "",
  issuer: "",
  acme_provider: null,
  serial_hex: "0",
  fingerprint_hex: "",
  status: "active",
  key_size: null,
  is_acme: 0,
  valid_to: 0,
  tenant_id: null,
  replaced_by_id: null,
};

/** Rows of the other tables, in the order of their columns. */
export interface Others {
  readonly users?: readonly (readonly unknown[])[];
  readonly tenants?: readonly (readonly unknown[])[];
  readonly tags?: readonly (readonly unknown[])[];
  readonly tenant_tags?: readonly (readonly unknown[])[];
}

/** A database that removes its file when it goes out of scope. */
export interface InventoryDb extends AsyncDisposable {
  readonly database: Database;
  all<T>(query: SQL): Promise<T[]>;
  insert(rows: readonly CertificateRow[], others?: Others): Promise<void>;
}

/** Creates an empty inventory. */
export async function openInventory(): Promise<InventoryDb> {
  const folder = await Deno.makeTempDir({ prefix: "certmgr-condition-" });
  const database = await openFileDatabase({ path: `${folder}/inventory.db` });
  await database.write((tx) =>
    tx.runAll(SCHEMA.split(";").filter((text) => text.trim()).map((text) => sql.raw(text)))
  );
  return {
    database,
    all: <T>(query: SQL) => database.all<T>(query),
    insert: (rows, others) => insert(database, rows, others ?? {}),
    async [Symbol.asyncDispose](): Promise<void> {
      database.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function insert(database: Database, rows: readonly CertificateRow[], others: Others): Promise<void> {
  const names = ["id", ...Object.keys(DEFAULTS), "sans"];
  const certificates = rows.map((row) => {
    const full: Record<string, unknown> = { ...DEFAULTS, ...row, sans: JSON.stringify(row.sans ?? []) };
    return names.map((name) => full[name]);
  });
  const tags = rows.flatMap(({ id, tags = [] }) => tags.map((tag) => [id, tag]));
  const sans = rows.flatMap(({ id, sans = [] }) => sans.map((value, index) => [id, index, value]));
  const search = rows.map(({ id, common_name = "", sans = [] }) => [id, common_name, sans.join("\n")]);
  await database.write((tx) =>
    tx.runAll([
      ...Object.entries(others).flatMap(([table, rows]) => rowsInto(table, rows)),
      ...rowsInto(`certificates (${names.join(", ")})`, certificates),
      ...rowsInto("certificate_tags", tags),
      ...rowsInto("certificate_sans", sans),
      ...rowsInto("certificate_search (rowid, common_name, sans)", search),
    ])
  );
}

function rowsInto(table: string, rows: readonly (readonly unknown[])[]): SQL[] {
  const [first] = rows;
  if (first === undefined) return [];
  const columns = first.map((_, index) => `value->>${index}`).join(", ");
  return [
    sql`INSERT INTO ${sql.raw(table)} SELECT ${sql.raw(columns)} FROM json_each(${JSON.stringify(rows)})`,
  ];
}
