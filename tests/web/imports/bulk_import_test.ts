/** The page of bulk imports in a browser without scripts (specification, point 9). */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted } from "../../support/actors.ts";
import { testApp } from "../../support/app.ts";
import { privateKeys } from "../../support/private_keys.ts";
import { bulkImporter, certificateCount } from "../../domain/certificates/import_preview/support.ts";
import { csvOf, KEY_REFUSED, metadata } from "../../domain/certificates/import/support.ts";
import { pki } from "../../support/pki.ts";
import { seed } from "../../support/seed.ts";
import { pkcs7 } from "../../support/test_ca/mod.ts";
import { type Browser, browserOf, textOf, withoutFormToken } from "./browser.ts";

const PAGE = "/certificates/add/";

/** Sends a table and returns the path of its preview. */
async function previewOf(
  browser: Browser,
  content: string,
  rest: Record<string, string> = {},
): Promise<string> {
  const { status, location } = await browser.post(PAGE, { content, on_duplicate: "error", ...rest });
  assert.equal(status, 303);
  assert.match(location, /^\/certificates\/add\/preview\/[A-Za-z0-9]{22}\/$/);
  return location;
}

Deno.test("Bulk import page: it accepts a pasted text or a file, and shows its limits", async () => {
  await using app = await testApp({
    settings: { importFileMaxBytes: 2_000_000, importMaxRows: 2_500 },
  });
  const browser = await browserOf(app);
  const { status, html } = await browser.get(PAGE);
  assert.equal(status, 200);
  assert.match(html, /<textarea[^>]*name="content"/);
  assert.match(html, /<input[^>]*type="file"/);
  assert.match(html, /enctype="multipart\/form-data"/);
  assert.match(textOf(html), /At most 1\.91 MB and 2,500 rows in a table/);
  assert.match(html, /data-max-bytes="2000000"/);
});

Deno.test("Bulk import page: the limit of a file is 5 MB by default, and a larger file is refused with both sizes", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  assert.match(textOf((await browser.get(PAGE)).html), /At most 5 MB and 10,000 rows in a table/);
  const { status, html } = await browser.post(PAGE, {
    file: new File(["x".repeat(5 * 1024 * 1024 + 1)], "big.csv"),
  });
  assert.equal(status, 400);
  assert.match(textOf(html), /The document has 5\.01 MB, more than the limit of 5 MB\./);
  assert.match(html, /<input[^>]*name="file"[^>]*aria-invalid="true"/, "the error is at the file");
});

const GIVEN: [what: string, fields: Record<string, string | File>][] = [
  ["a pasted CSV", { content: csvOf([metadata(1)]) }],
  ["a pasted JSON", { content: JSON.stringify([metadata(1)]) }],
  ["a file of CSV", { file: new File([csvOf([metadata(1)])], "rows.csv") }],
  ["a file of JSON with another name", { file: new File([JSON.stringify([metadata(1)])], "rows.csv") }],
];
for (const [what, fields] of GIVEN) {
  Deno.test(`Bulk import page: ${what} is previewed, confirmed and imported`, async () => {
    await using app = await testApp();
    const browser = await browserOf(app);
    const before = await certificateCount(app.ctx);
    const { location } = await browser.post(PAGE, fields);
    const preview = await browser.get(location);
    assert.match(textOf(preview.html), /1 can be imported .*row-1\.example/);
    assert.equal(await certificateCount(app.ctx), before);
    assert.equal((await browser.post(`${location}confirm/`)).location, location);
    assert.equal(await certificateCount(app.ctx), before + 1);
    const { html } = await browser.get(location);
    assert.match(textOf(html), /Import complete .*1 imported/);
    assert.match(html, /href="\/certificates\/\d+\/" aria-label="View the certificate of row 1"/);
    assert.doesNotMatch(html, /confirm\//);
  });
}

Deno.test("Bulk import page: invalid cells are marked with their messages, and nothing can be confirmed", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const rows = [metadata(1), metadata(2, { algorithm: "dsa" }), metadata(3, { valid_to: "1/12/2026" })];
  const location = await previewOf(browser, csvOf(rows));
  const { html } = await browser.get(location);
  assert.match(textOf(html), /1 can be imported 2 have errors/);
  assert.match(html, /<td \s*aria-invalid="true" ?><bdi>dsa<\/bdi><\/td>/);
  assert.match(html, /<td \s*aria-invalid="true" ?><bdi>1\/12\/2026<\/bdi><\/td>/);
  // The messages are in the result, which stays in sight.
  const results = [...html.matchAll(/<td class="result">(.*?)<\/td>/gs)].map(([, text = ""]) => textOf(text));
  assert.match(results[1] ?? "", /error *Algorithm: dsa Invalid algorithm/);
  assert.match(results[2] ?? "", /error *Valid to: 1\/12\/2026 Invalid date format/);
  assert.equal(html.match(/aria-invalid/g)?.length, 2);
  const heads = (text: string): string[] =>
    [...text.slice(text.indexOf("Rows and their results")).matchAll(/<th scope="col" ?>([^<]+)</g)].map((
      [, name],
    ) => name ?? "");
  assert.deepEqual(heads(html), [
    "Valid to",
    "Algorithm",
    "Serial number",
    "Issuer",
    "Valid from",
    "SHA-256 fingerprint",
    "Key size",
  ]);
  const only = await browser.get(`${location}?only=errors`);
  const rowsOnly = only.html.slice(only.html.indexOf("Rows with errors, and what is wrong"));
  assert.equal(rowsOnly.match(/<th scope="row"/g)?.length, 2, "one line per wrong row");
  assert.deepEqual(
    [...rowsOnly.matchAll(/<input id="(cell[^"]+)"/g)].map(([, id]) => id),
    ["cell.2.algorithm", "cell.3.valid_to"],
    "only wrong cells are shown",
  );
  assert.match(textOf(rowsOnly), /2 row-2\.example .*Algorithm .*3 row-3\.example .*Valid to/);
  assert.match(html, /Import the 1 good row</);
  const before = await certificateCount(app.ctx);
  await browser.post(`${location}confirm/`);
  assert.equal(await certificateCount(app.ctx), before);
});

