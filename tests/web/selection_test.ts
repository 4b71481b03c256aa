/** Selected rows of lists: their actions, for the ticked rows or for all that a list matches. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { auditor, granted } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { type Answer, browserOf, textOf } from "./imports/browser.ts";

const LISTS = [
  "tenants",
  "devices",
  "virtual-machines",
  "services",
  "tags",
  "contacts",
  "authorities",
  "assignments",
  "policies",
  "endpoints",
];

const flashOf = (answer: Answer): string =>
  decodeURIComponent(answer.headers.getSetCookie().find((one) => one.startsWith("certmgr_flash=")) ?? "");

async function addTags(app: TestApp, count: number): Promise<void> {
  await app.database.write((tx) =>
    tx.run(sql`
      WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${count})
      INSERT INTO tags (name, slug, color, description, created, last_updated)
        SELECT 'bulk ' || n, 'bulk-' || n, '607d8b', '', 0, 0 FROM counted`)
  );
}

async function tagCount(app: TestApp, like: string): Promise<number> {
  const [row] = await app.database.all<{ n: number }>(
    sql`SELECT count(*) AS n FROM tags WHERE name LIKE ${like}`,
  );
  return row?.n ?? 0;
}

async function addEndpoint(app: TestApp): Promise<void> {
  const browser = await browserOf(app);
  assert.equal(
    (await browser.post("/endpoints/import/", { names: "a.selected.example", confirm: "1" })).status,
    303,
  );
}

Deno.test("every list with rows that can be deleted has the actions for selected rows", async () => {
  await using app = await testApp();
  await addEndpoint(app);
  const [browser, reader] = [await browserOf(app), await browserOf(app, auditor())];
  for (const list of LISTS) {
    const { html } = await browser.get(`/${list}/`);
    assert.match(html, /<div class="selection" data-selection/, list);
    assert.match(html, new RegExp(`formaction="/${list}/delete/"`), list);
    assert.match(html, /<button type="button" class="open-actions" popovertarget="bulk-actions"/, list);
    assert.doesNotMatch((await reader.get(`/${list}/`)).html, /data-selection/, `${list}, for a reader`);
  }
});

Deno.test("all rows of a list are deleted after a confirmation with their number, and no others", async () => {
  await using app = await testApp();
  await addTags(app, 60);
  const browser = await browserOf(app);
  const back = "/tags/?q=bulk&ordering=name&limit=25";
  assert.match(textOf((await browser.get(back)).html), /Select all 60 that match/);
  const before = await tagCount(app, "%");
  const asked = await browser.post("/tags/delete/", { all: "true", ids: "1", back });
  assert.match(asked.html, /Delete 60 tags\?/);
  assert.match(textOf(asked.html), /and 40 more/);
  assert.equal(await tagCount(app, "%"), before);
  const ids = /name="ids" value="([^"]*)"/.exec(asked.html)?.[1] ?? "";
  const done = await browser.post("/tags/delete/", { ids, back, confirmed: "yes" });
  assert.equal(done.location, back);
  assert.match(flashOf(done), /60 tags deleted/);
  assert.equal(await tagCount(app, "bulk%"), 0);
  assert.equal(await tagCount(app, "%"), before - 60);
});

Deno.test("a list with more than an action takes offers only the rows of the page", async () => {
  await using app = await testApp();
  await addTags(app, 1_001);
  const browser = await browserOf(app);
  assert.doesNotMatch((await browser.get("/tags/?q=bulk")).html, /name="all"/);
  const answer = await browser.post("/tags/delete/", { all: "true", back: "/tags/?q=bulk" });
  assert.match(flashOf(answer), /The list has 1,001 tags\. An action takes at most 1,000\./);
});

Deno.test("Probe lets the service probe the selected endpoints first, and leaves those that agents watch", async () => {
  await using app = await testApp({ probe: () => Promise.resolve([]) });
  await addEndpoint(app);
  const [own] = await app.database.write((tx) =>
    tx.all<{ id: number }>(
      sql`UPDATE endpoints SET next_probe = 9e12 WHERE host = 'a.selected.example' RETURNING id`,
    )
  );
  const browser = await browserOf(app);
  const back = "/endpoints/?q=selected";
  assert.match((await browser.get(back)).html, /formaction="\/endpoints\/probe\/"/);
  const answer = await browser.post("/endpoints/probe/", { ids: String(own?.id), back });
  assert.equal(answer.location, back);
  assert.match(flashOf(answer), /Probing 1 endpoint\./);
  const due = sql`SELECT id FROM endpoints WHERE next_probe = 0`;
  assert.deepEqual(await app.database.all(due), [{ id: own?.id }]);
  await app.database.write((tx) => tx.run(sql`UPDATE endpoints SET next_probe = NULL`));
  const left = await browser.post("/endpoints/probe/", { all: "true", back });
  assert.match(flashOf(left), /None of these endpoints is probed by the service/);
  const reader = await browserOf(app, granted([{ types: ["certmgr.endpoint"], actions: ["view"] }]));
  assert.doesNotMatch((await reader.get(back)).html, /endpoints\/probe/);
  assert.equal((await reader.post("/endpoints/probe/", { all: "true", back })).status, 403);
  assert.deepEqual(await app.database.all(due), []);
});

Deno.test("checks are listed with only the failing ones; the tab All, a filter or a search shows the others, too", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const [certificate] = await app.database.all<{ id: number }>(sql`SELECT id FROM certificates LIMIT 1`);
  await app.database.write((tx) => tx.run(sql`DELETE FROM compliance_checks WHERE result = 'fail'`));
  const { html } = await browser.get("/checks/");
  const [left] = await app.database.all<{ n: number }>(sql`SELECT count(*) AS n FROM compliance_checks`);
  assert.match(textOf(html), left?.n === 0 ? /No compliance checks yet/ : /No failing checks/);
  const current = (html: string): string =>
    /aria-current="page">([^<]*)</.exec(
      html.slice(html.indexOf('aria-label="Checks shown"')),
    )?.[1] ?? "";
  for (
    const [path, tab] of [
      ["/checks/", "Failing"],
      ["/checks/?limit=10", "Failing"],
      ["/checks/?show=all", "All"],
      [`/checks/?certificate_id=${certificate?.id}`, "All"],
      ["/checks/?q=key", "All"],
      ["/checks/?result=fail", "Failing"],
    ] as const
  ) {
    assert.equal(current((await browser.get(path)).html), tab, path);
  }
});
