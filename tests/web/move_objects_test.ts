/** The objects of a tenant move to another tenant together: all of them or none, within the user's permissions. */

import assert from "node:assert/strict";
import { getTableName, sql } from "drizzle-orm";
import { MAX_BULK_OBJECTS } from "../../src/base/limits.ts";
import { tenants } from "../../src/domain/inventory/mod.ts";
import { createObjects, referrersOf } from "../../src/resource/mod.ts";
import { certificates } from "../../src/domain/certificates/mod.ts";
import { granted } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { seed } from "../support/seed.ts";
import { metadata } from "../support/stored.ts";
import { type Answer, type Browser, browserOf } from "./imports/browser.ts";

const { acme, globex } = seed.tenants;
const PAGE = `/tenants/${acme}/move-objects/`;
const KINDS = referrersOf(tenants).filter(({ onDelete }) => onDelete === "restrict");
const VIEW_TENANTS = { types: ["tenancy.tenant"], actions: ["view"] };
const TYPES = KINDS.map(({ resource }) => resource.objectType);

/** Returns the ids of a tenant's objects by table. */
async function objectsOf({ database }: TestApp, tenant: number): Promise<Record<string, number[]>> {
  const entries = KINDS.map(async ({ resource: { table } }) => {
    const rows = await database.all<{ id: number }>(
      sql`SELECT id FROM ${table} WHERE tenant_id = ${tenant} ORDER BY id`,
    );
    return [getTableName(table), rows.map(({ id }) => id)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

const flashOf = (answer: Answer): string =>
  decodeURIComponent(
    answer.headers.getSetCookie().find((one) => one.startsWith("certmgr_flash="))?.split(";")[0] ?? "",
  );

const move = (browser: Browser, fields: Record<string, string> = {}): Promise<Answer> =>
  browser.post(PAGE, { target: String(globex), ...fields });

Deno.test("all kinds of objects of a tenant move, with change records, and the tenant can then be deleted", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  await app.database.write((tx) =>
    tx.runAll(
      KINDS.map(({ resource: { table } }) => sql`UPDATE ${table} SET tenant_id = ${acme} WHERE id % 2 = 1`),
    )
  );
  const before = await objectsOf(app, acme);
  for (const [table, ids] of Object.entries(before)) assert(ids.length > 0, table);
  assert.match((await browser.get(`/tenants/${acme}/delete/`)).html, new RegExp(`href="${PAGE}"`));
  assert.match((await browser.get(`/tenants/${acme}/`)).html, new RegExp(`href="${PAGE}"`));
  const { html } = await browser.get(PAGE);
  const total = Object.values(before).flat().length;
  assert.match(html, new RegExp(`Move ${total} objects`));
  assert.match(html, new RegExp(`>${before.certificates?.length} certificates<`));
  const held = await objectsOf(app, globex);
  const answer = await move(browser, { changelog_message: "Merged with Globex" });
  assert.equal(answer.location, `/tenants/${acme}/`);
  assert.match(flashOf(answer), new RegExp(`Moved:.*${before.certificates?.length} certificates`));
  for (const ids of Object.values(await objectsOf(app, acme))) assert.deepEqual(ids, []);
  for (const [table, ids] of Object.entries(await objectsOf(app, globex))) {
    assert.deepEqual(ids, [...held[table] ?? [], ...before[table] ?? []].sort((a, b) => a - b), table);
  }
  const changes = await app.database.all<{ request: string; count: number }>(
    sql`SELECT request_id AS request, count(*) AS count FROM object_changes
        WHERE message = 'Merged with Globex' AND action = 'update' GROUP BY 1`,
  );
  assert.deepEqual(changes.map(({ count }) => count), [total]);
  assert.match((await browser.get(PAGE)).html, /Nothing that you may view belongs to this tenant/);
  await browser.post(`/tenants/${acme}/delete/`);
  assert.equal((await browser.get(`/tenants/${acme}/`)).status, 404);
});

Deno.test("an invalid new tenant has its error at the field, and nothing moves", async () => {
  await using app = await testApp();
  const before = await objectsOf(app, acme);
  const chief = await browserOf(app);
  const one = await browserOf(
    app,
    granted([
      { ...VIEW_TENANTS, constraints: { id: acme } },
      { types: TYPES, actions: ["view", "change"] },
    ]),
  );
  const refusals: [Browser, string, RegExp][] = [
    [chief, "", /Choose a tenant/],
    [chief, "9999", /The tenant 9999 does not exist/],
    [one, String(globex), new RegExp(`The tenant ${globex} does not exist`)],
    [chief, String(acme), /Choose another one/],
    [chief, "Nobody", /No tenant is called &quot;Nobody&quot;/],
  ];
  for (const [browser, target, message] of refusals) {
    const { status, html } = await move(browser, { target });
    assert.equal(status, 400, target);
    assert.match(/id="f-target-error"[^>]*>([^<]*)</.exec(html)?.[1] ?? "", message);
  }
  const long = await move(chief, { changelog_message: "x".repeat(201) });
  assert.equal(long.status, 400);
  assert.match(long.html, /id="f-changelog_message-error"/);
  assert.deepEqual(await objectsOf(app, acme), before);
  assert.match((await move(chief, { target: "Globex Corp (#2)" })).location, /^\/tenants\//);
});

Deno.test("one object that the user may not change, before or afterwards, refuses the move of all", async () => {
  await using app = await testApp();
  const before = await objectsOf(app, acme);
  const [first] = before.certificates as number[];
  const others = TYPES.filter((type) => type !== certificates.objectType);
  const user = (username: string, constraints?: Record<string, unknown>): Promise<Browser> =>
    browserOf(
      app,
      granted([
        VIEW_TENANTS,
        { types: TYPES, actions: ["view"] },
        { types: others, actions: ["change"] },
        ...(constraints === undefined
          ? []
          : [{ types: [certificates.objectType], actions: ["change"], constraints }]),
      ], { username }),
    );
  const without = await user("without certificates");
  assert.match((await without.get(PAGE)).html, /You may not change certificates/);
  assert.doesNotMatch((await without.get(PAGE)).html, /name="target"/);
  assert.match(flashOf(await move(without)), /error/);
  const partly = await user("all but one", { id__gt: first });
  assert.match(flashOf(await move(partly)), /you may not change 1 certificate/);
  const within = await user("within the tenant", { tenant_id: acme });
  assert.match(flashOf(await move(within)), /error/);
  assert.deepEqual(await objectsOf(app, acme), before);
  const [{ count } = { count: 0 }] = await app.database.all<{ count: number }>(
    sql`SELECT count(*) AS count FROM object_changes WHERE action = 'update' AND username <> ''
        AND username IN ('without certificates', 'all but one', 'within the tenant')`,
  );
  assert.equal(count, 0);
});

Deno.test("objects that the user may not view stay; a hidden or missing tenant is not found", async () => {
  await using app = await testApp();
  const before = await objectsOf(app, acme);
  const [shown, ...hidden] = before.certificates as [number, ...number[]];
  const browser = await browserOf(
    app,
    granted([
      { ...VIEW_TENANTS, constraints: { id__in: [acme, globex] } },
      { types: [certificates.objectType], actions: ["view", "change"], constraints: { id: shown } },
    ]),
  );
  const { html } = await browser.get(PAGE);
  assert.match(html, />\s*Move 1 object\s*</);
  assert.match(html, /Objects that you may not view stay/);
  assert.match(flashOf(await move(browser)), /Moved: 1 certificate\./);
  assert.deepEqual(await objectsOf(app, acme), { ...before, certificates: hidden });
  const other = await browserOf(
    app,
    granted(
      [{ ...VIEW_TENANTS, constraints: { id: globex } }, { types: TYPES, actions: ["view", "change"] }],
      {
        username: "other",
      },
    ),
  );
  for (const path of [PAGE, "/tenants/9999/move-objects/"]) {
    assert.equal((await other.get(path)).status, 404, path);
    assert.equal((await other.post(path, { target: String(globex) })).status, 404, path);
  }
  assert.deepEqual((await objectsOf(app, acme)).certificates, hidden);
});

Deno.test("a user who may change nothing is not offered the move", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, granted([VIEW_TENANTS, { types: TYPES, actions: ["view"] }]));
  assert.doesNotMatch((await browser.get(`/tenants/${acme}/`)).html, /move-objects/);
});

Deno.test("more objects than a request may change move by repetition", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const count = MAX_BULK_OBJECTS;
  const bodies = Array.from({ length: count }, (_, index) => metadata(index + 1, { tenant: acme }));
  await createObjects({ ctx: app.ctx, resource: certificates, input: bodies });
  const before = await objectsOf(app, acme);
  const total = Object.values(before).flat().length;
  const { html } = await browser.get(PAGE);
  assert.match(html, /Move the first 1,000 objects/);
  const first = await move(browser);
  assert.equal(first.location, `${PAGE}?target=${globex}`);
  assert.match(flashOf(first), new RegExp(`${total - count} objects are left`));
  assert.equal(Object.values(await objectsOf(app, acme)).flat().length, total - count);
  assert.match((await browser.get(first.location)).html, new RegExp(`<option value="${globex}" selected`));
  assert.equal((await move(browser)).location, `/tenants/${acme}/`);
  assert.equal(Object.values(await objectsOf(app, acme)).flat().length, 0);
});