Deno.test("Bulk import page: rows with errors are shown, fifty at a time", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const rows = Array.from(
    { length: 240 },
    (_, index) => metadata(index, index % 2 === 0 ? {} : { algorithm: `dsa-${index}` }),
  );
  const location = await previewOf(browser, csvOf(rows));
  const rowsOf = (html: string): number => html.match(/<th scope="row" class="number"/g)?.length ?? 0;
  const all = await browser.get(location);
  assert.equal(rowsOf(all.html), 50);
  assert.match(textOf(all.html), /All rows 240 Errors only 120 .*1–50 of 240/);
  assert.equal(rowsOf((await browser.get(`${location}?offset=200`)).html), 40);
  const errors = await browser.get(`${location}?only=errors&offset=100`);
  assert.equal(rowsOf(errors.html), 20);
  assert.match(textOf(errors.html), /101–120 of 120/);
  assert.match(errors.html, /aria-current="true"> ?Errors only/);
});

Deno.test("Bulk import page: a table with errors goes back into the form for editing", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const location = await previewOf(browser, csvOf([metadata(1, { algorithm: "dsa" })]), {
    on_duplicate: "skip",
  });
  const edit = /href="([^"]*\?from=[^"]*)"/.exec((await browser.get(location)).html)?.[1] as string;
  const { html } = await browser.get(edit);
  assert.match(html, /row-1\.example/);
  assert.match(html, /<option value="skip" selected/);
});

Deno.test("Bulk import page: a preview survives a reload, and only its user sees it", async () => {
  await using app = await testApp();
  const owner = await browserOf(app, bulkImporter("owner"));
  const other = await browserOf(app, bulkImporter("other"));
  const location = await previewOf(owner, csvOf([metadata(1)]));
  const [once, again] = [await owner.get(location), await owner.get(location)];
  assert.equal(withoutFormToken(once.html), withoutFormToken(again.html));
  assert.equal((await other.get(location)).status, 404);
  for (const path of ["confirm/", "discard/"]) {
    assert.equal((await other.post(location + path)).status, 404);
  }
  assert.equal((await owner.post(`${location}discard/`)).location, PAGE);
  assert.equal((await owner.get(location)).status, 404);
});

Deno.test("Add page: a table needs import and bulk operations; without the second, only certificates are offered", async () => {
  await using app = await testApp();
  const cases = [[["view", "import"], 400], [["view", "import", "bulk_operations"], 303]] as const;
  for (const [actions, status] of cases) {
    const actor = granted([{ types: ["certmgr.certificate"], actions }], { username: actions.join("-") });
    const browser = await browserOf(app, actor);
    const { html } = await browser.get(PAGE);
    assert.equal(html.includes("CSV"), status === 303);
    const sent = await browser.post(PAGE, { content: csvOf([metadata(1)]) });
    assert.equal(sent.status, status);
    if (status === 400) {
      assert.match(sent.html, /id="f-content-error">This is a table\. Tables need the permission/);
    }
  }
});

