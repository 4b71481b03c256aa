/** Corrections of a table with mistakes on the pages, in a browser without scripts. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { tenants } from "../../../src/domain/inventory/mod.ts";
import { createObject } from "../../../src/resource/mod.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { privateKeys } from "../../support/private_keys.ts";
import { seed } from "../../support/seed.ts";
import { bulkImporter, certificateCount } from "../../domain/certificates/import_preview/support.ts";
import { csvOf, KEY_REFUSED, metadata } from "../../domain/certificates/import/support.ts";
import { type Answer, type Browser, browserOf, type Fields, textOf } from "./browser.ts";

const PAGE = "/certificates/add/";

async function previewOf(browser: Browser, content: string): Promise<string> {
  const { status, location } = await browser.post(PAGE, { content, on_duplicate: "error" });
  assert.equal(status, 303);
  return location;
}

/** Sends a form, follows its redirect and returns the text of the page. */
async function follow(browser: Browser, path: string, fields: Fields = {}): Promise<string> {
  return await landing(browser, await browser.post(path, fields));
}

/** Follows the redirect of a response and returns the text of the page, with its message. */
async function landing(browser: Browser, { status, location, headers }: Answer): Promise<string> {
  assert.equal(status, 303);
  const cookie = headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  return textOf((await browser.get(location, { cookie })).html);
}

/** Returns a CSV with other headings. */
function under(headings: Readonly<Record<string, string>>, text: string): string {
  const [head = "", ...rows] = text.split("\n");
  const renamed = head.split(",").map((name) => headings[name.replaceAll('"', "").trim()] ?? name);
  return [renamed.join(","), ...rows].join("\n");
}

async function stored({ database }: TestApp, name: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await database.all<Record<string, unknown>>(
    sql`SELECT * FROM certificates WHERE common_name = ${name}`,
  );
  return row;
}

/** Returns the choices of the form for columns: the field for each heading. */
function choices(html: string): Map<string, { index: string; chosen: string }> {
  const rows = html.matchAll(
    /name="heading\.(\d+)" value="([^"]*)".*?<select[^>]*>(.*?)<\/select>/gs,
  );
  return new Map([...rows].map(([, index = "", name = "", options = ""]) => {
    const chosen = /<option value="([^"]*)" selected/.exec(options)?.[1] ?? "none";
    return [name, { index, chosen }];
  }));
}

Deno.test("Corrections: headings in other words are recognized, and the page shows as which column", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const text = under({
    common_name: "Domain Name",
    serial_number: "Serial No.",
    valid_to: "Expiry Date",
    fingerprint_sha256: "SHA-256 fingerprint",
  }, csvOf([metadata(1), metadata(2)]));
  const location = await previewOf(browser, text);
  const { html } = await browser.get(location);
  assert.match(textOf(html), /2 can be imported/);
  assert.match(
    textOf(html),
    /All 8 columns recognized, Domain Name as Common name,.* Expiry Date as Valid to/,
  );
  assert.match(html, /class="table preview brief"/, "without errors, the result is narrow");
  const form = (await browser.get(`${location}?columns=change`)).html;
  assert.equal(choices(form).get("Expiry Date")?.chosen, "valid_to");
  await browser.post(`${location}confirm/`);
  assert(await stored(app, "row-2.example") !== undefined);
});

Deno.test("Corrections: a column decides how its dates are read, the page says so, and open dates are asked about once", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const rows = [
    metadata(1, { valid_from: "12-31-2025", valid_to: "01-05-2027" }),
    metadata(2, { valid_from: "11-09-2025", valid_to: "02-03-2027" }),
  ];
  const location = await previewOf(browser, csvOf(rows));
  const before = textOf((await browser.get(location)).html);
  assert.match(before, /Valid from: dates are read with the month first \( ?12-31-2025 ?\)/);
  assert.doesNotMatch(before, /Valid to: dates are read/);
  const errors = textOf((await browser.get(`${location}?only=errors`)).html);
  assert.match(errors, /Use 2027-05-01 *Use 2027-01-05/);
  const after = await follow(browser, `${location}rows/`, { "use.1.valid_to": "2027-01-05" });
  assert.match(after, /Valid to: dates are read with the month first \( ?01-05-2027 ?\)/);
  await browser.post(`${location}confirm/`);
  assert.equal((await stored(app, "row-2.example"))?.valid_from, Date.UTC(2025, 10, 9));
  assert.equal((await stored(app, "row-2.example"))?.valid_to, Date.UTC(2027, 1, 3));
});

