/**
 * Effects of deletions on other objects are listed in advance, counted as far as the caller may view them, and
 * recorded.
 */

import assert from "node:assert/strict";
import { getTableName, sql } from "drizzle-orm";
import { resourceOf, resources } from "../../src/domain/registry.ts";
import { countDependents, dependentsOf, type Resource } from "../../src/resource/mod.ts";
import { type As, granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { contextOf } from "../support/context.ts";
import { sampleOf } from "../support/samples.ts";
import { seed, seededDatabase } from "../support/seed.ts";
import { changesSince, lastChange, selectEveryEvent } from "../support/store.ts";
import { browserOf, textOf } from "../web/imports/browser.ts";

/** Tables without a resource, with parts of an object or internal data about it. */
const PARTS = new Set([
  "archived_certificates",
  "certificate_texts",
  "certificate_issuer_chains",
  "certificate_sans",
  "certificate_findings",
  "contact_group_members",
  "expiry_notices_passed",
  "revocation_list_parts",
  "incident_certificates",
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

/** Returns the effects of deleting a certificate, as `type.field effect count`. */
async function announced(as: As): Promise<string[]> {
  await using app = await testApp();
  await app.as(as);
  const rows = await app.database.all<{ id: number }>(sql`SELECT max(id) AS id FROM users`);
  const ctx = as === "superuser" ? app.ctx : await contextOf(app.ctx, rows[0]?.id ?? 0);
  const effects = await countDependents(ctx, resourceOf("certmgr.certificate") as Resource, [
    seed.certificates.acmeWeb,
  ]);
  return effects.map(({ resource, field, effect, count }) =>
    `${resource.objectType}.${field} ${effect} ${count}`
  ).sort();
}

const DELETE = { types: ["certmgr.certificate"], actions: ["delete"] };
const ASSIGNMENT = "certmgr.certificateassignment";

Deno.test("the effects of a deletion are counted on objects that the caller may view", async () => {
  assert.deepEqual(
    await announced("superuser"),
    [
      "certmgr.certificate.replaced_by clear 1",
      `${ASSIGNMENT}.certificate delete 1`,
      "tenancy.contactassignment.object delete 1",
      "certmgr.compliancecheck.certificate delete 1",
      "certmgr.observation.certificate clear 1",
      "certmgr.revocationcheck.certificate delete 1",
      "certmgr.certificatesigningrequest.resulting_certificate clear 1",
    ].sort(),
  );
  assert.deepEqual(await announced(granted([DELETE])), []);
  assert.deepEqual(
    await announced(granted([DELETE, { types: [ASSIGNMENT], actions: ["view"] }])),
    [`${ASSIGNMENT}.certificate delete 1`],
  );
  const others = { types: [ASSIGNMENT], actions: ["view"], constraints: { id: seed.assignments.globex } };
  assert.deepEqual(await announced(granted([DELETE, others])), []);
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
    /Also deleted: (?=.*1 assignment)(?=.*1 contact assignment)(?=.*1 check)/,
  );
  const chosen = await browser.post("/certificates/delete/", { ids: [String(seed.certificates.acmeWeb)] });
  assert.match(
    textOf(chosen.html),
    /Also deleted: (?=.*1 assignment)(?=.*1 contact assignment)(?=.*1 check)/,
  );
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
