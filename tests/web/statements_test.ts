/** The number of statements of a page does not depend on how much it shows. */

import assert from "node:assert/strict";
import { OBJECT_TYPES } from "../../src/auth/mod.ts";
import { views } from "../../src/web/pages/inventory/standard_views.ts";
import { routes } from "../../src/web/routes.ts";
import { type Actor, granted } from "../support/actors.ts";
import { seed } from "../support/seed.ts";
import { testApp } from "../support/app.ts";
import { type Browser, browserOf, CHIEF } from "./imports/browser.ts";

/** Maximum statements of a page of an object or of a form: the session, the object, its lists, its history. */
const MAX_STATEMENTS = 17;
/**
 * The maximum for a few pages: a form with six kinds of targets reads the choices of each, a tenant's page counts
 * four lists and three kinds of certificates, and a certificate's page lists three kinds of endpoints and names
 * the contacts of its history.
 */
const MAX_STATEMENTS_OF_ONE = 32;
/**
 * The maximum for the report, which shows the failures, tenants and owners of failing certificates, lists expired and
 * revoked ones, and counts unchecked ones.
 */
const MAX_STATEMENTS_OF_REPORT = 26;
/** Kinds of objects that certificates are assigned to. */
const KINDS = 3;

const lists = routes.filter(({ method, path }) => method === "GET" && /^\/[a-z-]+\/$/.test(path))
  .map(({ path }) => path).filter((path) => path !== "/profile/" && path !== "/forecast/");

/** May view everything, by permissions with constraints that are evaluated row by row. */
const WITHIN: Actor = granted(
  OBJECT_TYPES.map((type) => ({
    types: [type],
    actions: ["view", "add", "change", "delete"],
    constraints: { id__gt: 0 },
  })),
);

for (const [who, actor] of [["an administrator", CHIEF], ["somebody with constraints", WITHIN]] as const) {
  Deno.test(`A list takes as many statements for a few rows as for all, for ${who}`, async () => {
    await using app = await testApp();
    const browser = await browserOf(app, actor);
    assert(lists.length > views.length);
    for (const path of lists) {
      const counts: number[] = [];
      for (const limit of ["5", "5", "1000"]) {
        const { status, html, statements } = await counted(app.database, browser, `${path}?limit=${limit}`);
        assert.equal(status, 200, path + html);
        counts.push(statements);
      }
      // The first request may fill caches. A few rows may not have every kind of related object, each of which takes a
      // statement.
      const more = (counts[2] as number) - (counts[1] as number);
      assert(more >= 0 && more <= KINDS, `${path}: ${counts}`);
      const most = path === "/compliance/" ? MAX_STATEMENTS_OF_REPORT : MAX_STATEMENTS;
      assert((counts[2] as number) <= most, `${path}: ${counts}`);
    }
  });
}

Deno.test("Pages of objects and forms take a bounded number of statements", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const path of lists.filter((path) => path !== "/compliance/" && path !== "/imports/")) {
    for (const page of ["1/", "1/edit/", "new/", "1/delete/"]) {
      if (!routes.some((route) => route.path === `${path}${page.replace("1", ":id{[0-9]+}")}`)) continue;
      const { status, statements } = await counted(app.database, browser, path + page);
      assert.equal(status, 200, path + page);
      assert(statements <= MAX_STATEMENTS_OF_ONE, `${path}${page}: ${statements}`);
    }
  }
});

async function counted(
  database: { readonly statements: number },
  browser: Browser,
  path: string,
): Promise<{ status: number; html: string; statements: number }> {
  const before = database.statements;
  const { status, html } = await browser.get(path);
  return { status, html, statements: database.statements - before };
}

Deno.test("choices of filters and saved views are read again after a commit, and for each user", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const DEVICES = `/devices/?tenant_id=${seed.tenants.acme}`;
  const first = await counted(app.database, browser, DEVICES);
  const again = await counted(app.database, browser, DEVICES);
  assert(again.statements < first.statements, `${first.statements}, ${again.statements}`);
  const tenant = { name: "Numbat Ltd", slug: "numbat" };
  assert.equal((await browser.post("/tenants/new/", tenant)).status, 303);
  assert.match((await browser.get(DEVICES)).html, /Numbat Ltd/);
  const limited = await browserOf(
    app,
    granted([
      { types: ["dcim.device"], actions: ["view"] },
      { types: ["tenancy.tenant"], actions: ["view"], constraints: { slug: "acme" } },
    ], { username: "limited" }),
  );
  const { html } = await limited.get(DEVICES);
  assert.match(html, /Acme/i);
  assert.doesNotMatch(html, /Numbat/);
  assert.match((await browser.get(DEVICES)).html, /Numbat Ltd/);
});
