/** Saved views: a list under a name, for oneself or for everyone who may view it. */

import assert from "node:assert/strict";
import { MAX_SAVED_VIEWS_PER_USER } from "../../src/domain/saved_views/mod.ts";
import { type Actor, granted, stranger } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";
import { type Browser, browserOf, formOf, textOf } from "./imports/browser.ts";

const NEW = "/saved-views/new/";
const VIEW = {
  name: "Ours <b>",
  object_type: "certmgr.certificate",
  query: "key_size=256&ordering=-valid_to&columns=common_name,tags",
};

/** Returns the links of the menu of saved views on a list. */
async function menuOf(browser: Browser, path: string): Promise<string[]> {
  const { html } = await browser.get(path);
  const [menu = ""] = /<details class="menu views">.*?<\/details>/s.exec(html) ?? [];
  return [...menu.matchAll(/<li><a href="([^"]*)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));
}

/** Returns the query that the menu of a list of certificates would save. */
function queryToSave(html: string): string {
  const [form = ""] = /<form[^>]*action="\/saved-views\/new\/".*?<\/form>/s.exec(html) ?? [];
  assert.match(form, /name="object_type" value="certmgr\.certificate"/);
  return (/name="query" value="([^"]*)"/.exec(form)?.[1] ?? "").replaceAll("&amp;", "&");
}

/** Decodes the characters that HTML escapes in attributes. */
function unescaped(text: string): string {
  return text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll(
    "&#39;",
    "'",
  );
}

const viewer = (username: string): Actor =>
  granted([{ types: ["certmgr.certificate"], actions: ["view"] }], { username });

Deno.test("A list is saved with its filters, order and columns, and opens from the menu", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, viewer("vera"));
  const { html } = await browser.get("/certificates/?algorithm=ecdsa&ordering=-valid_to&offset=1&limit=1");
  const query = queryToSave(html);
  assert.match(query, /^algorithm=ecdsa&ordering=-valid_to&limit=1&columns=valid_to/);
  const posted = { object_type: VIEW.object_type, query, name: "Here" };
  const saved = await browser.post(NEW, posted);
  assert.match((await browser.get(saved.location)).html, /class="secondary"><bdi>Here<\/bdi><\/summary>/);
  const refused = await browser.post(NEW, { ...posted, name: " " });
  assert.equal(refused.status, 400);
  assert.match(refused.html, /id="f-name-error">This field/);
  assert.match(refused.html, /name="query"[^>]*value="algorithm=ecdsa/);
  const { location } = await browser.post(NEW, VIEW);
  assert.equal(location, `/certificates/?${VIEW.query}`);
  assert.ok((await menuOf(browser, "/certificates/")).includes(location));
  const opened = await browser.get(location);
  assert.match(opened.html, /<summary role="button" class="secondary"><bdi>Ours &lt;b&gt;<\/bdi>/);
  assert.match(textOf(opened.html), /Tags/);
  assert.match(opened.html, /<h1>Certificates: \u2068?Ours &lt;b&gt;\u2069?<\/h1>/);
  const [tabs = ""] = /<nav class="choice views".*?<\/nav>/s.exec(opened.html) ?? [];
  assert.match(
    tabs,
    /<a href="[^"]*algorithm=ecdsa[^"]*"[^>]*><bdi>Here<.*aria-current="page"[^>]*><bdi>Ours &lt;b&gt;</s,
  );
  assert.equal(tabs.split("aria-current").length, 2, "one is current");
  assert.match((await browser.get("/certificates/")).html, /<h1>Certificates<\/h1>/);
  assert.deepEqual(await menuOf(browser, "/saved-views/"), [], "each list has its own");
});

Deno.test("A query with any characters is a valid link, and the list gets the same values", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, viewer("vera"));
  for (const text of ["日本", "Zürich \u202e", "a#b", "a\nb", 'x" y<z>', "%", "a+b"]) {
    const query = `q=${text}&status=active`;
    const { status, location, html } = await browser.post(NEW, { ...VIEW, name: text, query });
    assert.equal(status, 303, textOf(html));
    const opened = new URL(location, "http://certmgr.example");
    assert.equal(opened.pathname, "/certificates/");
    assert.deepEqual([...opened.searchParams], [...new URLSearchParams(query)], text);
    assert.ok((await menuOf(browser, "/certificates/")).map(unescaped).includes(location), text);
  }
});

