/** Permissions in words, and what pages say about missing ones. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { seedGrant } from "../support/accounts.ts";
import { testApp } from "../support/app.ts";
import { browserOf } from "./imports/browser.ts";

/** Returns the text of a part of a page. */
function textOf(html: string): string {
  return html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ").replaceAll(/ (?=[.,:])/g, "").replaceAll(
    "&quot;",
    '"',
  );
}

Deno.test("the list of permissions says who may do what, with which objects", async () => {
  await using app = await testApp();
  await app.database.write((tx) => tx.run(sql`DELETE FROM object_permissions`));
  const [user] = await app.database.all<{ id: number; username: string }>(
    sql`SELECT id, username FROM users`,
  );
  const grant = (types: string[], actions: string[], more: Record<string, unknown> = {}): Promise<unknown> =>
    seedGrant(app.ctx, { types, actions, ...more });
  await grant(["certmgr.certificate", "dcim.device"], ["view", "change", "bulk_operations"], {
    users: [user?.id as number],
    constraints: { tenant__slug: "acme" },
  });
  const five = [
    "dcim.site",
    "dcim.device",
    "extras.tag",
    "tenancy.tenant",
    "tenancy.contact",
    "ipam.service",
  ];
  await grant(five, ["view"]);
  const { html } = await (await browserOf(app)).get("/permissions/");
  const [second = "", first = ""] = [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].slice(1).map(([row]) =>
    textOf(row)
  );
  assert.match(
    first,
    new RegExp(`${user?.username}.*Certificates and devices: view, change and change several`),
  );
  assert.match(first, /Tenant slug: acme/);
  assert.match(second, /nobody.*Tenants, contacts, devices, services and 2 more types: view.*all objects/);
  assert.match(html, new RegExp(`<a href="/users/${user?.id}/"`));
  const browser = await browserOf(app);
  assert.match(
    textOf((await browser.get(`/users/${user?.id}/`)).html),
    /Effective permissions .* Certificates and devices ?: view, change and change several at once Tenant slug: acme/,
  );
  const ids = await app.database.all<{ id: number }>(sql`SELECT id FROM object_permissions ORDER BY id`);
  const pages = await Promise.all(
    ids.map(async ({ id }) => textOf((await browser.get(`/permissions/${id}/`)).html)),
  );
  assert.match(
    pages[0] ?? "",
    new RegExp(`Who ${user?.username} May Certificates and devices: view, .* Only where Tenant slug: acme `),
  );
  assert.match(pages[1] ?? "", /Who nobody May Tenants.*: view Only where all objects /);
  const form = textOf((await browser.get("/permissions/new/")).html);
  assert.match(form, /Change several at once .*Manage checks/);
  assert.doesNotMatch(form, /bulk operations|Manage compliance/i);
});

Deno.test("a page that may not be opened says what is missing, who can grant it, and leads back", async () => {
  await using app = await testApp();
  const grants = [{ types: ["extras.tag"], actions: ["view"] }];
  const plain = await browserOf(app, { username: "plain-one", grants });
  const refused = await plain.get("/tags/new/");
  assert.equal(refused.status, 403);
  assert.match(
    textOf(refused.html),
    /You may not add tags\. You need the permission "add" on tags\. An administrator can grant it\./,
  );
  assert.match(refused.html, /<a href="\/tags\/">All tags<\/a>/);
  assert.match(
    textOf((await plain.get("/compliance/")).html),
    /You may not view checks\. You need the permission "view" on checks\. An administrator can grant it\./,
  );
});