Deno.test("Corrections: dates of a column that contradict each other are errors, with their readings", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const dates = ["12/31/2026", "30/11/2026", "12/30/2026 11:59 PM"];
  const rows = dates.map((valid_to, index) => metadata(index + 1, { valid_to }));
  const location = await previewOf(browser, csvOf(rows));
  const before = textOf((await browser.get(location)).html);
  assert.match(before, /3 have errors/);
  assert.match(
    before,
    /some dates have the day first, others the month \( ?12\/31\/2026 ?, 30\/11\/2026 ?\)/,
  );
  const after = await follow(browser, `${location}rows/`, { "use.2.valid_to": "2026-11-30" });
  assert.match(after, /3 can be imported/);
  assert.match(after, /dates are read with the month first/);
});

Deno.test("Corrections: an unknown heading is assigned or ignored, and no field is read from two columns", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const rows = [1, 2].map((one) => metadata(one, { colour: "blue" }));
  const location = await previewOf(
    browser,
    under({ issuer: "Signed with", common_name: "Domain name" }, csvOf(rows)),
  );
  const before = (await browser.get(location)).html;
  assert.match(
    textOf(before),
    /The file has no column for Issuer\. Choose it below, or enter values\..*The columns "Signed with" and "colour" are unknown/,
  );
  assert.doesNotMatch(
    textOf(before),
    /can be imported| new /,
    "nothing can be imported before all columns are known",
  );
  assert.equal(before.match(/>waiting</g)?.length, 2);
  assert.match(
    textOf(before),
    /Domain name .*row-1\.example row-2\.example/,
    "columns have samples of their values",
  );
  assert.doesNotMatch(before, /class="flash error"/, "a missing column is reported once");
  assert.match(before, /<details class="further">\s*<summary>\s*\d+ recognized columns/);
  const known = choices(before);
  assert.deepEqual([known.get("Signed with")?.chosen, known.get("colour")?.chosen], ["", ""]);
  const fieldsOf = (chosen: Record<string, string>): Fields =>
    Object.fromEntries([...known].flatMap(([name, { index, chosen: now }]) => [
      [`heading.${index}`, name],
      [`column.${index}`, chosen[name] ?? now],
    ]));
  const twice = await follow(browser, `${location}columns/`, fieldsOf({ colour: "common_name" }));
  assert.match(twice, /Two columns are read as "Common name"/);
  const half = await follow(browser, `${location}columns/`, fieldsOf({ colour: "" }));
  assert.match(half, /The file has no column for Issuer/);
  assert.doesNotMatch(half, /Columns applied/);
  const done = await follow(
    browser,
    `${location}columns/`,
    fieldsOf({ "colour": "", "Signed with": "issuer" }),
  );
  assert.match(done, /Columns applied\. .*2 can be imported/);
  assert.equal((await browser.post(`${location}columns/`, fieldsOf({ colour: "nonsense" }))).status, 303);
  assert.match(textOf((await browser.get(location)).html), /The column "colour" is unknown/);
});