Deno.test("Only its owner sees a private view; users who may view the list see a shared one, and only its owner changes it", async () => {
  await using app = await testApp();
  const [owner, other] = [await browserOf(app, viewer("vera")), await browserOf(app, viewer("otto"))];
  await owner.post(NEW, VIEW);
  const before = await menuOf(other, "/certificates/");
  await owner.post(NEW, { ...VIEW, name: "Shared", shared: "true", query: "tenant=globex" });
  assert.deepEqual((await menuOf(other, "/certificates/")).filter((one) => !before.includes(one)), [
    "/certificates/?tenant=globex",
  ]);
  const [, id] =
    /href="\/saved-views\/(\d+)\/"[^>]*><bdi[^>]*>Shared/.exec((await other.get("/saved-views/")).html) ?? [];
  assert.equal((await other.get(`/saved-views/${id}/`)).status, 200);
  const { html } = await other.get(`/saved-views/${id}/`);
  assert.doesNotMatch(html, /\/(edit|delete)\/"/);
  const edited = await other.post(`/saved-views/${id}/edit/`, { ...VIEW, name: "Mine" });
  assert.deepEqual([edited.status, /Not found/.test(edited.html)], [400, true]);
  assert.match((await owner.get(`/saved-views/${id}/`)).html, /<h1>Shared/);
  assert.equal((await other.post(`/saved-views/${id}/delete/`, { confirmed: "yes" })).status, 404);
  // A user who may view tags, but no certificates, sees no view of certificates.
  const tagger = await browserOf(
    app,
    granted([{ types: ["extras.tag"], actions: ["view"] }], { username: "tag" }),
  );
  const nobody = await browserOf(app, stranger());
  for (const browser of [tagger, nobody]) {
    assert.equal((await browser.get(`/saved-views/${id}/`)).status, 404);
    assert.doesNotMatch((await browser.get("/saved-views/")).html, /Shared<\/bdi>/);
  }
});

Deno.test("A query that the list would refuse is refused at its field, with the name of the parameter", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, viewer("vera"));
  for (
    const [query, message] of [
      ["statuss=active", /“statuss”: Unknown/],
      ["limit=many", /“limit”: /],
      ["ordering=nothing", /“ordering”: /],
    ] as const
  ) {
    const { status, html } = await browser.post(NEW, { ...VIEW, query });
    assert.equal(status, 400, query);
    assert.match(/id="f-query-error">([^<]*)/.exec(html)?.[1] ?? "", message);
  }
  const client = await app.as("superuser");
  const created = await client(PATHS.savedViews, { method: "POST", body: VIEW });
  const { id } = await created.json();
  const moved = await client(`${PATHS.savedViews}${id}/`, {
    method: "PATCH",
    body: { object_type: "extras.tag" },
  });
  assert.equal(moved.status, 400, "the query is checked against the list of the new type");
  assert.match((await moved.json()).query[0], /^“key_size”: Unknown/);
});

Deno.test("A user has a limited number of saved views", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const body = Array.from(
    { length: MAX_SAVED_VIEWS_PER_USER },
    (_, index) => ({ ...VIEW, name: `View ${index}` }),
  );
  assert.equal((await client(PATHS.savedViews, { method: "POST", body })).status, 201);
  const refused = await client(PATHS.savedViews, { method: "POST", body: VIEW });
  assert.equal(refused.status, 400);
  assert.match(await refused.text(), /The user has 200 saved views, and the maximum is 200/);
});

const { acme, globex } = seed.tenants;

/** Returns the texts of the chips of a page. */
function chipsOf(html: string): string[] {
  return [...html.matchAll(/class="chip"[^>]*><bdi>([^<]*)</g)].map(([, text = ""]) => text);
}

