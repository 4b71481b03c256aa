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

type Row = readonly [field: string, comparison: string, value: string];

/** Sends a form with rows of filters; `pick` is the button that sends it, or none to save it. */
function send(
  browser: Browser,
  path: string,
  { name, text = "", shown = text, more = {}, rows, pick }: {
    name: string;
    text?: string;
    /** The text as the form was rendered. */
    shown?: string;
    more?: Record<string, string | string[]>;
    rows: readonly Row[];
    pick?: string;
  },
): Promise<Answer> {
  const parts = Object.fromEntries(
    ["field", "comparison", "value"].map((part, index) => [
      `${name}.${part}`,
      rows.map((row) => row[index] as string),
    ]),
  );
  const button = pick === undefined ? {} : { pick };
  return browser.post(path, { ...more, [name]: text, [`${name}.shown`]: shown, ...parts, ...button });
}

/** Returns the rows that a form shows. */
function rowsOf({ html }: Answer): string[][] {
  return [...html.matchAll(/<div class="filter-row">(.*?)<\/div>/gs)].map(([, row = ""]) =>
    ["field", "comparison", "value"].map((part) => {
      const select = new RegExp(`<select name="[a-z]+\\.${part}".*?</select>`, "s").exec(row)?.[0];
      const chosen = select === undefined
        ? new RegExp(`name="[a-z]+\\.${part}" value="([^"]*)"`).exec(row)?.[1]
        : /value="([^"]*)"\s+selected/.exec(select)?.[1];
      return unescaped(chosen ?? "");
    })
  );
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
    const first = await send(browser, path, { name, more, rows: [["status", "", "active"]], pick: name });
    assert.equal(first.status, 200, path);
    assert.equal(valueOf(first, name), "status=active", path);
    assert.deepEqual(rowsOf(first), [["status", "", "active"], ["", "", ""]], path);
    assert.match(first.html, /class="matches"[^>]*>Matches \d+ certificates?</);
    const rows: Row[] = [["status", "", "active"], ["common_name", "ic", "a & b"], ["", "", ""]];
    const second = await send(browser, path, { name, more, text: "status=active", rows, pick: "refresh" });
    assert.equal(valueOf(second, name), "status=active&common_name__ic=a+%26+b", path);
    const third = await send(browser, path, {
      name,
      more,
      text: "status=active&common_name__ic=a+%26+b&tenant__name__ic=x",
      rows: rows.slice(0, 2),
      pick: `${name}:row:0`,
    });
    assert.equal(valueOf(third, name), "common_name__ic=a+%26+b&tenant__name__ic=x", path);
    const fourth = await send(browser, path, {
      name,
      more,
      text: "common_name__ic=a&tenant__name__ic=x",
      rows: [["common_name", "ic", "a"]],
      pick: `${name}:rest:0`,
    });
    assert.equal(valueOf(fourth, name), "common_name__ic=a", path);
    assert.equal((await browser.get(path.replace("new/", ""))).html.length, list.html.length, path);
  }
});

Deno.test("conditions of webhooks are JSON with values of the right type", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const more = { name: "Hook", object_types: ["certmgr.certificate"] };
  const refresh = (rows: readonly Row[], text = "", shown = text): Promise<Answer> =>
    send(browser, "/webhooks/new/", { name: "conditions", more, text, shown, rows, pick: "refresh" });
  const active: Row = ["status", "", "active"];
  const of = async (rows: readonly Row[], text?: string): Promise<unknown> =>
    JSON.parse(valueOf(await refresh(rows, text), "conditions"));
  assert.deepEqual(await of([active]), { status: "active" });
  assert.deepEqual(await of([active, ["status", "", "pending"]]), { status: ["active", "pending"] });
  assert.deepEqual(await of([active, ["key_size", "gte", "2048"]]), {
    status: "active",
    key_size__gte: 2048,
  });
  // What rows cannot show stays.
  const nested = '{"status": "pending", "NOT": {"tag": "lab"}}';
  assert.deepEqual(await of([active], nested), { status: "active", NOT: { tag: "lab" } });
  // Without a change, the text stays as it was written.
  assert.equal(valueOf(await refresh([["status", "", "pending"]], nested), "conditions"), nested);
  // A text that was edited wins over the rows.
  const edited = await refresh([active], '{"status": ["revoked", "expired"]}', '{"status": "active"}');
  assert.deepEqual(rowsOf(edited), [["status", "", "revoked"], ["status", "", "expired"]]);
  const broken = await refresh([active], "{oops", "");
  assert.equal(valueOf(broken, "conditions"), "{oops");
  assert.deepEqual(rowsOf(broken), []);
});

Deno.test("a form is saved with the filters of its rows, and shows them again as rows", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const more = {
    name: "Hook",
    payload_url: "https://hooks.example/",
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    enabled: "true",
    events: ["created"],
    object_types: ["certmgr.certificate"],
  };
  const rows: Row[] = [["status", "", "active"], ["common_name", "iew", ".example"]];
  const saved = await send(browser, "/webhooks/new/", { name: "conditions", more, rows });
  assert.equal(saved.status, 303);
  assert.deepEqual(rowsOf(await browser.get(`${saved.location}edit/`)), rows);
  const permission = await send(browser, "/permissions/new/", {
    name: "constraints",
    more: { name: "Acme", object_types: ["certmgr.certificate"], actions: ["view"] },
    rows: [["tenant", "", "acme"], ["common_name", "ic", "www"]],
  });
  const edit = await browser.get(`${permission.location}edit/`);
  assert.deepEqual(JSON.parse(valueOf(edit, "constraints")), {
    tenant__slug: "acme",
    common_name__icontains: "www",
  });
  assert.deepEqual(rowsOf(edit), [["tenant", "", "acme"], ["common_name", "ic", "www"]]);
});

Deno.test("an invalid row is refused at the field and keeps its values, and the text does not change", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (
    const [row, message] of [
      [["", "", "x"], /Choose a field/],
      [["no_such_field", "", "x"], /Choose a field/],
      [["status", "", ""], /Enter a value for "Status"/],
      [["status", "", "open"], /Invalid value "open" for "Status"\. Expected one of: .*active/],
      [["status", "gte", "active"], /"Status" cannot be compared/],
    ] as const
  ) {
    const more = { name: "Mine" };
    const answer = await send(browser, FEED, { name: "filter", more, text: "tag=web", rows: [row] });
    assert.equal(answer.status, 400, row.join());
    assert.match(errorOf(answer, "filter"), message, row.join());
    assert.equal(valueOf(answer, "filter"), "tag=web");
    assert.equal(rowsOf(answer)[0]?.[0], row[0]);
  }
  const incomplete = await send(browser, FEED, {
    name: "filter",
    rows: [["status", "", ""]],
    pick: "refresh",
  });
  assert.equal(incomplete.status, 200, "a row that is being filled in is no error yet");
});
