/**
 * Effects of deletions on other objects are listed in advance, counted as far as the caller may view them, and
 * recorded.
 */

import assert from "node:assert/strict";
import { getTableName, sql } from "drizzle-orm";
import { resources } from "../../src/domain/registry.ts";
import { countDependents, dependentsOf } from "../../src/resource/mod.ts";
import { type As, auditor, granted, readerOf } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { sampleOf } from "../support/samples.ts";
import { seed, seededDatabase } from "../support/seed.ts";
import { changesSince, lastChange, selectEveryEvent } from "../support/store.ts";
import { type Answer, browserOf, textOf } from "../web/imports/browser.ts";

/** Tables without a resource, with parts of an object or internal data about it. */
const PARTS = new Set([
  "archived_certificates",
  "certificate_texts",
  "certificate_issuer_chains",
  "certificate_sans",
  "certificate_findings",
  "compliance_failures",
  "compliance_policy_scores",
  "contact_group_members",
  "expiry_notices_passed",
  "notices",
  "notice_responses",
  "sessions",
  "user_preferences",
  "user_identities",
  "authenticator_apps",
  "code_failures",
  "passkeys",
  "recovery_codes",
  "import_previews",
  "import_preview_rows",
  "user_groups",
  "object_permission_users",
  "object_permission_groups",
  "tagged_items",
]);

Deno.test("every foreign key that deletes or clears rows of a resource is announced", async () => {
  await using database = await seededDatabase();
  for (const owner of resources) {
    const table = getTableName(owner.table);
    const keys = await database.all<{ target: string; own: string; action: string }>(
      sql`SELECT "table" AS target, "from" AS own, on_delete AS action FROM pragma_foreign_key_list(${table})`,
    );
    for (const { target, own, action } of keys) {
      const targets = resources.filter((one) => getTableName(one.table) === target);
      if (targets.length === 0 || action === "NO ACTION") continue;
      const effects = targets.flatMap(dependentsOf).filter((one) => one.resource === owner).map((one) =>
        one.effect
      );
      const effect = { "CASCADE": "delete", "SET NULL": "clear", "RESTRICT": "restrict" }[action] as "delete";
      assert(effects.includes(effect), `${table}.${own} → ${target} ${action}`);
    }
  }
});

Deno.test("every other table whose rows are deleted with rows of a resource belongs to it", async () => {
  await using database = await seededDatabase();
  const own = new Set(resources.map((one) => getTableName(one.table)));
  const rows = await database.all<{ name: string; target: string }>(
    sql`SELECT DISTINCT tables.name AS name, keys."table" AS target FROM sqlite_schema AS tables
        JOIN pragma_foreign_key_list(tables.name) AS keys
        WHERE tables.type = 'table' AND keys.on_delete = 'CASCADE' ORDER BY 1`,
  );
  const unknown = rows.filter(({ name, target }) => own.has(target) && !own.has(name) && !PARTS.has(name));
  // Messages that were not sent yet are deleted with their change, which cannot be deleted.
  assert.deepEqual(unknown.map(({ name }) => name), ["outbox"]);
});

/** Returns the effects that OPTIONS lists for a certificate, as `type.field effect count`. */
async function announced(as: As): Promise<string[]> {
  await using app = await testApp();
  const client = await app.as(as);
  const path = `/api/plugins/certmgr/certificates/${seed.certificates.acmeWeb}/`;
  const { on_delete } = await (await client(path, { method: "OPTIONS" })).json();
  return on_delete?.map((one: Record<string, unknown>) =>
    `${one.object_type}.${one.field} ${one.effect} ${one.count}`
  );
}

const DELETE = { types: ["certmgr.certificate"], actions: ["delete"] };
const ASSIGNMENT = "certmgr.certificateassignment";

Deno.test("OPTIONS of an object lists the effects of its deletion on objects that the caller may view", async () => {
  assert.deepEqual(await announced("superuser"), [
    "certmgr.certificate.replaced_by clear 1",
    `${ASSIGNMENT}.certificate delete 1`,
    "tenancy.contactassignment.object delete 1",
    "certmgr.compliancecheck.certificate delete 1",
    "certmgr.observation.certificate clear 1",
    "certmgr.certificatesigningrequest.resulting_certificate clear 1",
  ]);
  assert.deepEqual(await announced(granted([DELETE])), []);
  assert.deepEqual(
    await announced(granted([DELETE, { types: [ASSIGNMENT], actions: ["view"] }])),
    [`${ASSIGNMENT}.certificate delete 1`],
  );
  const others = { types: [ASSIGNMENT], actions: ["view"], constraints: { id: seed.assignments.globex } };
  assert.deepEqual(await announced(granted([DELETE, others])), []);
  // A caller who may not delete sees no effects.
  assert.equal(await announced(readerOf("acme")), undefined);
});

Deno.test("counting takes one statement, whatever refers to the resource", async () => {
  await using app = await testApp();
  for (const resource of resources) {
    const before = app.database.statements;
    await countDependents(app.ctx, resource, [sampleOf(resource).seen]);
    assert(app.database.statements - before <= 1, resource.objectType);
  }
});

