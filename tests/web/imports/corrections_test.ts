/** Corrections of a table with mistakes on the pages, in a browser without scripts. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { tenants } from "../../../src/domain/inventory/mod.ts";
import { createObject } from "../../../src/resource/mod.ts";
import { granted } from "../../support/actors.ts";
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

Deno.test("Corrections: dates with dots are read like those of the other column, and asked about if none decides", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const open = metadata(1, { valid_from: "01.03.2026", valid_to: "02.04.2027" });
  const asked = textOf((await browser.get(await previewOf(browser, csvOf([open])))).html);
  assert.match(asked, /1 has errors/);
  const location = await previewOf(
    browser,
    csvOf([open, metadata(2, { valid_from: "05.03.2026", valid_to: "30.04.2027" })]),
  );
  const read = textOf((await browser.get(location)).html);
  assert.match(read, /2 can be imported/);
  assert.match(read, /Valid from: dates are read with the day first \( ?30\.04\.2027 ?\)/);
  await browser.post(`${location}confirm/`);
  assert.equal((await stored(app, "row-1.example"))?.valid_from, Date.UTC(2026, 2, 1));
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
    /The file has no column for Issuer\. Choose it here, or enter values in the rows with errors\..*The columns "Signed with" and "colour" are unknown/,
  );
  assert.match(textOf(before), /2 have errors/);
  assert.match(
    textOf(before),
    /Domain name .*row-1\.example row-2\.example/,
    "columns have samples of their values",
  );
  assert.doesNotMatch(before, /class="flash error"/, "a missing column is reported once");
  const known = choices(before);
  assert.deepEqual([known.get("Signed with")?.chosen, known.get("colour")?.chosen], ["", ""]);
  const fieldsOf = (chosen: Record<string, string>): Fields =>
    Object.fromEntries([...known].flatMap(([name, { index, chosen: now }]) => [
      [`heading.${index}`, name],
      [`column.${index}`, chosen[name] ?? now],
    ]));
  const twice = await follow(browser, `${location}columns/`, fieldsOf({ colour: "common_name" }));
  assert.match(twice, /Two columns are read as "Common name"/);
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
  assert.match(half, /Saved\. 1 row still has errors\./);
  const all = await follow(browser, `${location}rows/`, { "cell.3.valid_to": "2027-01-31" });
  assert.match(all, /All rows are valid\..*3 can be imported/);
  const edit = await browser.get(`${PAGE}?from=${location.split("/").at(-2)}`);
  assert.match(edit.html, /2027-01-31/, "the table for editing has the corrections");
  await browser.post(`${location}confirm/`);
  assert.equal((await stored(app, "row-3.example"))?.valid_to, Date.UTC(2027, 0, 31));
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

Deno.test("Corrections: of hundreds of unknown columns some are shown at once, the others after these", async () => {
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
  assert.match(textOf(first.html), /… and \d+ more columns, shown after/);
  const shown = choices(first.html);
  const [name, { index }] = [...shown][0] as [string, { index: string }];
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

Deno.test("Corrections: rows that the document does not have are missing, and corrections add none", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const location = await previewOf(browser, csvOf([metadata(1), metadata(2, { algorithm: "dsa" })]));
  for (const place of ["0", "3", "999999999", "9".repeat(20)]) {
    const left = await follow(browser, `${location}rows/`, { [`cell.${place}.common_name`]: "new.example" });
    assert.match(left, /1 row still has errors\./, place);
    assert.doesNotMatch(left, /new\.example/, place);
  }
});

Deno.test("Corrections: a correction leaves errors of the whole document", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const table = csvOf([metadata(1)]).replace("valid_to", "colour");
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
    const page = await follow(browser, `${location}rows/`, { "cell.1.private_key_location": key });
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
  for (const path of ["rows/", "columns/"]) {
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

Deno.test("Corrections: the correction of a repeated value is one line, and applies to all rows that have it", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const rows = [1, 2, 3].map((one) => metadata(one, { tenant: "Acme Crop" }));
  const location = await previewOf(browser, csvOf([...rows, metadata(4, { tenant: "acme" })]));
  const { html } = await browser.get(`${location}?only=errors`);
  assert.equal(html.match(/ name="cell\./g)?.length, 1);
  assert.match(textOf(html), /Acme Crop *in 3 rows *Tenant/);
  assert.match(html, /<button[^>]*name="use\.1\.tenant" value="Acme Corp"[^>]*>Use Acme Corp<\/button>/);
  const one = await follow(browser, `${location}rows/`, { "cell.1.tenant": "globex" });
  assert.match(one, /Saved\. 2 rows still have errors\./);
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

Deno.test("Corrections: the table shows the name first, then columns with errors; columns without values are left out", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const rows = [metadata(1, { status: "lost", comments: "" }), metadata(2, { status: "", comments: "" })];
  const location = await previewOf(browser, csvOf(rows));
  const headings = async (): Promise<string[]> => {
    const { html } = await browser.get(location);
    return [...html.matchAll(/<th scope="col"[^>]*>([^<]*)<\/th>/g)].map(([, text = ""]) => text);
  };
  const shown = await headings();
  assert.deepEqual(shown.slice(0, 4), ["Row", "Result", "Common name", "Status"]);
  assert(!shown.includes("Comments"));
});

Deno.test("Corrections: an unknown tenant of several rows is created once, by users who may add tenants", async () => {
  await using app = await testApp();
  const rows = [1, 2, 3].map((one) => metadata(one, { tenant: "IT-Betrieb Süd" }));
  const other = await browserOf(app, bulkImporter());
  const { html: without } = await other.get(`${await previewOf(other, csvOf(rows))}?only=errors`);
  assert.doesNotMatch(without, /Create tenant/);
  const browser = await browserOf(app);
  const location = await previewOf(browser, csvOf(rows));
  const { html } = await browser.get(`${location}?only=errors`);
  assert.match(textOf(html), /IT-Betrieb Süd *in 3 rows .*Create tenant IT-Betrieb Süd/);
  const page = await follow(browser, `${location}rows/`, { "create.1.tenant": "IT-Betrieb Süd" });
  assert.match(page, /All rows are valid.*3 can be imported/);
  await browser.post(`${location}confirm/`);
  const [made] = await app.database.all<{ n: number; slug: string }>(
    sql`SELECT count(*) AS n, t.slug FROM certificates AS c JOIN tenants AS t ON t.id = c.tenant_id
      WHERE t.name = 'IT-Betrieb Süd'`,
  );
  assert.deepEqual({ ...made }, { n: 3, slug: "it-betrieb-sud" });
});

Deno.test("Corrections: unknown contacts and devices are created or left out, and so is a row", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const rows = [
    metadata(1, { contacts: "ops@new.example", devices: "new-1, new-2" }),
    metadata(2, { contacts: "Unknown person, ops@new.example" }),
    metadata(3, { valid_to: "31.02.2027" }),
  ];
  const location = await previewOf(browser, csvOf(rows));
  const path = `${location}rows/`;
  const { html } = await browser.get(`${location}?only=errors`);
  assert.match(textOf(html), /Create device new-1 *Create device new-2 *Leave out new-1 *Leave out new-2/);
  assert.match(html, /name="use\.2\.contacts" value=" ?ops@new\.example"[^>]*>Leave out Unknown person/);
  await follow(browser, path, { "create.1.contacts": "ops@new.example" });
  await follow(browser, path, { "create.1.devices": "new-1", "use.1.devices": "new-1" });
  await follow(browser, path, { "use.2.contacts": "ops@new.example" });
  assert.match(await follow(browser, path, { "drop.3.row": "1" }), /All rows are valid.*2 can be imported/);
  await browser.post(`${location}confirm/`);
  assert.equal(await stored(app, "row-3.example"), undefined);
  const [made] = await app.database.all(
    sql`SELECT (SELECT count(*) FROM contact_assignments AS a JOIN contacts AS c ON c.id = a.contact_id
        WHERE c.name = 'ops@new.example' AND c.email = c.name) AS contacts,
      (SELECT count(*) FROM certificate_assignments AS a JOIN devices AS d ON d.id = a.assigned_object_id
        WHERE d.name = 'new-1') AS devices`,
  );
  assert.deepEqual({ ...made }, { contacts: 2, devices: 1 });
});

Deno.test("Corrections: all unknown devices are created at once, or none, by users who may add devices", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const names = async (): Promise<unknown[]> =>
    (await app.database.all<{ name: string }>(
      sql`SELECT name FROM devices WHERE name LIKE 'new-%' ORDER BY name`,
    ))
      .map(({ name }) => name);
  const tooLong = `new-${"x".repeat(200)}`;
  const rows = [1, 2, 3].map((one) => metadata(one, { devices: `new-${one}, new-0` }));
  const location = await previewOf(browser, csvOf([...rows, metadata(4, { devices: tooLong })]));
  const path = `${location}rows/`;
  const { html } = await browser.get(`${location}?only=errors`);
  assert.match(html, /name="create_all\.0\.devices" value="0">Create 5 devices</);
  assert.match(
    await follow(browser, path, { "create_all.0.devices": "0" }),
    /at most 200 characters|too long|no more than/i,
  );
  assert.deepEqual(await names(), []);
  await follow(browser, path, { "cell.4.devices": "" });
  const reader = granted([
    { types: ["certmgr.certificate"], actions: ["view", "add", "import", "bulk_operations"] },
    { types: ["certmgr.certificateassignment"], actions: ["view", "add"] },
    { types: ["dcim.device"], actions: ["view"] },
  ]);
  const other = await browserOf(app, reader);
  const own = await previewOf(other, csvOf(rows));
  assert.doesNotMatch((await other.get(`${own}?only=errors`)).html, /create_all/);
  assert.equal((await other.post(`${own}rows/`, { "create_all.0.devices": "0" })).status, 403);
  assert.deepEqual(await names(), []);
  assert.match(await follow(browser, path, { "create_all.0.devices": "0" }), /All rows are valid/);
  assert.deepEqual(await names(), ["new-0", "new-1", "new-2", "new-3"]);
});

Deno.test("Corrections: nothing is created for other columns, nor for a preview that does not exist", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const location = await previewOf(browser, csvOf([metadata(1, { tenant: "Ghost" })]));
  for (const column of ["constructor", "toString", "__proto__", "platforms", "issuing_ca"]) {
    const fields = { [`create.1.${column}`]: "Ghost", [`repeat.1.${column}`]: "true" };
    const { status } = await browser.post(`${location}rows/`, fields);
    assert.equal(status, 303, column);
  }
  const [key = ""] = Object.values(await privateKeys());
  for (const more of [{ "cell.1.comments": key }, { "cell.1.nope": "x" }, { "create.1.contacts": "Ghost" }]) {
    const shown = await follow(browser, `${location}rows/`, { "create.1.tenant": "Ghost", ...more });
    assert.match(shown, /Private key detected|unknown column|Unknown column|one object can be created/i);
  }
  const { status } = await browser.post(`${PAGE}preview/unknown/rows/`, { "create.1.tenant": "Ghost" });
  assert.equal(status, 404);
  const [made] = await app.database.all<{ n: number }>(
    sql`SELECT count(*) AS n FROM tenants WHERE name = 'Ghost'`,
  );
  assert.equal(made?.n, 0);
});
