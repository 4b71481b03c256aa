/** Usual access of users: what each kind shows, and that the users of one tenant see nothing of another. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { createObject } from "../../../../src/resource/mod.ts";
import { users } from "../../../../src/domain/accounts/users/resource.ts";
import { type TestApp, testApp } from "../../../support/app.ts";
import { callJson as call } from "../../../support/call_json.ts";
import { seed } from "../../../support/seed.ts";
import { type Browser, browserOf, textOf } from "../../../web/imports/browser.ts";

const PASSWORD = "a long pass phrase";
const USERS = "/api/users/users/";
const ACME = { access_tenant: { slug: "acme" } };
const KINDS = [{ access: "read_all" }, { access: "read_tenant", ...ACME }, {
  access: "manage_tenant",
  ...ACME,
}];

async function userWith(app: TestApp, given: Record<string, unknown>): Promise<Browser> {
  const username = `with-${String(given.access)}`;
  await createObject({ ctx: app.ctx, resource: users, input: { username, password: PASSWORD, ...given } });
  return await browserOf(app, { username, grants: [] });
}

/** Returns all pages that links of the menu, tabs and pages lead to, one of each kind. */
async function crawl(browser: Browser): Promise<Map<string, { status: number; html: string }>> {
  const pages = new Map<string, { status: number; html: string }>();
  const kinds = new Set<string>();
  const waiting = ["/"];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const { status, html } = await browser.get(path);
    pages.set(path, { status, html });
    for (const [, given = ""] of html.matchAll(/<a[^>]* href="(\/[^"#]*)"/g)) {
      const link = given.replaceAll("&amp;", "&");
      const kind = link.replaceAll(/\d+/g, "#").replace(/\?.*/, "?");
      if (kinds.has(kind) || (link.includes("?") && path !== "/") || /^\/(?:api|graphql)\b/.test(link)) {
        continue;
      }
      kinds.add(kind);
      waiting.push(link);
    }
  }
  return pages;
}

/** Lists of which the seed has objects of the tenant, or shared ones. */
const LISTS =
  "certificates csrs assignments endpoints observations authorities policies checks tenants contacts contact-roles " +
  "contact-assignments virtual-machines sites locations regions manufacturers device-types device-roles " +
  "platforms clusters tags custom-fields";

for (const given of KINDS) {
  Deno.test(`with access ${given.access}, all pages in reach open, and no list is empty`, async () => {
    await using app = await testApp();
    const pages = await crawl(await userWith(app, given));
    assert.ok(pages.size > 60, String(pages.size));
    for (const [path, { status, html }] of pages) {
      assert.equal(status, 200, path);
      // A name that is no tenant's: of a manufacturer.
      const text = textOf(html).replaceAll(/globex[ -]devices/gi, "");
      if (given.access !== "read_all") assert.doesNotMatch(text, /globex/i, path);
    }
    for (const list of LISTS.split(" ")) {
      const { html = "" } = pages.get(`/${list}/`) ?? {};
      assert.match(html, new RegExp(`<td[^>]*>.*?href="/${list}/\\d+/"`, "s"), list);
    }
  });

  Deno.test(`with access ${given.access}, every list and the search can be searched`, async () => {
    await using app = await testApp();
    const browser = await userWith(app, given);
    const lists = ["search", "forecast", ...LISTS.split(" ")];
    // Digits are also searched in numbers; names in those of owners and devices.
    for (const text of ["acme", "abc", "8D9BA2", "192.0.2.1", "a b", "ü"]) {
      for (const list of lists) {
        const { status, html } = await browser.get(`/${list}/?q=${encodeURIComponent(text)}`);
        assert.equal(status, 200, `${list} ${text}`);
        if (given.access !== "read_all") assert.doesNotMatch(textOf(html), /globex\.example/i, list);
      }
      const { status } = await browser.get(`/certificates/?q=${encodeURIComponent(text)}&group_by=owner`);
      assert.equal(status, 200, text);
    }
  });

  Deno.test(`with access ${given.access}, the page of a certificate has all sections but the history`, async () => {
    await using app = await testApp();
    const sections = async (browser: Browser): Promise<string[]> => {
      const { html } = await browser.get(`/certificates/${seed.certificates.acmeWeb}/`);
      return [...html.matchAll(/<section[^>]* id="([\w-]+)"/g)].map(([, id = ""]) => id).sort();
    };
    const all = await sections(await browserOf(app));
    assert.deepEqual(await sections(await userWith(app, given)), all.filter((id) => id !== "history"));
  });
}

Deno.test("a user of one tenant gets 404 for each object of another, and for its filters nothing", async () => {
  await using app = await testApp();
  const browser = await userWith(app, { access: "manage_tenant", ...ACME });
  const own = [["tenants", seed.tenants.acme], ["certificates", seed.certificates.acmeWeb]] as const;
  const others = [["tenants", seed.tenants.globex], ["certificates", seed.certificates.globexWeb]] as const;
  for (const [list, id] of own) assert.equal((await browser.get(`/${list}/${id}/`)).status, 200, list);
  for (const [list, id] of others) {
    for (const end of ["", "edit/", "delete/"]) {
      assert.equal(
        (await browser.get(`/${list}/${id}/${end}`)).status,
        list === "tenants" && end !== "" ? 403 : 404,
      );
    }
  }
  const { html } = await browser.get(`/contacts/?for_tenant=${seed.tenants.globex}`);
  const missing = await browser.get("/contacts/?for_tenant=999999");
  const listed = (text: string): string[] => text.match(/href="\/contacts\/\d+\/"/g) ?? [];
  assert.deepEqual(listed(html), listed(missing.html));
});

