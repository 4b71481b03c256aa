/** Hostile documents. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { AppError } from "../../../../src/base/errors.ts";
import { readPreview, refreshPreview } from "../../../../src/domain/certificates/import_preview/mod.ts";
import { testApp } from "../../../support/app.ts";
import { privateKeys } from "../../../support/private_keys.ts";
import { workbook } from "../../../support/workbook.ts";
import { csvOf, KEY_REFUSED, metadata } from "../import/support.ts";
import { bulkImporter, contextAs, preview } from "./support.ts";

/** Returns the messages of a refusal about the document. */
async function refusalOf(work: Promise<unknown>): Promise<string[]> {
  const error = await work.then(() => assert.fail("It was taken"), (error: unknown) => error);
  assert(error instanceof AppError && error.code === "invalid", String(error));
  return (error.public as { content: string[] }).content;
}

for (const [form, key] of Object.entries(await privateKeys())) {
  Deno.test(`Import preview: a private key is refused before anything is stored (${form})`, async () => {
    await using app = await testApp();
    const ctx = await contextAs(app, bulkImporter());
    for (
      const content of [
        csvOf([metadata(1, { pem_content: key })]),
        csvOf([metadata(1), metadata(2, { private_key_location: key })]),
        JSON.stringify([metadata(1, { colour: key })]),
        `${csvOf([metadata(1)])}${key}`,
        key,
      ]
    ) {
      for (const form of [content, new TextEncoder().encode(content)]) {
        const messages = await refusalOf(preview(ctx, form));
        assert(messages.some((message) => message.endsWith(KEY_REFUSED)), messages.join());
        assert(!messages.join().includes(key.slice(40, 80)));
      }
    }
    assert.deepEqual(await app.database.all(sql`SELECT id FROM import_previews`), []);
  });
}

const REFUSED: [what: string, content: string | Uint8Array, message: RegExp][] = [
  ["nothing", "", /^Paste a table or choose a file\.$/],
  ["white space", " \r\n ", /^Paste a table or choose a file\.$/],
  ["a header alone", csvOf([metadata(1)]).split("\n")[0] as string, /^Expected at least one row/],
  ["malformed JSON", "[{]", /^The text is not valid JSON/],
  [
    "more rows than a table may have",
    csvOf(Array.from({ length: 10_001 }, (_, index) => metadata(index))),
    /^Batch too large: the table has more than 10000 rows\. Import it in parts, or raise CERTMGR_IMPORT_MAX_ROWS\.$/,
  ],
  [
    "a file that is larger than the limit",
    new Uint8Array(5_242_881),
    /^The document has 5\.01 MB, more than the limit of 5 MB\.$/,
  ],
  [
    "a text that is larger than the limit",
    "é".repeat(2_621_441),
    /^The document has 5\.01 MB, more than the limit of 5 MB\.$/,
  ],
  [
    "bytes that are not text",
    new Uint8Array([0xff, 0xfe, 0x00, 0xd8, 0x61, 0x00]),
    /^The file is not text in UTF-8 or UTF-16\./,
  ],
  [
    "a workbook that is cut off",
    new TextEncoder().encode("PK\x03\x04\x14\0\x06\0\x08\0\0\0[Content_Types].xml"),
    /^This workbook cannot be read\. It is cut off\.$/,
  ],
  [
    "a workbook without cells",
    workbook([]),
    /^This workbook cannot be read\. It has no visible sheet with cells\.$/,
  ],
  [
    "a workbook with a private key",
    workbook([["common_name", "comments"], ["a.example", (await privateKeys()).pkcs8 ?? ""]]),
    /^Row 2, comments: Private key detected/,
  ],
  [
    "a workbook of an older program",
    new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1]),
    /^This is a workbook of a spreadsheet program/,
  ],
  [
    "a workbook of LibreOffice",
    new TextEncoder().encode("PK\x03\x04\x14\0\0mimetypeapplication/vnd.oasis.opendocument.spreadsheet"),
    /^This is a workbook of a spreadsheet program/,
  ],
  [
    "an archive",
    new TextEncoder().encode("PK\x03\x04\x14\0\0a.csv"),
    /^A ZIP archive\. Extract it, and choose its files\.$/,
  ],
  ["a compressed table", new Uint8Array([0x1f, 0x8b, 8, 0]), /^A gzip file\. Decompress it/],
  ["null characters", csvOf([metadata(1, { common_name: "a\0b" })]), /null characters\.$/],
];
for (const [what, content, message] of REFUSED) {
  Deno.test(`Import preview: ${what} is refused on the document`, async () => {
    await using app = await testApp();
    const ctx = await contextAs(app, bulkImporter());
    const messages = await refusalOf(preview(ctx, content));
    assert.match(messages[0] ?? "", message);
    assert(messages.length <= 20);
    assert.deepEqual(await app.database.all(sql`SELECT id FROM import_previews`), []);
  });
}

Deno.test("Import preview: the limit of a file is a setting", async () => {
  await using app = await testApp();
  const base = await contextAs(app, bulkImporter());
  const text = csvOf([metadata(1)]);
  const ctx = { ...base, settings: { ...base.settings, importFileMaxBytes: text.length - 1 } };
  const [message] = await refusalOf(preview(ctx, text));
  assert.match(message ?? "", new RegExp(`^The document has ${text.length} bytes, more than the limit`));
});

/** Values that fit no column; each is reported or accepted, and none breaks the page. */
const VALUES: unknown[] = [
  "<script>alert(1)</script>",
  `"'><img src=x onerror=alert(1)>`,
  "\u202egnp.exe\u2066",
  "\ud800 lone",
  "a\u0000b",
  "x".repeat(64 * 1024),
  "=HYPERLINK(1)",
  "__proto__",
  {},
  [],
  [[]],
  [null],
  { a: { b: 1 } },
  1e308,
  -0,
  true,
  Number.MAX_SAFE_INTEGER + 2,
];
for (const [index, value] of VALUES.entries()) {
  Deno.test(`Import preview: any value in any cell is validated, stored and shown (${index})`, async () => {
    await using app = await testApp();
    const ctx = await contextAs(app, bulkImporter());
    const good = metadata(1, { tenant: "acme", sans: [], status: "active", tags: [], pem_content: "" });
    const rows = Object.keys(good).map((column, place) => ({ ...metadata(place), [column]: value }));
    const key = await preview(ctx, JSON.stringify(rows));
    const found = await readPreview({ ctx, key });
    assert.equal(found.rows.length, rows.length);
    for (const { cells } of found.rows) {
      for (const cell of cells) {
        assert(cell === null || cell.isWellFormed() && !cell.includes("\0"));
      }
    }
    assert.deepEqual((await refreshPreview({ ctx, key })).counts, found.counts);
  });
}

Deno.test("Import preview: names of built-in properties are ordinary cells and columns", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter());
  const text = JSON.stringify([metadata(1)]).replace("{", '{"__proto__":{"status":"odd"},"constructor":1,');
  const { errors, headings, rows } = await readPreview({ ctx, key: await preview(ctx, text) });
  assert.deepEqual(errors, []);
  const names = headings.map(({ name }) => name);
  assert(["__proto__", "constructor"].every((name) => names.includes(name)), names.join(" "));
  assert.deepEqual(rows.map(({ status }) => status), ["create"]);
});
