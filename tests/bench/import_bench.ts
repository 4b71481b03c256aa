/**
 * How fast a hundred certificates are imported, over the application as a whole, beside the floor: reading them, and
 * one statement that inserts a row for each. The goal is half the floor's speed.
 */

import { sql } from "drizzle-orm";
import type { TestDatabase } from "../support/database.ts";
import { insertRows, nextIds, type Row } from "../../src/db/mod.ts";
import { certificates } from "../../src/db/schema/mod.ts";
import { readCsv } from "../../src/formats/mod.ts";
import { inventoryFields, readCertificates } from "../../src/x509/mod.ts";
import { type Client, testApp } from "../support/app.ts";
import { TestCa } from "../support/test_ca/mod.ts";

/** Certificates of one call: the largest batch. */
const COUNT = 100;
const ADDRESS = "/api/plugins/certmgr/certificates/";
const COLUMNS = [
  "common_name",
  "serial_number",
  "issuer",
  "valid_from",
  "valid_to",
  "fingerprint_sha256",
  "algorithm",
  "key_size",
  "status",
  "sans",
] as const;

const numbers = Array.from({ length: COUNT }, (_, index) => index);
const ca = await TestCa.root({ subject: "O=Bench, CN=Bench CA" });
const pems = await Promise.all(
  numbers.map(async (number) => {
    const cn = `host-${number}.bench.example`;
    return (await ca.issue({ cn, sans: [cn, `www.${cn}`], serial: 0xb0000 + number })).pem;
  }),
);
const csv = [
  COLUMNS.join(),
  ...numbers.map((number) => {
    const cn = `host-${number}.bench.example`;
    const fingerprint = number.toString(16).padStart(64, "0");
    return `${cn},${
      (0xb0000 + number).toString(16)
    },CN=Bench CA,2026-01-01,2026-12-31,${fingerprint},rsa,2048,active,${cn};www.${cn}`;
  }),
].join("\r\n");

const app = await testApp();
const client = await app.as("superuser");
const [filled] = await app.database.all<Row>(sql`SELECT max(id) AS id FROM certificates`);

/** Takes back what a call has created. */
async function clear(database: TestDatabase): Promise<void> {
  await database.write((tx) => tx.run(sql`DELETE FROM certificates WHERE id > ${filled?.id ?? 0}`));
}

/** Rows of the certificates' table with what a reader gives and nothing derived. */
async function insert(database: TestDatabase, rows: readonly Row[]): Promise<void> {
  await database.write(async (tx) => {
    const first = await nextIds(tx, certificates, rows.length);
    await tx.run(
      insertRows(
        certificates,
        rows.map((row, index) => ({ ...row, id: first + index, created: 0, last_updated: 0 })),
      ),
    );
  });
}

function rowOfPem(pem: string): Row {
  const [member] = readCertificates(pem).members;
  if (member === undefined) throw new Error("A certificate of the benchmark cannot be read");
  const { sans, ...fields } = inventoryFields(member.certificate);
  return {
    ...fields,
    serial_hex: fields.serial_number,
    fingerprint_hex: fields.fingerprint_sha256,
    sans: JSON.stringify(sans),
    status: "active",
  };
}

function rowOfCells({ cells }: { cells: Readonly<Record<string, string>> }): Row {
  const { serial_number = "", fingerprint_sha256 = "", sans = "" } = cells;
  return {
    ...cells,
    serial_hex: serial_number,
    fingerprint_hex: fingerprint_sha256,
    valid_from: Date.parse(cells.valid_from ?? ""),
    valid_to: Date.parse(cells.valid_to ?? ""),
    key_size: Number(cells.key_size),
    sans: JSON.stringify(sans.split(";")),
  };
}

async function post(path: string, body: unknown): Promise<void> {
  const response: Awaited<ReturnType<Client>> = await client(ADDRESS + path, { method: "POST", body });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`POST ${path} → ${response.status} ${text.slice(0, 500)}`);
}

function measure(name: string, group: string, work: () => Promise<void>, baseline = false): void {
  Deno.bench(name, { group, baseline }, async (b) => {
    b.start();
    await work();
    b.end();
    await clear(app.database);
  });
}

measure("floor: read and insert", "100 PEM texts", () => insert(app.database, pems.map(rowOfPem)), true);
measure(
  "POST bulk-import/",
  "100 PEM texts",
  () => post("bulk-import/", pems.map((pem_content) => ({ pem_content }))),
);
measure(
  "floor: read and insert",
  "100 rows of CSV",
  () => insert(app.database, readCsv(csv, { columns: COLUMNS, maxRows: COUNT }).rows.map(rowOfCells)),
  true,
);
measure("POST bulk-data-import/", "100 rows of CSV", () => post("bulk-data-import/", { content: csv }));