Deno.test("Corrections: invalid cells are corrected in the list of errors, and the row imports with the new values", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const rows = [metadata(1), metadata(2, { algorithm: "dsa" }), metadata(3, { valid_to: "1/12/2026" })];
  const location = await previewOf(browser, csvOf(rows));
  const { html } = await browser.get(`${location}?only=errors`);
  assert.match(
    html,
    /<input id="cell\.2\.algorithm" name="cell\.2\.algorithm" value="dsa"[^>]*aria-describedby="cell\.2\.algorithm-error"/,
  );
  assert.equal(html.match(/<input id="cell\./g)?.length, 2);
  const half = await follow(browser, `${location}rows/`, {
    "cell.2.algorithm": "RSA",
    "cell.3.valid_to": "soon",
  });
  assert.match(half, /1 row corrected\. 1 still has errors\./);
  const all = await follow(browser, `${location}rows/`, { "cell.3.valid_to": "2027-01-31" });
  assert.match(all, /All rows are valid\..*3 can be imported/);
  const edit = await browser.get(`${PAGE}?from=${location.split("/").at(-2)}`);
  assert.match(edit.html, /2027-01-31/, "the table for editing has the corrections");
  assert.match(edit.html, /<h1[^>]*>Edit table<.*<textarea[^>]* rows="24"[^>]* wrap="off"/s);
  const wrong = await browser.post(PAGE, { content: "x", edited: "table" });
  assert.equal(wrong.status, 400);
  assert.match(wrong.html, /<h1[^>]*>Edit table</);
  await browser.post(`${location}confirm/`);
  assert.equal((await stored(app, "row-3.example"))?.valid_to, Date.UTC(2027, 0, 31));
});

Deno.test("Corrections: errors are counted by kind above the rows, and a suggestion is accepted for all rows at once", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const wrong = [
    ...[1, 2, 3].map((one) => metadata(one, { tenant: "Acme Crp" })),
    ...[4, 5, 6, 7].map((one) => metadata(one, { fingerprint_sha256: "" })),
    ...[8, 9].map((one) => metadata(one, { algorithm: `rot-${one}` })),
    metadata(10, { tags: "prod;pcj" }),
  ];
  const location = await previewOf(browser, csvOf([...wrong, metadata(11)]));
  const { html } = await browser.get(location);
  const kinds = [...(/<ul class="error-kinds".*?<\/ul>/s.exec(html)?.[0] ?? "").matchAll(/<li>(.*?)<\/li>/gs)]
    .map(([, line]) => textOf(line ?? "").trim());
  // The messages are in the rows.
  assert.deepEqual(kinds, [
    "SHA-256 fingerprint is missing: 4 rows",
    'Tenant "Acme Crp": 3 rows Use Acme Corp in 3 rows',
    "Algorithm: 2 rows",
    'Tags "prod;pcj": 1 row Use prod;pci',
  ]);
  assert.equal(html.match(/No tenant has the name, slug or ID/g)?.length, 3, "once in each row");
  assert.match(html, /<a href="[^"]*rows\/4\/" class="underlined">4 rows</);
  assert.match(html, /<a href="[^"]*rows\/4\/"[^>]* aria-label="Correct row 4: error"/);
  const errors = (await browser.get(`${location}?only=errors`)).html;
  assert.doesNotMatch(errors, /Use Acme Corp in 3 rows/, "a button would discard the texts of the fields");
  assert.match(textOf(errors), /Tenant: 3 rows Algorithm: 2 rows Tags: 1 row/);
  const left = await follow(browser, `${location}rows/`, {
    "repeat.1.tenant": "true",
    "use.1.tenant": "Acme Corp",
  });
  assert.match(left, /3 rows corrected\. 7 still have errors\./);
});