Deno.test("Add page: a file is recognized by its content, not by its name", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const excel = `\ufeff${
    ["Name;Serial No;Issued by;Valid until", "a.example;0A;CN=X;2026-12-31"].join("\r\n")
  }`;
  const utf16 = new Uint8Array([0xff, 0xfe, ...[...excel.slice(1)].flatMap((one) => [one.charCodeAt(0), 0])]);
  const tables: (string | Uint8Array<ArrayBuffer>)[] = [
    csvOf([metadata(1)]),
    JSON.stringify([metadata(1)]),
    "- common_name: a.example\n  serial_number: 0A\n",
    excel,
    utf16,
    `common_name,pem_content\na.example,"${pki.fresh.pem}"\n`,
  ];
  for (const table of tables) {
    const file = new File([table], "chain.pem");
    assert.match((await browser.post(PAGE, { file })).location, /\/preview\//, String(table).slice(0, 40));
  }
  const bundle = `Hello, here is the name, as asked\n${pki.fresh.pem}`;
  const exported = `# Certificate: a.example\n${pki.fresh.pem}`;
  for (
    const content of [bundle, exported, new Uint8Array(pki.fresh.der), new Uint8Array(pkcs7([pki.fresh.der]))]
  ) {
    const { html } = await browser.post(PAGE, { file: new File([content], "table.csv") });
    assert.match(textOf(html), /1 can be imported .*fresh\.acme\.example/);
  }
});

/** The beginning of a workbook that is not read, which ZIP archives with other files do not have. */
const WORKBOOK = "PK\x03\x04\x14\0\0mimetypeapplication/vnd.oasis.opendocument.spreadsheet";

Deno.test("Add page: a workbook is refused, with the next step", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { status, html } = await browser.post(PAGE, { file: new File([WORKBOOK], "certificates.ods") });
  assert.equal(status, 400);
  assert.match(html, /id="f-file-error">This is a workbook .*“Save as”, “\.xlsx” or “CSV UTF-8”/);
});

Deno.test("Add page: fields that a table has columns for are refused with one, and nothing is previewed", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const content = csvOf([metadata(1)]);
  const { status, html } = await browser.post(PAGE, { content, private_key_location: "vault: x" });
  assert.equal(status, 400);
  assert.match(
    html,
    /id="f-private_key_location-error">A table has a column for this \(&quot;private_key_location&quot;\)/,
  );
  assert.match(html, /row-1\.example/, "the table is still in the form");
  assert.deepEqual(await app.database.all(sql`SELECT 1 FROM import_previews`), []);
});

Deno.test("Add page: several files of certificates are shown with their names; a table must be the only file", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const before = await certificateCount(app.ctx);
  const der = new File([new Uint8Array(pki.other.der)], "other.cer");
  const pem = new File(
    [`${pki.fresh.pem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`],
    "<b>fresh",
  );
  const { html } = await browser.postFiles(PAGE, "file", [der, pem]);
  assert.match(textOf(html), /2 can be imported 1 is unreadable .*<b>fresh: From line \d+: /);
  assert.match(
    textOf(html),
    /other\.acme\.example .*Position other\.cer .*fresh\.acme\.example .*Position <b>fresh , from line 1/,
  );
  const table = new File([csvOf([metadata(1)])], "rows.csv");
  const mixed = await browser.postFiles(PAGE, "file", [der, table]);
  assert.match(mixed.html, /id="f-file-error">&quot;rows\.csv&quot; is a table\. Choose one table alone/);
  const many = await browser.postFiles(PAGE, "file", Array(101).fill(der));
  assert.match(many.html, /id="f-file-error">101 files are too many\. Choose at most 100\./);
  const large = new File(["x".repeat(600_000)], "x.pem");
  const both = await browser.postFiles(PAGE, "file", [large, large]);
  assert.match(
    both.html,
    /id="f-file-error">The files have 1\.15 MB together, more than the limit of 1 MB\./,
  );
  assert.equal(await certificateCount(app.ctx), before);
});

Deno.test("Add page: a PKCS#12 file is refused by its name, with the command that exports its certificates", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  // Version 3, and a ContentInfo of the type data.
  const bytes = Uint8Array.fromHex("30820100" + "020103" + "308200f0" + "06092a864886f70d010701" + "a080");
  for (const path of [PAGE, `/certificates/${seed.certificates.acmeWeb}/renew/`]) {
    const { status, html } = await browser.postFiles(path, "file", [new File([bytes], "site.p12")]);
    assert.equal(status, 400);
    assert.match(
      html,
      /id="f-file-error">&quot;site\.p12&quot; is a PKCS#12 file, which can have .*: openssl pkcs12 -in FILE -nokeys -out certificates\.pem</,
    );
  }
});

