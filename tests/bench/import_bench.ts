/**
 * Measures how fast a hundred certificates are imported through the whole application, compared with three minimums:
 * parsing them and one multi-row INSERT of their rows, as the query builder writes it; the same with the rows packed
 * into one value, as the service writes them; and this with everything else that an import stores (the texts, the
 * change log, the outbox), prepared in advance. The goal is half the speed of the first minimum, and of the last.
 */

import { sql } from "drizzle-orm";
import type { TestDatabase } from "../support/database.ts";
import { insertInto, insertRows, nextIds, type Row } from "../../src/db/mod.ts";
import { certificate_texts, certificates, object_changes, outbox } from "../../src/db/schema/mod.ts";
import { readCsv } from "../../src/formats/mod.ts";
import { inventoryFields, readCertificates } from "../../src/x509/mod.ts";
import { type Client, testApp } from "../support/app.ts";
import { TestCa } from "../support/test_ca/mod.ts";

/** Certificates per request: the largest batch. */
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

/** Deletes the rows that a request has created. */
async function clear(database: TestDatabase): Promise<void> {
  await database.write((tx) => tx.run(sql`DELETE FROM certificates WHERE id > ${filled?.id ?? 0}`));
}

/** A certificate as the minimums store it: a row of parsed fields without derived ones, and the PEM. */
interface Read {
  readonly row: Row;
  readonly pem: string;
}

/** How a minimum stores rows. */
type Way = "values" | "packed" | "all";

/** Stores the rows; `all` also stores texts, change records and events. */
async function insert(database: TestDatabase, read: readonly Read[], way: Way): Promise<void> {
  await database.write(async (tx) => {
    const first = await nextIds(tx, certificates, read.length);
    const rows = read.map(({ row }, index): Row => ({
      ...row,
      id: first + index,
      created: 0,
      last_updated: 0,
    }));
    await tx.run(
      way === "values"
        ? insertInto(certificates).values(rows as (typeof certificates.$inferInsert)[])
        : insertRows(certificates, rows),
    );
    if (way !== "all") return;
    const texts = read.flatMap(({ pem }, index) =>
      pem === "" ? [] : [{ certificate_id: first + index, pem_content: pem }]
    );
    const firstChange = await nextIds(tx, object_changes, read.length);
    const changes = rows.map((row, index): Row => ({
      id: firstChange + index,
      time: 0,
      username: "bench",
      request_id: "bench",
      action: "create",
      object_type: "certmgr.certificate",
      object_id: row.id ?? 0,
      object_repr: row.common_name ?? "",
      snapshots: new TextEncoder().encode(JSON.stringify([null, { ...row, pem_content: read[index]?.pem }]))
        .toHex(),
    }));
    const events = changes.map(({ id = 0, object_type = "", object_id = 0 }): Row => ({
      change_id: id,
      first_change_id: id,
      object_type,
      object_id,
      event: "created",
      created: 0,
    }));
    if (texts.length > 0) await tx.run(insertRows(certificate_texts, texts));
    await tx.run(insertRows(object_changes, changes));
    await tx.run(insertRows(outbox, events));
  });
}

function readPem(pem: string): Read {
  const [member] = readCertificates(pem).members;
  if (member === undefined) throw new Error("A certificate of the benchmark cannot be read");
  const { sans, ...fields } = inventoryFields(member.certificate);
  const row = {
    ...fields,
    serial_hex: fields.serial_number,
    fingerprint_hex: fields.fingerprint_sha256,
    sans: JSON.stringify(sans),
    status: "active",
  };
  return { row, pem };
}

function readCells({ cells }: { cells: Readonly<Record<string, string>> }): Read {
  const { serial_number = "", fingerprint_sha256 = "", sans = "" } = cells;
  const row = {
    ...cells,
    serial_hex: serial_number,
    fingerprint_hex: fingerprint_sha256,
    valid_from: Date.parse(cells.valid_from ?? ""),
    valid_to: Date.parse(cells.valid_to ?? ""),
    key_size: Number(cells.key_size),
    sans: JSON.stringify(sans.split(";")),
  };
  return { row, pem: "" };
}

function readTable(): Read[] {
  return readCsv(csv, { columns: COLUMNS, maxRows: COUNT }).rows.map(readCells);
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

for (
  const [group, read, ask] of [
    [
      "100 PEM texts",
      () => pems.map(readPem),
      () => post("bulk-import/", pems.map((pem_content) => ({ pem_content }))),
    ],
    ["100 rows of CSV", readTable, () => post("bulk-data-import/", { content: csv })],
  ] as const
) {
  measure("floor: read, INSERT … VALUES (…), (…)", group, () => insert(app.database, read(), "values"), true);
  measure("floor: read, insert packed rows", group, () => insert(app.database, read(), "packed"));
  measure("floor: read, store all of it", group, () => insert(app.database, read(), "all"));
  measure("import", group, ask);
}