Deno.test("a list shows its filters in words, with the names of the objects that they give by id", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const cases = [
    [`/certificates/?tenant_id=${acme}`, "Tenant: Acme Corp"],
    [`/certificates/?tenant_id__n=${acme}`, "Tenant is not Acme Corp"],
    [`/certificates/?tenant_id=null`, "Tenant: none"],
    [`/certificates/?tenant__empty=false`, "Tenant is not empty"],
    [`/certificates/?tenant=acme`, "Tenant: Acme Corp"],
    [`/certificates/?tenant__n=acme`, "Tenant is not Acme Corp"],
    [`/certificates/?tag=prod`, "Tag: Production"],
    [`/certificates/?tag=gone`, "Tag: gone"],
    [`/certificates/?assigned_or_served=true`, "Assigned or served: Yes"],
    [`/certificates/?has_assignments=true`, "Assigned to an object: Yes"],
    [`/certificates/?valid_to__lte=2027-01-01`, "Expires up to 2027-01-01"],
    [`/certificates/?device_id=${seed.devices.edge}`, "Assigned to device: edge-1"],
    [`/checks/?certificate__tenant_id=${globex}`, "Certificate tenant: Globex Corp"],
    [`/devices/?tenant_id__n=999999`, "Tenant is not ID 999999"],
    [`/compliance/?tenant_id=${acme}`, "Tenant: Acme Corp"],
    [`/endpoints/map/?tenant_id=${acme}`, "Tenant: Acme Corp"],
  ] as const;
  for (const [path, text] of cases) {
    const { status, html } = await browser.get(path);
    assert.equal(status, 200, path);
    assert.deepEqual(chipsOf(html), [text], path);
  }
});

Deno.test("the form of a view shows filters by id, the order and the columns in words", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { html } = await browser.get(`/certificates/?tenant_id=${acme}&ordering=-valid_to&limit=50`);
  const list = new URLSearchParams({ object_type: VIEW.object_type, query: queryToSave(html) });
  const form = await browser.get(`${NEW}?${list}`);
  assert.deepEqual(formOf(form.html)["query.field"], "tenant_id");
  assert.deepEqual(chipsOf(form.html), [
    "Sorted by Expires, descending",
    "Rows per page: 50",
    "Columns: Expires, Assigned to, Owner, State",
  ]);
  const query = String(new URLSearchParams({ tenant_id: String(acme), columns: "name,last_updated" }));
  const devices = new URLSearchParams({ object_type: "dcim.device", query });
  assert.deepEqual(chipsOf((await browser.get(`${NEW}?${devices}`)).html), [
    "Columns: Name, Last updated",
  ]);
});

Deno.test("a filter by an object that the user may not view shows its id, as one by an object that does not exist", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, viewer("vera"));
  for (const id of [acme, 999_999]) {
    assert.deepEqual(chipsOf((await browser.get(`/certificates/?tenant_id=${id}`)).html), [
      `Tenant: ID ${id}`,
    ]);
    assert.deepEqual(chipsOf((await browser.get("/certificates/?tenant=acme")).html), ["Tenant: acme"]);
  }
});

Deno.test("saved views, calendar feeds and subscriptions show their filters in words, and how many certificates match", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const query = `tenant_id__n=${acme}&status=active`;
  const created = [
    ["/saved-views/", { ...VIEW, query }],
    ["/calendar-feeds/", { name: "Feed", filter: query, alarm_days: "7" }],
    ["/subscriptions/", {
      name: "Subscription",
      filter: query,
      events: "expiring",
      mode: "immediate",
      time_zone: "UTC",
      at: "08:00",
      thresholds: "30d",
      channel: String(seed.channels.chat),
    }],
  ] as const;
  const { html: listed } = await browser.get(`/certificates/?${query}`);
  const [, count = ""] = /of (\d+)</.exec(listed) ?? [];
  assert.ok(Number(count) > 1, count);
  for (const [list, form] of created) {
    const { status, html: answer } = await browser.post(`${list}new/`, form);
    assert.ok([200, 303].includes(status), `${list}: ${status} ${textOf(answer)}`);
    const { html } = await browser.get(`${list}?ordering=-id`);
    assert.ok(chipsOf(html).join(" | ").includes("Tenant is not Acme Corp | Status: active"), list);
    assert.doesNotMatch(textOf(html), /tenant_id/, list);
    const [, id] = new RegExp(`href="${list}(\\d+)/"`).exec(html) ?? [];
    const one = await browser.get(`${list}${id}/`);
    assert.deepEqual(chipsOf(one.html), ["Tenant is not Acme Corp", "Status: active"], list);
    assert.match(textOf(one.html), new RegExp(`Matches ${count} certificates`), list);
    assert.doesNotMatch(textOf(one.html), /tenant_id/, list);
  }
});
