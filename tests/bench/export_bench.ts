/**
 * Measures how fast each format writes rows, compared with `JSON.stringify` of the same rows. Times are for 1,000 rows.
 */

import { DEFAULT_FIELDS } from "../../src/domain/certificates/export/fields.ts";
import { type ExportRow, type Format, FORMATS, readCsv, writeDocument } from "../../src/formats/mod.ts";
import { TestCa } from "../support/test_ca/mod.ts";

const COUNT = 1_000;
const PAGE = 500;
const root = await TestCa.root({ cn: "Bench Root" });
const issuing = await root.intermediate({ cn: "Bench Issuing" });
const leaves = await issuing.issueMany(COUNT, (index) => ({ cn: `host-${index}.example.com` }));

const rows = leaves.map(({ certificate, pem }, index): ExportRow => ({
  id: index + 1,
  common_name: `host-${index}.example.com`,
  serial_number: certificate.serial.toHex().toUpperCase().match(/../g)!.join(":"),
  fingerprint_sha256: certificate.fingerprintSha256.toUpperCase().match(/../g)!.join(":"),
  issuer: "C=US, O=Bench, CN=Bench Issuing",
  valid_from: "2026-05-01T00:00:00",
  valid_to: "2026-10-31T23:59:59",
  days_remaining: 138,
  algorithm: "ecdsa",
  key_size: 256,
  status: "active",
  tenant: index % 20 === 0 ? null : "Acme Corp",
  sans: [`host-${index}.example.com`, `www.host-${index}.example.com`],
  pem_content: pem,
  issuer_chain: `${issuing.pem}${root.pem}`,
}));

async function* pages(shown: readonly ExportRow[]): AsyncGenerator<readonly ExportRow[]> {
  for (let from = 0; from < COUNT; from += PAGE) yield await Promise.resolve(shown.slice(from, from + PAGE));
}

async function write(
  format: Format,
  shown: readonly ExportRow[],
  fields: readonly string[],
): Promise<number> {
  let size = 0;
  for await (const chunk of writeDocument(format.writer(fields), pages(shown))) size += chunk.length;
  return size;
}

function only(fields: readonly string[]): ExportRow[] {
  return rows.map((row) => Object.fromEntries(fields.map((field) => [field, row[field] ?? null])));
}

const plain = only(DEFAULT_FIELDS);
const WITH_PEM = [...DEFAULT_FIELDS, "pem_content"];
const withPem = only(WITH_PEM);
const BUNDLED = FORMATS.pem.fields({ chain: true });
const bundled = only(BUNDLED);

Deno.bench(
  "floor: JSON.stringify",
  { group: "default fields", baseline: true },
  () => void JSON.stringify(plain),
);
for (const name of ["json", "csv", "yaml"] as const) {
  Deno.bench(
    name,
    { group: "default fields" },
    async () => void await write(FORMATS[name], plain, DEFAULT_FIELDS),
  );
}

Deno.bench(
  "floor: JSON.stringify, PEM",
  { group: "PEM", baseline: true },
  () => void JSON.stringify(withPem),
);
for (const name of ["json", "yaml"] as const) {
  Deno.bench(
    `${name}, PEM`,
    { group: "PEM" },
    async () => void await write(FORMATS[name], withPem, WITH_PEM),
  );
}

Deno.bench(
  "floor: JSON.stringify, chains",
  { group: "chains", baseline: true },
  () => void JSON.stringify(bundled),
);
Deno.bench(
  "pem, chains of two",
  { group: "chains" },
  async () => void await write(FORMATS.pem, bundled, BUNDLED),
);

const chunks = await Array.fromAsync(writeDocument(FORMATS.csv.writer(DEFAULT_FIELDS), pages(plain)));
const [csv, json] = [chunks.join(""), JSON.stringify(plain)];
Deno.bench("floor: JSON.parse", { group: "reading", baseline: true }, () => void JSON.parse(json));
Deno.bench(
  "readCsv",
  { group: "reading" },
  () => void readCsv(csv, { columns: DEFAULT_FIELDS, maxRows: COUNT }),
);