Deno.test("a certificate's assignments are recorded and announced as deleted, by the same request", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const path = `/api/plugins/certmgr/certificates/${seed.certificates.acmeWeb}/`;
  await selectEveryEvent(app.database);
  const since = await lastChange(app.database);
  const response = await client(path, { method: "DELETE" });
  assert.equal(response.status, 204);
  const { changes, events } = await changesSince(app.database, since);
  const deleted = [
    `delete certmgr.certificateassignment ${seed.assignments.acme}`,
    `delete certmgr.certificate ${seed.certificates.acmeWeb}`,
  ];
  for (const all of [changes, events]) {
    const list = all.filter((one) => one.object_type !== "tenancy.contactassignment");
    const lines = list.map((one) => `${one.action} ${one.object_type} ${one.object_id}`);
    assert.deepEqual(lines.filter((line) => line.startsWith("delete")), deleted);
    assert.deepEqual([...new Set(list.map((one) => one.request_id))], [response.headers.get("x-request-id")]);
  }
});

Deno.test("observations of a deleted certificate stay without it, and have no change record", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const path = `/api/plugins/certmgr/observations/${seed.observations.acme}/`;
  const before = await (await client(path)).json();
  const since = await lastChange(app.database);
  const owner = `/api/plugins/certmgr/certificates/${before.certificate.id}/`;
  assert.equal((await client(owner, { method: "DELETE" })).status, 204);
  assert.deepEqual(await (await client(path)).json(), { ...before, certificate: null });
  const { changes } = await changesSince(app.database, since);
  assert(!changes.some((one) => one.object_type === "certmgr.observation"));
});

Deno.test("the pages that confirm a deletion name what is deleted with it", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const path = `/certificates/${seed.certificates.acmeWeb}/delete/`;
  assert.match(
    textOf((await browser.get(path)).html),
    /Also deleted: 1 assignment 1 contact assignment 1 check/,
  );
  const chosen = await browser.post("/certificates/delete/", { ids: [String(seed.certificates.acmeWeb)] });
  assert.match(textOf(chosen.html), /Also deleted: 1 assignment 1 contact assignment 1 check/);
  const two = await browser.post("/certificates/delete/", {
    ids: [seed.certificates.acmeWeb, seed.certificates.shared].map(String),
  });
  const both = `certificate_id=${seed.certificates.acmeWeb}&amp;certificate_id=${seed.certificates.shared}`;
  assert.ok(two.html.includes(`href="/assignments/?${both}`), two.html);
  const tag = textOf((await browser.get(`/tags/${seed.tags.prod}/delete/`)).html);
  assert.match(tag, /Also changed: .*\d certificates lose this tag/);
  const authority = textOf((await browser.get(`/authorities/${seed.authorities.internal}/delete/`)).html);
  assert.match(authority, /certificates? loses? (?:its|their) authority/);
  const idle = textOf((await browser.get(`/groups/${seed.groups.idle}/delete/`)).html);
  assert.doesNotMatch(idle, /Also deleted|Also changed|not counted/);
});

Deno.test("the page that confirms the deletion of a certificate names where it is assigned and served, and archives it instead", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const path = `/certificates/${seed.certificates.acmeWeb}/`;
  const asked = textOf((await browser.get(`${path}delete/`)).html);
  assert.match(asked, /Still assigned to \S.*Archive instead/);
  const viewer = await browserOf(app, auditor());
  const form = { ids: String(seed.certificates.acmeWeb), back: path };
  assert.equal((await viewer.post("/certificates/archive/", form)).status, 403);
  const done = await browser.post("/certificates/archive/", form);
  assert.deepEqual([done.status, done.location], [303, path]);
  const [row] = await app.database.all<{ archived: number }>(
    sql`SELECT archived FROM certificates WHERE id = ${seed.certificates.acmeWeb}`,
  );
  assert.equal(row?.archived, 1);
  assert.doesNotMatch(textOf((await browser.get(`${path}delete/`)).html), /Archive instead/);
});

Deno.test("the page that confirms the deletion of several certificates names where they are assigned and served, and archives all or none", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const ids = [seed.certificates.acmeWeb, seed.certificates.shared];
  const page = (by = browser): Promise<Answer> => by.post("/certificates/delete/", { ids: ids.map(String) });
  const asked = await page();
  assert.match(textOf(asked.html), /Still assigned to \S.*\(\d of the certificates\)\. .*Archive instead/);
  const limited = await browserOf(
    app,
    granted([
      { types: ["certmgr.certificate"], actions: ["view", "delete"] },
      { types: ["certmgr.certificate"], actions: ["change"], constraints: { id: ids[0] } },
    ], { username: "limited" }),
  );
  assert.doesNotMatch(textOf((await page(limited)).html), /Archive instead|Still (?:assigned|served)/);
  const archived = async (): Promise<number | undefined> => {
    const [row] = await app.database.all<{ n: number }>(
      sql`SELECT count(*) AS n FROM certificates WHERE archived = 1 AND id IN (${ids[0]}, ${ids[1]})`,
    );
    return row?.n;
  };
  const missing = await browser.post("/certificates/archive/", { ids: `${ids[0]},999999` });
  assert.deepEqual([missing.status, await archived()], [303, 0]);
  const back = "/certificates/?limit=20";
  const done = await browser.post("/certificates/archive/", { ids: ids.join(","), back });
  assert.deepEqual([done.status, done.location, await archived()], [303, back, 2]);
});
