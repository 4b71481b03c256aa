/** Lists with the maximum number of parameters: their cost and size stay in proportion. */

import assert from "node:assert/strict";
import { MAX_FORM_FIELDS } from "../../src/base/limits.ts";
import { MAX_FILTER_CHIPS } from "../../src/web/kit/filters/filter_words.tsx";
import { MAX_QUERY_PARAMETERS } from "../../src/middleware/receive.ts";
import { testApp } from "../support/app.ts";
import { cpuMillis } from "../support/cpu_time.ts";
import { type Answer, type Browser, browserOf } from "./imports/browser.ts";

const LISTS = ["/certificates/", "/tags/", "/devices/"];

const flashOf = (answer: Answer): string =>
  decodeURIComponent(answer.headers.getSetCookie().find((one) => one.startsWith("certmgr_flash=")) ?? "");

const SHAPES: Readonly<Record<string, (index: number) => string>> = {
  "valid filters": (index) => `id=${index}`,
  "unknown filters": (index) => `zq${index}x=1`,
  "invalid values": (index) => `id=x${index}`,
  "texts": (index) => `name__ic=a${index}`,
  "empty values": () => "id=",
  "one repeated filter": () => "id=1",
  "pages": (index) => `offset=${index}`,
  "long paths": (index) => `a__b__c__d__e__f=${index}`,
};

function queryOf(shape: (index: number) => string, count: number): string {
  return Array.from({ length: count }, (_, index) => shape(index)).join("&");
}

/** Returns the processor time in milliseconds and the size of a page. */
async function costOf(browser: Browser, path: string): Promise<{ ms: number; html: string }> {
  const started = cpuMillis();
  const { status, html } = await browser.get(path);
  assert([200, 303, 400].includes(status), `${status}`);
  return { ms: cpuMillis() - started, html };
}

for (const [what, shape] of Object.entries(SHAPES)) {
  Deno.test(`a list with the maximum number of parameters answers a small page within the time limit: ${what}`, async () => {
    await using app = await testApp();
    const browser = await browserOf(app);
    for (const list of LISTS) {
      await costOf(browser, list);
      const { ms, html } = await costOf(browser, `${list}?${queryOf(shape, MAX_QUERY_PARAMETERS)}`);
      assert(ms < 1_000, `${list}: ${ms} ms`);
      assert(html.length < 1_500_000, `${list}: ${html.length} characters`);
      assert(html.split('class="chip"').length - 1 <= MAX_FILTER_CHIPS + 1);
    }
  });
}

Deno.test("each chip removes its filter and keeps the others; those beyond the shown ones have one chip", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const count of [1, 2, MAX_FILTER_CHIPS, MAX_FILTER_CHIPS + 1, MAX_FILTER_CHIPS + 5]) {
    const query = `${queryOf((index) => `slug=${index + 1}`, count)}&slug=1&limit=10&offset=0&q=%C3%A4+b`;
    const { html } = await browser.get(`/tags/?${query}`);
    const links = [...html.matchAll(/<a class="chip" href="([^"]*)"[^>]*><bdi>([^<]*)</g)];
    const left = links.map(([, href = ""]) => {
      const { searchParams } = new URL(href.replaceAll("&amp;", "&"), "http://a/");
      assert.deepEqual([searchParams.get("limit"), searchParams.get("offset"), searchParams.get("q")], [
        "10",
        null,
        "\u00e4 b",
      ]);
      return searchParams.getAll("slug").map(Number);
    });
    const all = Array.from({ length: count }, (_, index) => index + 1);
    const shown = all.slice(0, MAX_FILTER_CHIPS);
    const expected = shown.map((id) => all.filter((other) => other !== id));
    if (count > MAX_FILTER_CHIPS) {
      expected.push(shown);
      assert.equal(links.at(-1)?.[2], `${count - MAX_FILTER_CHIPS} more`);
    }
    assert.deepEqual(left, expected);
  }
});

Deno.test("the ids of several objects have one chip with their number, which removes all of them", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { html } = await browser.get("/tags/?id=1&id=2&id=1&slug=a");
  const chips = [...html.matchAll(/<a class="chip" href="([^"]*)"[^>]*><bdi>([^<]*)</g)];
  assert.deepEqual(chips.map(([, href = "", label]) => [label, href.replaceAll("&amp;", "&")]), [
    ["These 2 tags", "/tags/?slug=a"],
    ["Slug: a", "/tags/?id=1&id=2"],
  ]);
});

Deno.test("a form may select at most as many objects as it may have fields, and the list states the limit", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const back = "/certificates/?status=active";
  const actions = [["/certificates/bulk/", "status"], ["/certificates/bulk-edit/", ""], [
    "/certificates/delete/",
    "",
  ]] as const;
  for (const [path, action] of actions) {
    for (const [count, refused] of [[MAX_FORM_FIELDS, false], [MAX_FORM_FIELDS + 1, true]] as const) {
      const fields = { ids: Array(count).fill("0").join(","), action, status: "active", back };
      const answer = await browser.post(path, fields);
      assert.deepEqual([answer.status, answer.location], [303, back], `${path}, ${count}`);
      const expected = /Too many objects are selected\. Expected at most 5000/;
      (refused ? assert.match : assert.doesNotMatch)(flashOf(answer), expected, `${path}, ${count}`);
    }
  }
});