Deno.test("users with the same access share one group; everything makes a superuser", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const create = (username: string, more: Record<string, unknown>): Promise<Record<string, unknown>> =>
    call(client, USERS, "POST", { username, password: PASSWORD, ...more });
  const names = ({ groups }: Record<string, unknown>): string[] =>
    (groups as { name: string }[]).map(({ name }) => name);
  const first = await create("first", { access: "read_tenant", access_tenant: { slug: "acme" } });
  const group = `Acme Corp (${seed.tenants.acme}): read only`;
  assert.deepEqual(names(first), [group]);
  const [before] = await app.database.all(sql`SELECT count(*) AS n FROM object_permissions`);
  assert.deepEqual(
    names(await create("second", { access: "read_tenant", access_tenant: seed.tenants.acme })),
    [group],
  );
  assert.deepEqual(await app.database.all(sql`SELECT count(*) AS n FROM object_permissions`), [before]);
  assert.equal((await create("third", { access: "everything" })).is_superuser, true);
  assert.equal((await create("fourth", {})).is_superuser, false);
});

Deno.test("a tenant with the former name and slug of another one has a group and rights of its own", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const first = await userWith(app, { access: "read_tenant", ...ACME });
  const tenants = "/api/tenancy/tenants/";
  await call(client, `${tenants}${seed.tenants.acme}/`, "PATCH", { name: "Acme Group", slug: "acme-group" });
  const { id } = await call(client, tenants, "POST", { name: "Acme Corp", slug: "acme" });
  const second = await call(client, USERS, "POST", {
    username: "second",
    password: PASSWORD,
    access: "read_tenant",
    access_tenant: id,
  });
  assert.deepEqual(second.groups.map(({ name }: { name: string }) => name), [`Acme Corp (${id}): read only`]);
  assert.equal((await first.get(`/tenants/${seed.tenants.acme}/`)).status, 200);
  assert.equal((await first.get(`/tenants/${id}/`)).status, 404);
  const other = await browserOf(app, { username: "second", grants: [] });
  assert.equal((await other.get(`/tenants/${id}/`)).status, 200);
  assert.equal((await other.get(`/certificates/${seed.certificates.acmeWeb}/`)).status, 404);
});

Deno.test("an access without its tenant, a tenant without access, and an unknown access are refused", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const faults = [
    [{ access: "read_tenant" }, "access_tenant"],
    [{ access: "read_tenant", access_tenant: 999_999 }, "access_tenant"],
    [{ access_tenant: seed.tenants.acme }, "access"],
    [{ access: "all" }, "access"],
  ] as const;
  for (const [given, field] of faults) {
    const response = await client(USERS, {
      method: "POST",
      body: { username: "x", password: PASSWORD, ...given },
    });
    assert.equal(response.status, 400, JSON.stringify(given));
    assert.deepEqual(Object.keys(await response.json()), [field], JSON.stringify(given));
  }
});

Deno.test("who may add users but no groups or permissions cannot give access", async () => {
  await using app = await testApp();
  const grants = [{ types: ["users.user"], actions: ["view", "add"] }, {
    types: ["tenancy.tenant"],
    actions: ["view"],
  }];
  const client = await app.as({ username: "clerk", grants });
  for (const given of [...KINDS, { access: "everything" }]) {
    const response = await client(USERS, {
      method: "POST",
      body: { username: "x", password: PASSWORD, ...given },
    });
    assert.equal(response.status, 403, given.access);
  }
  assert.deepEqual(await app.database.all(sql`SELECT 1 FROM users WHERE username = 'x'`), []);
  assert.deepEqual(await app.database.all(sql`SELECT 1 FROM groups WHERE name LIKE 'Acme%'`), []);
});

Deno.test("the form of a user shows the permissions of the access that it will have", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const shown = async (fields: Record<string, string>): Promise<string> => {
    const { html } = await browser.post("/users/new/", { username: "x", ...fields, pick: "refresh" });
    return textOf(/<div id="access-rights".*?<noscript>/s.exec(html)?.[0] ?? "");
  };
  assert.match(await shown({}), /No permissions/);
  assert.match(await shown({ access: "everything" }), /A superuser has all permissions/);
  assert.match(await shown({ access: "read_tenant" }), /Choose the tenant/);
  const acme = { access: "manage_tenant", access_tenant: String(seed.tenants.acme) };
  const before = await shown(acme);
  assert.match(
    before,
    /Acme Corp \(1\): manage.*Signing requests, certificates,.*add, change, delete, import, renew.*Tenant: Acme Corp/,
  );
  const fields = { username: "jo", password: PASSWORD, is_active: "true", ...acme };
  const { location } = await browser.post("/users/new/", fields);
  const after = textOf((await browser.get(location)).html);
  for (const [name = ""] of before.matchAll(/Acme Corp \(1\): manage \([\w ]+\)/g)) {
    assert.ok(after.includes(name), name);
  }
});
