/** Chosen columns and page sizes of lists are stored for the user. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { auditor } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { type Answer, browserOf } from "./imports/browser.ts";

function heads({ html }: Answer): string[] {
  return [...html.matchAll(/<th scope="col"[^>]*>(?:<a[^>]*>)?([^<]+)/g)].map(([, text = ""]) =>
    text.replace(/ [↑↓]$/, "").trim()
  );
}

const USUAL = ["Common name", "Expires", "Assigned to", "Owner", "State"];
const CHOSEN = ["Common name", "Serial number", "Tags"];

const PREFERENCES = "/lists/preferences/";
const CERTIFICATES = { object_type: "certmgr.certificate", back: "/certificates/?status=active" };

/** Returns the number of rows of a list. */
function rowsOf({ html }: Answer): number {
  return html.match(/<input type="checkbox" name="ids"/g)?.length ?? 0;
}

Deno.test("Chosen columns and page size are kept for the user, in every browser", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  assert.deepEqual(heads(await browser.get("/certificates/")), USUAL);
  const columns = ["common_name", "tags", "serial_number"];
  const { status, location } = await browser.post(PREFERENCES, { ...CERTIFICATES, columns, limit: "25" });
  assert.deepEqual([status, location], [303, "/certificates/?status=active"]);
  const other = await browserOf(app);
  const later = await other.get("/certificates/?show=all");
  assert.deepEqual(heads(later), CHOSEN);
  assert.match(later.html, /<option value="25" selected/);
  const tags = await browser.post(PREFERENCES, {
    object_type: "extras.tag",
    columns: ["slug"],
    back: "/tags/",
  });
  assert.equal(tags.status, 303);
  assert.deepEqual(heads(await browser.get("/tags/")), ["Tag", "Slug"]);
  assert.deepEqual(heads(await browser.get("/certificates/")), CHOSEN, "each list has its own");
  const alice = await browserOf(app, auditor());
  assert.deepEqual(heads(await alice.get("/certificates/")), USUAL, "and each user");
  // The URL names columns for a single request.
  assert.deepEqual(heads(await browser.get("/certificates/?columns=status")), ["Common name", "Status"]);
  assert.deepEqual(heads(await browser.get("/certificates/")), CHOSEN);
  await browser.post(PREFERENCES, { ...CERTIFICATES, columns, limit: "25", usual: "true" });
  const reset = await browser.get("/certificates/");
  assert.deepEqual(heads(reset), USUAL);
  assert.match(reset.html, /<option value="50" selected/);
});

Deno.test("The page size of the user applies if the URL has none", async () => {
  await using app = await testApp({ settings: { defaultPageSize: 3 } });
  const browser = await browserOf(app);
  assert.equal(rowsOf(await browser.get("/certificates/?show=all")), 3);
  const before = rowsOf(await browser.get("/certificates/?show=all&limit=100"));
  assert(before > 3);
  await browser.post(PREFERENCES, { ...CERTIFICATES, limit: "100" });
  assert.equal(rowsOf(await browser.get("/certificates/?show=all")), before);
  assert.equal(rowsOf(await browser.get("/certificates/?show=all&limit=2")), 2);
});

Deno.test("Invalid preferences are refused and change nothing", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const cases: [fields: Record<string, string | string[]>, message: RegExp][] = [
    [{ object_type: "no.type" }, /Unknown object type “no\.type”/],
    [{ columns: ["<script>"] }, /Unknown column “<script>”/],
    [
      { columns: Array.from({ length: 21 }, (_, index) => `cf_${index}`) },
      /21 columns are too many\. Choose at most 20/,
    ],
  ];
  for (const [fields, message] of cases) {
    const { headers } = await browser.post(PREFERENCES, { ...CERTIFICATES, ...fields });
    assert.match(decodeURIComponent(headers.get("set-cookie") ?? ""), message);
    assert.match(headers.get("set-cookie") ?? "", /certmgr_flash=error/);
  }
  assert.deepEqual(heads(await browser.get("/certificates/")), USUAL);
  const elsewhere = await browser.post(PREFERENCES, { ...CERTIFICATES, back: "https://evil.example/" });
  assert.equal(elsewhere.location, "/");
});

Deno.test("Unknown columns in the URL are ignored", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const strange of ["secret", "__proto__", "constructor", "<script>", " "]) {
    const address = `/certificates/?columns=${encodeURIComponent(strange)}`;
    assert.deepEqual(heads(await browser.get(address)), USUAL, strange);
  }
});

Deno.test("The time zone of the profile is on every page, and an invalid one is refused at its field", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  assert.doesNotMatch((await browser.get("/certificates/")).html, /data-time-zone=/);
  assert.equal((await browser.post("/profile/display/", { time_zone: "Europe/Berlin" })).status, 303);
  assert.match((await browser.get("/certificates/")).html, /<html[^>]* data-time-zone="Europe\/Berlin"/);
  const wrong = await browser.post("/profile/display/", { time_zone: "Mars/Olympus" });
  assert.equal(wrong.status, 400);
  assert.match(
    wrong.html,
    /id="f-time_zone-error">Invalid time zone “Mars\/Olympus”\. Use a name such as/,
  );
  assert.match((await browser.get("/certificates/")).html, /data-time-zone="Europe\/Berlin"/);
  await browser.post("/profile/display/", { time_zone: "" });
  assert.doesNotMatch((await browser.get("/certificates/")).html, /data-time-zone=/);
});

Deno.test("The height of rows in the profile is on every page, and others are refused", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const heightOf = async (): Promise<string | undefined> =>
    /<html[^>]* data-row-height="(\d+)"/.exec((await browser.get("/certificates/")).html)?.[1];
  assert.equal(await heightOf(), "40");
  assert.equal((await browser.post("/profile/display/", { time_zone: "", row_height: "32" })).status, 303);
  assert.equal(await heightOf(), "32");
  for (const wrong of ["33", "-1", "", "tall", "1e400"]) {
    const answer = await browser.post("/profile/display/", { time_zone: "UTC", row_height: wrong });
    assert.equal(answer.status, 400, wrong);
    assert.match(answer.html, /id="f-row_height-error">Expected one of 32, 40/);
  }
  assert.equal(await heightOf(), "32");
  assert.equal((await browser.post("/profile/display/", { time_zone: "UTC" })).status, 303);
  assert.equal(await heightOf(), "32");
});

Deno.test("The column of owners marks a tenant as such where a certificate has no owner", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const cellOf = (html: string): string =>
    html.split("<tr").find((row) => row.includes('title="www.acme.example"')) ?? "";
  const owned = cellOf((await browser.get("/certificates/?columns=owner")).html);
  assert.match(owned, /Web team/);
  assert.doesNotMatch(owned, /Tenant:/);
  await app.database.write((tx) => tx.run(sql`DELETE FROM contact_assignments`));
  const unowned = cellOf((await browser.get("/certificates/?columns=owner")).html);
  assert.match(unowned, /<bdi class="faint">Tenant: Acme[^<]*<\/bdi>/);
  assert.doesNotMatch(unowned, /href="\/tenants\//);
});
