/** A preview validates every row like the import, and imports nothing. */

import assert from "node:assert/strict";
import {
  createPreview,
  editCells,
  readPreview,
  readPreviewContent,
  totalOf,
} from "../../../../src/domain/certificates/import_preview/mod.ts";
import { testApp } from "../../../support/app.ts";
import { seed } from "../../../support/seed.ts";
import { pki } from "../../../support/pki.ts";
import { csvOf, metadata } from "../import/support.ts";
import { bulkImporter, certificateCount, contextAs, preview, textsOf } from "./support.ts";

const STORED = metadata(1, {
  serial_number: "0A:1B:2C",
  issuer: pki.issuing.certificate.subject.text,
});

Deno.test("Import preview: every row is validated, counts show the expected results, and nothing is imported", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter());
  const before = await certificateCount(ctx);
  const key = await preview(
    ctx,
    csvOf([metadata(1), metadata(2, { algorithm: "dsa", valid_to: "1/12/2026" }), STORED, metadata(1)]),
    { onDuplicate: "skip" },
  );
  const found = await readPreview({ ctx, key });
  assert.deepEqual(found.counts, { create: 1, update: 0, unchanged: 0, skip: 2, error: 1 });
  assert.deepEqual(found.rows.map(({ place, status }) => `${place} ${status}`), [
    "1 create",
    "2 error",
    "3 skip",
    "4 skip",
  ]);
  const [, bad, stored, twice] = found.rows;
  assert.deepEqual(bad?.messages.map(({ field }) => field).sort(), ["algorithm", "valid_to"]);
  assert.match(textsOf(bad?.messages, "algorithm")[0] ?? "", /"dsa"/);
  assert.match(
    textsOf(stored?.messages, "__all__")[0] ?? "",
    /^Certificate already exists: www\.acme\.example \(ID: \d+\), with another fingerprint\.$/,
  );
  assert.equal(stored?.certificateId, seed.certificates.acmeWeb);
  assert.deepEqual(textsOf(twice?.messages), ["Duplicate of row 1 in this batch."]);
  assert.equal(await certificateCount(ctx), before);
});

Deno.test("Import preview: cells are shown as they were given, in the document's own order of columns", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter());
  const { common_name, ...rest } = metadata(1, { algorithm: "dsa", sans: "a.example; b.example " });
  const key = await preview(ctx, csvOf([{ ...rest, common_name }]));
  const { columns, rows } = await readPreview({ ctx, key });
  assert.deepEqual(columns, [...Object.keys(rest), "common_name"]);
  assert.equal(rows[0]?.cells[columns.indexOf("algorithm")], "dsa");
  assert.equal(rows[0]?.cells[columns.indexOf("sans")], "a.example; b.example ");
});

Deno.test("Import preview: an algorithm with its size is read as both, and a contradiction is an error that quotes it", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter());
  const { key_size: _, ...sizeless } = metadata(1, { algorithm: "RSA 2048" });
  const key = await preview(ctx, csvOf([sizeless]));
  const [first] = (await readPreview({ ctx, key })).rows;
  assert.deepEqual(first?.messages, []);
  // The size that was read from the old text must not contradict the new one.
  await editCells({ ctx, key }, new Map([[1, { algorithm: "RSA 4096" }]]));
  const { rows: [edited], columns } = await readPreview({ ctx, key });
  assert.deepEqual(edited?.messages, []);
  assert.equal(edited?.cells[columns.indexOf("key_size")], "4096");
  const both = await preview(
    ctx,
    csvOf([{ ...sizeless, key_size: 4096 }, { ...sizeless, algorithm: "Rot 13" }]),
  );
  const [against, unknown] = (await readPreview({ ctx, key: both })).rows;
  assert.deepEqual(textsOf(against?.messages, "algorithm"), [
    'Algorithm "RSA 2048" contradicts key_size "4096". Correct one of them.',
  ]);
  assert.match(textsOf(unknown?.messages, "algorithm")[0] ?? "", /^Invalid algorithm "Rot 13"\./);
});

const FORMATS: [name: string, content: string | Uint8Array, format: "csv" | "json"][] = [
  ["CSV", csvOf([metadata(1)]), "csv"],
  ["JSON", JSON.stringify([metadata(1)]), "json"],
  ["a file of CSV with a byte order mark", new TextEncoder().encode(`\ufeff${csvOf([metadata(1)])}`), "csv"],
  ["a file of CSV in UTF-16", utf16(csvOf([metadata(1)], { delimiter: "\t" })), "csv"],
  [
    "a file of CSV in Windows-1252",
    Uint8Array.from(
      csvOf([metadata(1, { private_key_location: "Schl\u00fcssel" })]),
      (one) => one.charCodeAt(0),
    ),
    "csv",
  ],
];
for (const [name, content, format] of FORMATS) {
  Deno.test(`Import preview: the format is detected: ${name}`, async () => {
    await using app = await testApp();
    const ctx = await contextAs(app, bulkImporter());
    const found = await readPreview({ ctx, key: await preview(ctx, content) });
    assert.equal(found.format, format);
    assert.deepEqual(found.counts, { create: 1, update: 0, unchanged: 0, skip: 0, error: 0 });
    assert.equal(found.rows[0]?.cells[0], "row-1.example");
  });
}

