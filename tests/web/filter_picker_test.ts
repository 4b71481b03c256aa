/** Forms write filters from a field, a comparison and a value into the text, which is stored. */

import assert from "node:assert/strict";
import { testApp } from "../support/app.ts";
import { type Answer, type Browser, browserOf } from "./imports/browser.ts";

function unescaped(text: string): string {
  return text.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#39;", "'");
}

/** Returns the text of the field in the form. */
function valueOf({ html }: Answer, name: string): string {
  const area = new RegExp(`<textarea[^>]* name="${name}"[^>]*>([^<]*)<`).exec(html)?.[1];
  const input = new RegExp(`<input[^>]* name="${name}"[^>]* value="([^"]*)"`).exec(html)?.[1];
  return unescaped(area ?? input ?? "");
}

function errorOf({ html }: Answer, name: string): string {
  return unescaped(new RegExp(`id="f-${name}-error"[^>]*>([^<]*)<`).exec(html)?.[1] ?? "");
}

function add(
  browser: Browser,
  path: string,
  { name, text = "", more = {}, pick }: {
    name: string;
    text?: string;
    more?: Record<string, string | string[]>;
    pick: readonly [field: string, comparison: string, value: string];
  },
): Promise<Answer> {
  const [pick_field, pick_comparison, pick_value] = pick;
  return browser.post(path, { ...more, [name]: text, pick: name, pick_field, pick_comparison, pick_value });
}

const FEED = "/calendar-feeds/new/";

Deno.test("adding a filter returns the form with the filter in its text, and stores nothing", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (
    const [path, name, more] of [
      [FEED, "filter", { name: "Mine" }],
      ["/subscriptions/new/", "filter", {}],
      ["/saved-views/new/", "query", { object_type: "certmgr.certificate" }],
    ] as const
  ) {
    const list = await browser.get(path.replace("new/", ""));
    const first = await add(browser, path, { name, more, pick: ["status", "", "active"] });
    assert.equal(first.status, 200, path);
    assert.equal(valueOf(first, name), "status=active", path);
    const second = await add(browser, path, {
      name,
      more,
      text: "status=active",
      pick: ["common_name", "ic", "a & b"],
    });
    assert.equal(valueOf(second, name), "status=active&common_name__ic=a+%26+b", path);
    assert.equal((await browser.get(path.replace("new/", ""))).html.length, list.html.length, path);
  }
});

Deno.test("conditions of webhooks are JSON with values of the right type", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const more = { name: "Hook", object_types: ["certmgr.certificate"] };
  const path = "/webhooks/new/";
  const one = await add(browser, path, { name: "conditions", more, pick: ["status", "", "active"] });
  assert.deepEqual(JSON.parse(valueOf(one, "conditions")), { status: "active" });
  const text = valueOf(one, "conditions");
  const two = await add(browser, path, { name: "conditions", more, text, pick: ["status", "", "pending"] });
  assert.deepEqual(JSON.parse(valueOf(two, "conditions")), { status: ["active", "pending"] });
  const size = await add(browser, path, {
    name: "conditions",
    more,
    text,
    pick: ["key_size", "gte", "2048"],
  });
  assert.deepEqual(JSON.parse(valueOf(size, "conditions")), { status: "active", key_size__gte: 2048 });
  const broken = await add(browser, path, {
    name: "conditions",
    more,
    text: "{oops",
    pick: ["status", "", "active"],
  });
  assert.match(errorOf(broken, "conditions"), /Expected JSON/);
  assert.equal(valueOf(broken, "conditions"), "{oops");
});

Deno.test("an invalid filter is refused at the field, which keeps the choice, and the text does not change", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (
    const [pick, message] of [
      [["", "", "x"], /Choose a field/],
      [["no_such_field", "", "x"], /Choose a field/],
      [["status", "", ""], /Enter a value for "Status"/],
      [["status", "", "open"], /Invalid value "open" for "Status"\. Expected one of: .*active/],
      [["status", "gte", "active"], /"Status" cannot be compared/],
    ] as const
  ) {
    const answer = await add(browser, FEED, { name: "filter", text: "tag=web", pick });
    assert.match(errorOf(answer, "filter"), message, pick.join());
    assert.equal(valueOf(answer, "filter"), "tag=web");
    assert.equal(valueOf(answer, "pick_value"), pick[2]);
  }
});