Deno.test("Corrections: the tenant of a cell is one of the existing tenants, or the text of the cell", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const rows = [metadata(1, { tenant: "Nobody Ltd" }), metadata(2, { tenant: "Acme Corp" })];
  const location = await previewOf(browser, csvOf(rows));
  const optionsOf = async (path: string, place: number): Promise<string[]> => {
    const { html } = await browser.get(`${location}${path}`);
    const [select = ""] =
      new RegExp(`<select[^>]* name="cell\\.${place}\\.tenant".*?</select>`, "s").exec(html) ?? [];
    return [...select.matchAll(/<option value="([^"]*)"( selected)?/g)].map(([, value, selected]) =>
      `${value}${selected ?? ""}`
    );
  };
  assert.deepEqual((await optionsOf("?only=errors", 1)).slice(0, 3), [
    "Nobody Ltd selected",
    "",
    "Acme Corp",
  ]);
  assert.deepEqual((await optionsOf("rows/1/", 1)).slice(0, 3), ["Nobody Ltd selected", "", "Acme Corp"]);
  assert.deepEqual((await optionsOf("rows/2/", 2)).slice(0, 2), ["", "Acme Corp selected"]);
  // A script writes the id of a suggestion.
  const id = String(seed.tenants.acme);
  assert.match(
    await follow(browser, `${location}rows/`, { "cell.1.tenant": `Acme Corp (#${id})` }),
    /All rows are valid\./,
  );
  const others = Array.from({ length: 9 }, (_, index) => metadata(10 + index, { tenant: "Nobody" }));
  const statementsOf = async (tenant: string): Promise<number> => {
    const path = await previewOf(browser, csvOf(others));
    const cells = others.map((_, index) => [`cell.${index + 1}.tenant`, tenant]);
    const before = app.database.statements;
    await browser.post(`${path}rows/`, Object.fromEntries(cells));
    return app.database.statements - before;
  };
  const [byId, suggested] = [await statementsOf(id), await statementsOf(`Acme Corp (#${id})`)];
  // The names and the ids of the tenants are read once for all cells.
  assert(suggested <= byId + 3, `${suggested} statements for suggestions, ${byId} for ids`);
  // With many tenants a script suggests them.
  for (let index = 0; index < 101; index++) {
    await createObject({
      ctx: app.ctx,
      resource: tenants,
      input: { name: `T ${index}`, slug: `t-${index}` },
    });
  }
  const many = await browser.get(
    `${await previewOf(browser, csvOf([metadata(1, { tenant: "Nobody" })]))}?only=errors`,
  );
  assert.match(many.html, /<input[^>]*name="cell\.1\.tenant"[^>]* data-suggest="\/suggest\/tenants\/"/);
});

Deno.test("Corrections: of hundreds of unknown columns some are shown at once, and each can be chosen", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const rows = csvOf([metadata(1), metadata(2)]).trim().split("\n");
  const names = Array.from({ length: 300 }, (_, index) => `Unknown heading number ${index}`);
  const wide = under(
    { serial_number: "Unknown heading number 299x" },
    rows.map((line, index) => [line, ...names.map((name) => index === 0 ? name : "v")].join(",")).join("\n"),
  );
  const location = await previewOf(browser, wide);
  const first = await browser.get(location);
  assert.ok(first.html.length < 100_000, `${first.html.length} bytes`);
  assert.match(textOf(first.html), /… and \d+ more columns\./);
  const shown = new Set<string>();
  let page = first.html;
  for (let count = 0; count < 20; count++) {
    assert.ok(page.length < 100_000, `${page.length} bytes`);
    for (const name of choices(page).keys()) shown.add(name);
    const [, next] = /<a href="([^"]+)">Show more<\/a>/.exec(page) ?? [];
    if (next === undefined) break;
    page = (await browser.get(next.replaceAll("&amp;", "&"))).html;
  }
  assert.ok(shown.size > 306, `${shown.size} columns can be chosen`);
  const [name, { index }] = [...choices(first.html)][0] as [string, { index: string }];
  assert.equal(name, "Unknown heading number 299x");
  const all = await follow(browser, `${location}columns/`, {
    [`heading.${index}`]: name,
    [`column.${index}`]: "serial_number",
  });
  assert.match(all, /Columns applied\./);
  assert.match(
    textOf(all),
    /The columns "Unknown heading number 0".* and 292 others are unknown\. .*8 of 308 columns read/,
  );
});

Deno.test("Corrections: at most eight kinds of errors are shown, with the number of the others", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const names = ["Acme Crp", "Acme Copr", "Acme Cor", "Acme Corpp", "Acmee Corp", "Acme Corb", "Acne Corp"];
  const of = async (count: number): Promise<string> => {
    const rows = names.concat("Acm Corp", "Akme Corp").slice(0, count).map((tenant, index) =>
      metadata(index + 1, { tenant })
    );
    return textOf((await browser.get(await previewOf(browser, csvOf(rows)))).html);
  };
  assert.doesNotMatch(await of(8), /and \d+ more/);
  assert.match(await of(9), /and 1 more/);
  assert.doesNotMatch(await of(1), /1 row:/, "one row shows its errors itself");
});