Deno.test("Add page: among several files, the one with a private key is named and skipped, the others are read", async () => {
  await using app = await testApp();
  const files = [
    new File([new Uint8Array(pki.other.der)], "other.cer"),
    new File([(await privateKeys()).sec1 ?? ""], "server.key"),
  ];
  const { status, html } = await (await browserOf(app)).postFiles(PAGE, "file", files);
  assert.equal(status, 200);
  assert.match(html, /server\.key.{0,20}: Private key detected\. Private keys are never stored\.</);
  assert.match(html, /other\.cer/);
  assert(!html.includes("PRIVATE KEY-----"));
});

Deno.test("Add page: a signing request is named", async () => {
  await using app = await testApp();
  const request = `-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----\n`;
  const chief = await browserOf(app);
  for (const content of [request, `${pki.fresh.pem}${request}`]) {
    const { html } = await chief.post(PAGE, { content, on_duplicate: "error" });
    assert.match(textOf(html), /From line \d+: This is a signing request, not a certificate\./);
  }
});

Deno.test("Add page: the summary of errors says what a workbook is", async () => {
  await using app = await testApp();
  const workbook = new File([WORKBOOK], "rows.ods");
  const { html } = await (await browserOf(app)).postFiles(PAGE, "file", [workbook]);
  const summary = textOf(/<div class="flash error".*?<\/ul>/s.exec(html)?.[0] ?? "");
  assert.match(summary, /This is a workbook of a spreadsheet program \(\.xls or \.ods\)\./);
});

Deno.test("Add page: earlier URLs of imports redirect to it", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const path of ["/certificates/import/", "/certificates/bulk-import/"]) {
    const { status, location } = await browser.get(path);
    assert.deepEqual([status, new URL(location).pathname], [301, PAGE]);
  }
});

Deno.test("Bulk import page: a template can be downloaded, and imported again without errors", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  assert.match((await browser.get(PAGE)).html, /href="\/certificates\/add\/template\.csv"/);
  const { html: content, headers } = await browser.get(`${PAGE}template.csv`);
  assert.match(headers.get("content-disposition") ?? "", /^attachment; filename="certificates\./);
  const { html } = await browser.get(await previewOf(browser, content));
  assert.match(textOf(html), /1 can be imported/);
  assert.doesNotMatch(html, /aria-invalid/);
});

Deno.test("Bulk import page: a private key is refused, and never shown again", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const key of Object.values(await privateKeys())) {
    const { status, html } = await browser.post(PAGE, {
      content: csvOf([metadata(1, { pem_content: key })]),
    });
    assert.equal(status, 400);
    assert(textOf(html).includes(KEY_REFUSED));
    assert(!html.includes(key.slice(40, 80)));
  }
});

const MARKUP = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`;
for (const [what, value] of [["markup", MARKUP], ["right-to-left marks", "\u202egnp.exe"]] as const) {
  Deno.test(`Bulk import page: names with ${what} are shown as text, in the table and the form`, async () => {
    await using app = await testApp();
    const browser = await browserOf(app);
    const rows = [metadata(1, { common_name: value, algorithm: value, colour: value, [value]: value })];
    const location = await previewOf(browser, JSON.stringify(rows));
    for (const path of [location, `${PAGE}?from=${location.split("/").at(-2)}`]) {
      const { html } = await browser.get(path);
      assert.doesNotMatch(html, /<script>|<img src=x/);
      // Isolated from its surroundings, or alone in a control.
      if (!path.includes("from")) {
        assert.match(html, /<bdi>[^<]*(&lt;script|gnp\.exe)|<input[^>]* value="[^"]*(&lt;script|gnp\.exe)/);
      }
    }
  });
}

Deno.test("Bulk import page: 64 KB of text are truncated in the table", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const long = "long ".repeat(13_108);
  const location = await previewOf(browser, csvOf([metadata(1, { private_key_location: `${long}end` })]));
  const { html } = await browser.get(location);
  assert(html.length < 30_000, `${html.length} characters`);
});

Deno.test("Bulk import page: a hundred rows of all usual columns are less than 100 KB", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const rows = Array.from({ length: 100 }, (_, index) =>
    metadata(index, {
      fingerprint_sha256: Array(32).fill(index.toString(16).padStart(2, "0")).join(":"),
      status: "active",
      sans: ["www.example.com", "example.com"],
      tenant: "",
      private_key_location: "vault: pki/www",
    }));
  const { html } = await browser.get(await previewOf(browser, csvOf(rows)));
  assert(new TextEncoder().encode(html).length < 100_000, `${html.length} characters`);
});
