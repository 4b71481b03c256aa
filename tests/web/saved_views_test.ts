/** Saved views: a list under a name, for oneself or for everyone who may view it. */

import assert from "node:assert/strict";
import { MAX_SAVED_VIEWS_PER_USER } from "../../src/domain/saved_views/mod.ts";
import { type Actor, granted, stranger } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { PATHS } from "../support/paths.ts";
import { type Browser, browserOf, textOf } from "./imports/browser.ts";

const NEW = "/saved-views/new/";
const VIEW = {
  name: "Ours <b>",
  object_type: "certmgr.certificate",
  query: "key_size=256&ordering=-valid_to&columns=common_name,tags",
};

/** The links of the menu with saved views on a list. */
async function menuOf(browser: Browser, path: string): Promise<string[]> {
  const { html } = await browser.get(path);
  const [menu = ""] = /<details class="menu views">.*?<\/details>/s.exec(html) ?? [];
  return [...menu.matchAll(/<li><a href="([^"]*)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));
}

const viewer = (username: string): Actor =>
  granted([{ types: ["certmgr.certificate"], actions: ["view"] }], { username });

Deno.test("A list is saved with its filters, order and columns, and opens from the menu", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, viewer("vera"));
  const { html } = await browser.get("/certificates/?algorithm=ecdsa&ordering=-valid_to&offset=1&limit=1");
  const [, link = ""] = /href="(\/saved-views\/new\/[^"]*)"/.exec(html) ?? [];
  const form = await browser.get(link.replaceAll("&amp;", "&"));
  assert.match(
    form.html,
    /name="query"[^>]*value="algorithm=ecdsa&amp;ordering=-valid_to&amp;limit=1&amp;columns=common_name%2Cvalid_to/,
  );
  const { location } = await browser.post(NEW, VIEW);
  assert.equal(location, `/certificates/?${VIEW.query}`);
  assert.ok((await menuOf(browser, "/certificates/")).includes(location));
  const opened = await browser.get(location);
  assert.match(opened.html, /<summary role="button" class="secondary"><bdi>Ours &lt;b&gt;<\/bdi>/);
  assert.match(textOf(opened.html), /Tags/);
  assert.deepEqual(await menuOf(browser, "/saved-views/"), [], "each list has its own");
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
  assert.match(await refused.text(), /The user has 200 saved views, and 200 are allowed/);
});