Deno.test("Corrections: a row's page has all its cells, leads from error to error, and accepts rows that could not be read", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const lines = csvOf([1, 2, 3, 4].map((one) => metadata(one, one % 2 === 0 ? { algorithm: "dsa" } : {})))
    .trimEnd().split(/\r?\n/);
  const whole = metadata(3);
  const location = await previewOf(browser, [...lines.slice(0, 3), "one,cell,too,few", lines[4]].join("\n"));
  const second = await browser.get(`${location}rows/2/`);
  assert.match(textOf(second.html), /Next error: row 3/);
  assert.match(second.html, /<input[^>]*name="cell\.2\.algorithm"[^>]*aria-invalid="true"/);
  const saved = await browser.post(`${location}rows/`, { row: "2", "cell.2.algorithm": "rsa" });
  assert.equal(saved.location, `${location}rows/3/`);
  const third = await browser.get(saved.location);
  assert.match(textOf(third.html), /The row has 4 cells, the header has 8\./);
  const cells = Object.entries(whole).map(([name, value]) => [`cell.3.${name}`, String(value)]);
  const bad = await browser.post(`${location}rows/`, {
    row: "3",
    ...Object.fromEntries(cells),
    "cell.3.key_size": "many",
  });
  assert.equal(bad.location, `${location}rows/3/`);
  assert.match(
    await landing(browser, bad),
    /Saved\. This row still has errors\. So does 1 other\./,
  );
  const good = await browser.post(`${location}rows/`, { row: "3", "cell.3.key_size": "2048" });
  assert.equal(good.location, `${location}rows/4/`);
});

Deno.test("Corrections: rows that the document does not have are missing, and corrections add none", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const location = await previewOf(browser, csvOf([metadata(1), metadata(2, { algorithm: "dsa" })]));
  for (const place of ["0", "3", "999999999", "9".repeat(20)]) {
    assert.equal((await browser.get(`${location}rows/${place}/`)).status, 404, place);
    const left = await follow(browser, `${location}rows/`, { [`cell.${place}.common_name`]: "new.example" });
    assert.match(left, /1 row still has errors\./, place);
    assert.doesNotMatch(left, /new\.example/, place);
  }
});

Deno.test("Corrections: a correction leaves errors of the whole document", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const table = csvOf([metadata(1)]).replace("algorithm", "colour");
  const location = await previewOf(browser, table);
  const fields = { "cell.0.common_name": "new.example", "cell.1.common_name": "row-1.example" };
  assert.match(await follow(browser, `${location}rows/`, fields), /The column "colour" is unknown/);
  await browser.post(`${location}confirm/`);
  assert.equal(await stored(app, "row-1.example"), undefined);
});

Deno.test("Corrections: the valid rows are imported, the others are downloaded, corrected and imported later", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const before = await certificateCount(app.ctx);
  const rows = [
    metadata(1),
    metadata(2, { algorithm: "dsa" }),
    metadata(3, { sans: "a.example, b.example" }),
  ];
  const location = await previewOf(browser, csvOf(rows));
  const page = await follow(browser, `${location}confirm/`, { good: "1" });
  assert.match(page, /2 certificates imported; 1 row with errors left out/);
  assert.equal(await certificateCount(app.ctx), before + 2);
  const { html } = await browser.get(location);
  const list = /href="(\/certificates\/\?id__gte=[^"]*)"[^>]*>Show imported/.exec(html)?.[1] ?? "";
  const shown = textOf((await browser.get(list.replaceAll("&amp;", "&"))).html);
  assert.match(shown, /row-1\.example/);
  assert.match(shown, /row-3\.example/);
  assert.doesNotMatch(shown, /www\.acme\.example/);
  const failed = await browser.get(`${location}failed-rows.csv`);
  assert.match(failed.headers.get("content-disposition") ?? "", /failed-rows\.csv/);
  const [head, row, ...rest] = failed.html.trimEnd().split("\r\n");
  assert.match(head ?? "", /^common_name,.*,errors$/);
  assert.match(row ?? "", /^row-2\.example,.*Row 2\. algorithm: Invalid algorithm/);
  assert.deepEqual(rest, []);
  const again = await previewOf(browser, failed.html.replace(",dsa,", ",rsa,"));
  assert.match(await follow(browser, `${again}confirm/`), /1 certificate imported/);
  assert.equal(await certificateCount(app.ctx), before + 3);
});

