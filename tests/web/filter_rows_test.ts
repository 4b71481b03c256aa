/** The filters of every list are rows of a form: what a URL has, the form shows and sends again. */

import assert from "node:assert/strict";
import { resources } from "../../src/domain/registry.ts";
import { LISTED_TYPES } from "../../src/domain/saved_views/mod.ts";
import { type FilterName, filterNames } from "../../src/filters/mod.ts";
import { listPath } from "../../src/web/paths.ts";
import { testApp } from "../support/app.ts";
import { seed } from "../support/seed.ts";
import { type Answer, type Browser, browserOf, formOf, textOf } from "./imports/browser.ts";

const LISTS = resources.filter(({ objectType }) => LISTED_TYPES.some((type) => type === objectType));
const FORM = /<form method="get" action="[^"]*" class="filter-form">.*?<\/form>/s;

/** Values of a type that a form must not change. */
function valuesOf({ type, choices = [] }: FilterName): readonly string[] {
  switch (type) {
    case "choice":
      return choices.filter(Boolean).slice(0, 2);
    case "boolean":
      return ["false"];
    case "integer":
      return ["3", "-1"];
    case "datetime":
      return ["2026-03-04", "2026-03-04T05:06:07Z"];
    case "hex":
      return ["0a:1b"];
    case "regex":
      return ["^a+$"];
    case "string":
      return ['a & "b" <c>'];
  }
}

/** Sends the form of a page with further controls, as a browser would. */
async function sendForm(browser: Browser, path: string, more: Record<string, string> = {}): Promise<Answer> {
  const { html } = await browser.get(path);
  const fields = Object.entries({ ...formOf(html, FORM), ...more }).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value])
  );
  return await browser.get(`${path.split("?")[0]}?${new URLSearchParams(fields)}`);
}

function sorted(params: Iterable<[string, string]>): string[] {
  return [...params].map(([name, value]) => `${name}=${value}`).sort();
}

Deno.test("every filter of every list survives its form, and each field is a row", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const { objectType, map } of LISTS) {
    const path = listPath({ objectType });
    if (!FORM.test((await browser.get(path)).html)) continue;
    const all = [...filterNames(map)].filter(({ name }) => name !== "q").flatMap((filter) =>
      valuesOf(filter).map((value): [string, string] => [filter.name, value])
    );
    for (let start = 0; start < all.length; start += 18) {
      const params = all.slice(start, start + 18);
      const query = new URLSearchParams([...params, ["show", "all"], ["scope", "all"]]);
      const { html } = await browser.get(`${path}?${query}`);
      if (!FORM.test(html)) continue;
      const form = formOf(html, FORM);
      const shown = [form["where.field"] ?? []].flat();
      const fields = params.map(([name]) => name).filter((name) => !name.includes("__") && name !== "id");
      const missing = fields.filter((name) =>
        // Filters of the open tab are not shown.
        !shown.includes(name) && !(name in form) && !(name.endsWith("_id") && Object.hasOwn(map.fields, name))
      );
      assert.deepEqual(missing, [], path);
      const { status, location, html: again } = await sendForm(browser, `${path}?${query}`);
      assert.equal(
        status,
        303,
        textOf(/<details class="filter-box".*?<\/details>/s.exec(again)?.[0] ?? "").slice(-300),
      );
      assert.deepEqual(sorted(new URL(location, "http://c").searchParams), sorted(query), path);
    }
  }
});

Deno.test("a button of the form adds and removes rows without scripts, and Apply leads to the canonical list", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const path = "/certificates/?show=all&status=active&q=acme";
  const added = await sendForm(browser, path, { pick: "where" });
  assert.equal(added.status, 200);
  assert.match(added.html, /<details class="filter-box" open/);
  assert.deepEqual(formOf(added.html, FORM)["where.field"], ["status", ""]);
  const removed = await sendForm(browser, path, { pick: "where:row:0" });
  assert.deepEqual(formOf(removed.html, FORM)["where.field"], "");
  assert.match(textOf(removed.html), /Matches \d+ certificates/);
  const row = (field: string, value: string): Record<string, string> => ({
    "where.field": field,
    "where.comparison": "",
    "where.value": value,
  });
  for (
    const [fields, expected] of [
      [row("tenant_id", `Acme Corp (#${seed.tenants.acme})`), `tenant_id=${seed.tenants.acme}`],
      [row("device_id", "edge-1"), "device=edge-1"],
      [row("owner", "Web team"), `owner=${seed.contacts.web}`],
      [row("status", ""), ""],
    ] as const
  ) {
    const { status, location } = await sendForm(browser, path, fields);
    assert.equal(status, 303);
    assert.equal(location, `/certificates/?show=all&q=acme${expected && `&${expected}`}`);
  }
  const wrong = await sendForm(browser, path, { ...row("status", "active"), "where.comparison": "gte" });
  assert.equal(wrong.status, 400);
  assert.match(textOf(wrong.html), /"Status" cannot be compared with "is at least"/);
});

Deno.test("a list is grouped with counts, and each group leads to as many objects", async () => {
  await using app = await testApp();
  const everyone = await browserOf(app);
  const globex = await browserOf(app, {
    username: "of-globex",
    superuser: false,
    grants: [
      { types: ["certmgr.certificate"], actions: ["view"], constraints: null },
      { types: ["tenancy.tenant"], actions: ["view"], constraints: { slug: "globex" } },
    ],
  });
  for (const browser of [everyone, globex]) {
    const { html: list } = await browser.get("/certificates/?show=all");
    const total = Number(/(\d+)<\/span><\/a><\/nav>/.exec(list)?.[1]);
    for (const by of ["tenant", "owner", "issuing_ca", "issuer", "valid_to", "status", "algorithm"]) {
      const { status, html } = await browser.get(`/certificates/?show=all&group_by=${by}`);
      assert.equal(status, 200);
      const rows = [...html.matchAll(/<a href="([^"]*)">[^<]*<\/a><\/t[hd]><td[^>]*>([\d,]+)</g)]
        .map(([, path = "", count]) => [path.replaceAll("&amp;", "&"), Number(count)] as const);
      assert(rows.length > 0, by);
      assert.equal(rows.reduce((sum, [, count]) => sum + count, 0), total, by);
      for (const [path, count] of rows) {
        assert.match((await browser.get(path)).html, new RegExp(`<span class="count">${count}</span>`), path);
      }
    }
  }
  const hidden = await globex.get("/certificates/?show=all&group_by=tenant");
  assert.doesNotMatch(hidden.html, /Acme Corp/);
  assert.match(hidden.html, /Globex Corp/);
  assert.equal((await everyone.get("/certificates/?group_by=comments")).status, 200, "no field to group by");
});