function utf16(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 2 + 2);
  bytes.set([0xff, 0xfe]);
  for (let index = 0; index < text.length; index++) {
    bytes.set([text.charCodeAt(index) & 255, text.charCodeAt(index) >> 8], index * 2 + 2);
  }
  return bytes;
}

Deno.test("Import preview: a missing column is shown with its error in each row, in every format", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter());
  const { issuer: _, ...lacking } = metadata(1);
  const json = await readPreview({ ctx, key: await preview(ctx, JSON.stringify([lacking, metadata(2)])) });
  assert.deepEqual(textsOf(json.rows[0]?.messages, "issuer"), ["This field is required."]);
  assert.equal(json.rows[0]?.cells[json.columns.indexOf("issuer")], null);
  const csv = await readPreview({ ctx, key: await preview(ctx, csvOf([lacking])) });
  assert.deepEqual(csv.errors, []);
  assert.deepEqual(textsOf(csv.rows[0]?.messages, "issuer"), ["This field is required."]);
});

Deno.test("Import preview: rows that cannot be read are shown with the reason", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter());
  const { rows, counts } = await readPreview({
    ctx,
    key: await preview(ctx, `${csvOf([metadata(1)])}a,b\n`),
  });
  assert.deepEqual(counts, { create: 1, update: 0, unchanged: 0, skip: 0, error: 1 });
  assert.equal(rows[1]?.place, 2);
  assert.match(textsOf(rows[1]?.messages, "__all__")[0] ?? "", /The row has 2 cells/);
});

Deno.test("Import preview: the tenant of the request is used for rows without one", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter("acme-importer", { tenant__slug: "acme" }));
  const text = csvOf([metadata(1, { tenant: "" }), metadata(2, { tenant: "globex" })]);
  const { rows } = await readPreview({ ctx, key: await preview(ctx, text, { tenant: "acme" }) });
  assert.deepEqual(rows.map(({ status }) => status), ["create", "error"]);
  assert.deepEqual(textsOf(rows[1]?.messages, "__all__"), [
    "Your permissions do not allow importing this certificate.",
  ]);
  await assert.rejects(preview(ctx, text, { tenant: "nobody" }), (error: { public?: unknown }) => {
    assert.deepEqual(error.public, { tenant: ['No tenant has the name, slug or ID "nobody".'] });
    return true;
  });
});

Deno.test("Import preview: rows come in pages of fifty, all of them or those with errors", async () => {
  await using app = await testApp();
  const base = await contextAs(app, bulkImporter());
  const ctx = { ...base, settings: { ...base.settings, importMaxRows: 1_000 } };
  const rows = Array.from(
    { length: 250 },
    (_, index) => metadata(index, index % 2 === 0 ? {} : { algorithm: "dsa" }),
  );
  const key = await preview(ctx, csvOf(rows));
  const places = async (only: "all" | "errors", page: number): Promise<number[]> =>
    (await readPreview({ ctx, key, only, offset: (page - 1) * 50 })).rows.map(({ place }) => place);
  assert.deepEqual(await places("all", 1), Array.from({ length: 50 }, (_, index) => index + 1));
  assert.deepEqual(await places("all", 5), Array.from({ length: 50 }, (_, index) => index + 201));
  assert.deepEqual(await places("errors", 3), Array.from({ length: 25 }, (_, index) => 2 * index + 202));
  assert.deepEqual(await places("errors", 99), await places("errors", 3));
  const { count, counts } = await readPreview({ ctx, key, only: "errors" });
  assert.deepEqual([count, totalOf({ counts })], [125, 250]);
});

Deno.test("Import preview: a long cell is truncated in the table", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter());
  const long = "x".repeat(64 * 1024);
  const key = await preview(ctx, csvOf([metadata(1, { private_key_location: long }), metadata(2)]));
  const { rows, columns } = await readPreview({ ctx, key });
  assert.equal(rows[0]?.cells[columns.indexOf("private_key_location")], `${long.slice(0, 200)}…`);
});

Deno.test("Import preview: the document can be read for editing", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter());
  const text = `${csvOf([metadata(1)], { end: "\r\n" })}broken`;
  assert.equal((await readPreviewContent({ ctx, key: await preview(ctx, text) })).content, text);
});

Deno.test("Import preview: as many statements for 2 rows as for 10 and 100", async () => {
  const counts: number[] = [];
  for (const count of [2, 10, 100]) {
    await using app = await testApp();
    const ctx = await contextAs(app, bulkImporter());
    const rows = Array.from(
      { length: count },
      (_, index) =>
        metadata(index, {
          tenant: index % 2 === 0 ? "acme" : "globex",
          ...(index === 1 ? { status: "odd" } : {}),
        }),
    );
    const before = app.database.statements;
    const { key } = await createPreview({
      ctx,
      input: { content: csvOf(rows), format: "auto", onDuplicate: "skip", tenant: "acme" },
    });
    await readPreview({ ctx, key });
    await readPreview({ ctx, key, only: "errors" });
    counts.push(app.database.statements - before);
  }
  assert.equal(new Set(counts).size, 1, counts.join());
});