Deno.test("Corrections: the rows that an import left out are corrected and imported on a new preview", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const before = await certificateCount(app.ctx);
  const rows = [metadata(1), metadata(2, { algorithm: "dsa", comments: "kept" }), metadata(3)];
  const [head = "", ...lines] = csvOf(rows).trimEnd().split(/\r?\n/);
  const location = await previewOf(browser, [head, ...lines, "one,cell,too,few"].join("\n"));
  assert.equal((await browser.post(`${location}retry/`)).location, location, "nothing was imported yet");
  const done = await follow(browser, `${location}confirm/`, { good: "1" });
  assert.match(done, /2 imported 2 not imported/);
  assert.match(done, /Correct the 2 failed rows/);
  const next = await browser.post(`${location}retry/`);
  assert.match(next.location, /^\/certificates\/add\/preview\/[\w-]+\/\?only=errors$/);
  const path = next.location.replace("?only=errors", "");
  assert.notEqual(path, location);
  assert.match(textOf((await browser.get(next.location)).html), /2 have errors .*row-2\.example/);
  await follow(browser, `${path}rows/`, { "cell.1.algorithm": "rsa" });
  assert.match(await follow(browser, `${path}confirm/`, { good: "1" }), /1 certificate imported; 1 row with/);
  assert.equal((await stored(app, "row-2.example"))?.comments, "kept");
  assert.equal(await certificateCount(app.ctx), before + 3);
});

Deno.test("Corrections: valid rows outside the caller's constraints are left out too", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, bulkImporter("confined", { common_name__isw: "row-1" }));
  const before = await certificateCount(app.ctx);
  const location = await previewOf(browser, csvOf([metadata(1), metadata(2)]));
  assert.match(
    await follow(browser, `${location}confirm/`, { good: "1" }),
    /1 certificate imported; 1 row with/,
  );
  assert.equal(await certificateCount(app.ctx), before + 1);
});

Deno.test("Corrections: a private key in a corrected cell is refused and not stored", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const location = await previewOf(browser, csvOf([metadata(1, { algorithm: "dsa" })]));
  for (const key of Object.values(await privateKeys())) {
    const page = await follow(browser, `${location}rows/`, { row: "1", "cell.1.private_key_location": key });
    assert(page.includes(KEY_REFUSED));
    assert(!page.includes(key.slice(40, 80)));
  }
  assert.deepEqual(await app.database.all(sql`SELECT edits FROM import_previews`), [{ edits: "{}" }]);
});

Deno.test("Corrections: a preview of another user, or one that was imported, cannot be corrected", async () => {
  await using app = await testApp();
  const owner = await browserOf(app, bulkImporter("owner"));
  const other = await browserOf(app, bulkImporter("other"));
  const location = await previewOf(owner, csvOf([metadata(1)]));
  for (const path of ["rows/", "columns/", "retry/"]) {
    assert.equal((await other.post(location + path)).status, 404);
  }
  assert.equal((await other.get(`${location}failed-rows.csv`)).status, 404);
  await owner.post(`${location}confirm/`);
  await owner.post(`${location}rows/`, { "cell.1.common_name": "changed.example" });
  assert.match(textOf((await owner.get(location)).html), /row-1\.example/);
  assert.deepEqual(await app.database.all(sql`SELECT edits FROM import_previews`), [{ edits: "{}" }]);
});

Deno.test("Corrections: more text than a file may have is refused", async () => {
  await using app = await testApp({ settings: { importFileMaxBytes: 2_000 } });
  const browser = await browserOf(app);
  const location = await previewOf(browser, csvOf([metadata(1)]));
  const page = await follow(browser, `${location}rows/`, { "cell.1.comments": "x".repeat(2_100) });
  assert.match(page, /The corrections have more than 1\.96 KB/);
  assert.match(await follow(browser, `${location}rows/`, { "cell.1.comments": "x".repeat(1_500) }), /valid/);
});

Deno.test("Corrections: without a column, the summary also counts the rows with errors, and recognized columns are folded", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const rows = [1, 2, 3].map((one) => metadata(one, one === 2 ? { valid_from: "soon" } : {}));
  const location = await previewOf(browser, csvOf(rows.map(({ algorithm: _, ...rest }) => rest)));
  const { html } = await browser.get(location);
  assert.match(textOf(html), /1 column missing ?1 of 3 rows has errors/);
  assert.match(html, /<details class="further">\s*<summary>\s*\d+ recognized columns/);
});

Deno.test("Corrections: missing columns come from a column of the file, from one value for all rows, or are entered row by row", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const rows = [1, 2].map((one) => metadata(one));
  const keys = await privateKeys();
  const renamed = under(
    { issuer: "Signed with", fingerprint_sha256: "Thumb" },
    csvOf(rows.map(({ algorithm: _, key_size: __, serial_number: ___, ...rest }) => rest)),
  );
  const location = await previewOf(browser, renamed);
  const before = (await browser.get(location)).html;
  assert.match(
    textOf(before),
    /The file has no columns for Serial number, Issuer, SHA-256 fingerprint and Algorithm\. Choose them below, or enter values\./,
  );
  assert.equal(choices(before).get("Thumb")?.chosen, "fingerprint_sha256", "fingerprints are recognized");
  const short = under(
    { fingerprint_sha256: "Thumb" },
    csvOf([metadata(1, { fingerprint_sha256: "ab".repeat(20) })]),
  );
  const sha1 = (await browser.get(await previewOf(browser, short))).html;
  assert.equal(choices(sha1).get("Thumb")?.chosen, "", "those of SHA-1 are not");
  assert.match(
    textOf(before),
    /4 columns missing/,
    "a missing column that an unknown one can fill counts once",
  );
  assert.doesNotMatch(before, /<option value="#\d+"[^>]*>Thumb</, "a column is in one list only");
  const fields: Fields = Object.fromEntries(
    [...choices(before)].flatMap(([name, { index, chosen }]) => [
      [`heading.${index}`, name],
      [`column.${index}`, chosen],
    ]),
  );
  const signed = choices(before).get("Signed with")?.index;
  const key = await follow(browser, `${location}columns/`, {
    ...fields,
    "missing.algorithm": "",
    "everywhere.algorithm": keys.pkcs8 ?? "",
  });
  assert.match(key, /Private key detected/);
  const chosen = await follow(browser, `${location}columns/`, {
    ...fields,
    "missing.serial_number": "=",
    "missing.issuer": `#${signed}`,
    "missing.fingerprint_sha256": "#4",
    "missing.algorithm": "",
    "everywhere.algorithm": "RSA",
  });
  assert.match(chosen, /Columns applied\. .*2 have errors .*The same in all rows: Algorithm RSA/);
  const errors = await browser.get(`${location}?only=errors`);
  assert.equal(errors.html.match(/<input id="cell\.\d\.serial_number"/g)?.length, 2);
  assert.doesNotMatch(errors.html, /name="repeat\./, "serial numbers differ in each row");
  const done = await follow(browser, `${location}rows/`, {
    "cell.1.serial_number": "0A01",
    "cell.2.serial_number": "0A02",
  });
  assert.match(done, /All rows are valid/);
  await browser.post(`${location}confirm/`);
  const { algorithm, serial_number: serial } = await stored(app, "row-2.example") ?? {};
  assert.deepEqual([algorithm, serial], ["rsa", "0A02"]);
});

Deno.test("Corrections: the correction of a repeated value applies to all rows that have it, unless the user declines", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const rows = [1, 2, 3].map((one) => metadata(one, { tenant: "Acme Crop" }));
  const location = await previewOf(browser, csvOf([...rows, metadata(4, { tenant: "acme" })]));
  const { html } = await browser.get(`${location}?only=errors`);
  assert.equal(html.match(/ name="cell\./g)?.length, 1);
  assert.match(textOf(html), /Also in the 2 other rows with this value.*Corrected with row 1/);
  assert.match(html, /<button[^>]*name="use\.1\.tenant" value="Acme Corp"[^>]*>Use Acme Corp<\/button>/);
  const one = await follow(browser, `${location}rows/`, { "cell.1.tenant": "globex" });
  assert.match(one, /1 row corrected\. 2 still have errors\./);
  const rest = await follow(browser, `${location}rows/`, {
    "cell.2.tenant": "Acme Crop",
    "use.2.tenant": "Acme Corp",
    "repeat.2.tenant": "true",
  });
  assert.match(rest, /All rows are valid.*4 can be imported/);
  await browser.post(`${location}confirm/`);
  const tenants = await Promise.all([1, 2, 3].map((row) => stored(app, `row-${row}.example`)));
  const [first, second, third] = tenants.map((row) => row?.tenant_id);
  assert.notEqual(first, second);
  assert.equal(second, third);
});

Deno.test("Corrections: the table shows the name first, then columns with errors; columns without values on request", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const rows = [metadata(1, { status: "lost", comments: "" }), metadata(2, { status: "", comments: "" })];
  const location = await previewOf(browser, csvOf(rows));
  const headings = async (query: string): Promise<string[]> => {
    const { html } = await browser.get(`${location}${query}`);
    return [...html.matchAll(/<th scope="col"[^>]*>([^<]*)<\/th>/g)].map(([, text = ""]) => text);
  };
  const shown = await headings("");
  assert.deepEqual(shown.slice(0, 4), ["Row", "Result", "Common name", "Status"]);
  assert(!shown.includes("Comments"));
  assert.match(textOf((await browser.get(location)).html), /Show 1 empty column/);
  assert.equal((await headings("?empty=show")).at(-1), "Comments");
});

Deno.test("Corrections: for dates in the wrong order, both are offered, and either one can be corrected", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const location = await previewOf(
    browser,
    csvOf([metadata(1, { valid_from: "2026-05-01", valid_to: "2026-01-01" }), metadata(2)]),
  );
  const { html } = await browser.get(`${location}?only=errors`);
  assert.match(html, /<input[^>]* name="cell\.1\.valid_from" value="2026-05-01"/);
  assert.equal(html.match(/aria-invalid="true"/g)?.length, 1);
  assert.match(
    await follow(browser, `${location}rows/`, {
      "cell.1.valid_from": "2025-05-01",
      "cell.1.valid_to": "2026-01-01",
    }),
    /All rows are valid\./,
  );
});

Deno.test("Corrections: the table for editing keeps the headings of the file, except those that only the user's choice explains", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const text = under(
    { common_name: "Domain name", valid_to: "Not After", issuer: "Signed with" },
    csvOf([metadata(1, { algorithm: "dsa" })]),
  );
  const location = await previewOf(browser, text);
  const fields = Object.fromEntries(
    [...choices((await browser.get(location)).html)].flatMap(([name, { index, chosen }]) => [
      [`heading.${index}`, name],
      [`column.${index}`, name === "Signed with" ? "issuer" : chosen],
    ]),
  );
  await browser.post(`${location}columns/`, fields);
  await browser.post(`${location}rows/`, { "cell.1.algorithm": "rsa" });
  const { html } = await browser.get(`${PAGE}?from=${location.split("/").at(-2)}`);
  const [head = ""] = /<textarea[^>]*>([^\r\n]*)/.exec(html)?.slice(1) ?? [];
  assert.deepEqual(
    ["Domain name", "Not After", "issuer"].map((one) => head.split(",").includes(one)),
    [true, true, true],
    head,
  );
});
