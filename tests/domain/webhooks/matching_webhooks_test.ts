/** The webhooks that are notified of an event. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { insertRows } from "../../../src/db/mod.ts";
import { webhooks } from "../../../src/db/schema/mod.ts";
import { resources } from "../../../src/domain/registry.ts";
import {
  enabledWebhooks,
  matchingWebhooks,
  WEBHOOK_EVENTS,
  webhookSubjects,
} from "../../../src/domain/webhooks/mod.ts";
import { deleteObject, type Resource, updateObject } from "../../../src/resource/mod.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { seed } from "../../support/seed.ts";
import { type Conditions, createWebhooks, matches, newest, selected } from "./support.ts";

const CERTIFICATE = "certmgr.certificate";
const subjectOf = (objectType: string): Resource =>
  webhookSubjects().find((one) => one.objectType === objectType) as Resource;
const certificates = subjectOf(CERTIFICATE);

/** Returns the conditions that select the newest event of an object. */
async function select(
  app: TestApp,
  { objectId, conditions }: { objectId: number; conditions: readonly Conditions[] },
): Promise<boolean[]> {
  const found = await matches(app, certificates, conditions);
  return found.map((ids) => ids.includes(objectId));
}

Deno.test("conditions are joined by AND, OR and NOT as filters are", async () => {
  await using app = await testApp();
  const conditions: Conditions[] = [
    { status: "active", tenant__slug: "acme", NOT: { tag: "pci" } },
    { OR: [{ san__ie: "IP:192.0.2.1" }, { tenant__isnull: true }], key_size__gte: 2048 },
    { NOT: [{ tenant__slug: ["acme", "globex"] }, { tag: "staging" }] },
    { AND: [{ tag: ["prod", "staging"] }, { OR: [{ q: "BÜCHER" }, { q: "www" }] }] },
    {},
    null,
  ];
  const expected = await selected(app, certificates, conditions);
  assert.deepEqual(await matches(app, certificates, conditions), expected);
  assert.equal(new Set(expected.map(String)).size, conditions.length - 1, "Conditions that tell rows apart");
});

Deno.test("conditions are evaluated for the object as it was at the time of the event, not as it is now", async () => {
  await using app = await testApp();
  const { ctx } = app;
  const id = seed.certificates.acmeCritical;
  const conditions = [
    { tag: "prod" },
    { tag__n: "prod" },
    { san: "api-2.acme" },
    { san__n: "api.acme.example" },
    { status: "active", key_size: 2048 },
    { tenant__name: "Acme Corp" },
    { tenant__isnull: true },
    { last_updated__lt: "2026-06-15" },
  ];
  const { occurrences } = await newest(app, certificates);
  const before = await select(app, { objectId: id, conditions });
  assert.deepEqual(before, [true, false, true, false, true, true, false, true]);
  const input = { tags: [], sans: [], status: "revoked", key_size: 4096, tenant: null };
  await updateObject({ ctx, resource: certificates, id, input, mode: "patch" });
  assert.deepEqual(
    await select(app, { objectId: id, conditions }),
    [false, true, false, true, false, false, true, false],
    "The newest event tells of what is now",
  );
  const place = occurrences.findIndex(({ postchange }) => postchange?.id === id);
  const stored = await enabledWebhooks(app.database);
  const matching = await matchingWebhooks({ ctx, reader: app.database, stored }, occurrences);
  assert.deepEqual(matching[place], conditions.flatMap((_, index) => before[index] ? [index + 1] : []));
});

Deno.test("conditions of a deletion are evaluated for the object before it", async () => {
  await using app = await testApp();
  const { ctx } = app;
  const id = seed.certificates.acmeWeb;
  const assignments = subjectOf("certmgr.certificateassignment");
  await deleteObject({ ctx, resource: certificates, id });
  const conditions = [{ tag: "pci" }, { san: "acme" }, { tenant__slug: "acme" }, { tag: "staging" }, {
    id__n: id,
  }];
  assert.deepEqual(await select(app, { objectId: id, conditions }), [true, true, true, false, false]);
  const gone = seed.assignments.acme;
  const targets = [{ device: "edge-1" }, { device_id: 1 }, { device: "edge-2" }, { service_id: 1 }, {
    is_primary: true,
  }];
  const found = await matches(app, assignments, targets);
  assert.deepEqual(found.map((ids) => ids.includes(gone)), [true, true, false, false, true]);
});

Deno.test("only webhooks that are enabled and select type and event are notified, each once", async () => {
  await using app = await testApp();
  const { ctx, database } = app;
  const rows = [
    {
      name: "all",
      object_types: [CERTIFICATE, "certmgr.certificateassignment"],
      events: [...WEBHOOK_EVENTS],
    },
    { name: "off", object_types: [CERTIFICATE], events: ["created"], enabled: 0 },
    { name: "deletions", object_types: [CERTIFICATE], events: ["deleted"] },
    { name: "others", object_types: ["certmgr.certificatesigningrequest"], events: ["created"] },
    { name: "picky", object_types: [CERTIFICATE], events: ["created"], conditions: '{"status":"active"}' },
    { name: "outdated", object_types: [CERTIFICATE], events: ["created"], conditions: '{"gone":1}' },
  ].map(({ object_types, events, ...rest }, index) => ({
    id: index + 1,
    object_types: JSON.stringify(object_types),
    events: JSON.stringify(events),
    payload_url: "https://hooks.example/",
    enabled: 1,
    conditions: null,
    created: 0,
    last_updated: 0,
    ...rest,
  }));
  await database.write(async (tx) => {
    await tx.run(sql`DELETE FROM webhooks`);
    await tx.run(insertRows(webhooks, rows.map((row) => ({ ...row }))));
  });
  const warnings: unknown[] = [];
  const log = { log: (...line: unknown[]): void => void warnings.push(line) };
  const stored = await enabledWebhooks(database);
  const matching = await matchingWebhooks({ ctx: { ...ctx, log }, reader: database, stored }, [
    { id: 1, objectType: CERTIFICATE, event: "created", prechange: null, postchange: { status: "active" } },
    { id: 2, objectType: CERTIFICATE, event: "created", prechange: null, postchange: { status: "revoked" } },
    { id: 3, objectType: CERTIFICATE, event: "deleted", prechange: { status: "active" }, postchange: null },
    { id: 4, objectType: "certmgr.certificateassignment", event: "updated", prechange: {}, postchange: {} },
    { id: 5, objectType: "tenancy.tenant", event: "created", prechange: null, postchange: {} },
    { id: 6, objectType: CERTIFICATE, event: "something new", prechange: null, postchange: {} },
  ]);
  assert.deepEqual(matching, [[1, 5], [1], [1, 3], [1], [], []]);
  assert.match(JSON.stringify(warnings), /"webhook":6,"faults":\["“gone”: Unknown filter/);
});

Deno.test("the number of statements depends on the webhooks, not on the events", async () => {
  await using app = await testApp();
  const { ctx, database } = app;
  const conditions = Array.from(
    { length: 45 },
    (_, index) => ({ tenant__name__ic: `x${index}`, tag: "prod" }),
  );
  await createWebhooks(app, certificates, conditions);
  const { occurrences } = await newest(app, certificates);
  const stored = await enabledWebhooks(database);
  const counts: number[] = [];
  for (const times of [1, 50]) {
    const before = database.statements;
    await matchingWebhooks({ ctx, reader: database, stored }, Array(times).fill(occurrences).flat());
    counts.push(database.statements - before);
  }
  // For their conditions, twenty at a time.
  assert.deepEqual(counts, [3, 3]);
  const before = database.statements;
  assert.deepEqual(await matchingWebhooks({ ctx, reader: database, stored }, []), []);
  assert.equal(database.statements, before);
});

Deno.test("webhooks may select every type of object that callers create, and audit events", () => {
  const subjects = resources.filter(({ methods, objectType }) =>
    methods.collection.includes("POST") || objectType === "core.auditevent"
  );
  const typesOf = (given: readonly Resource[]): string[] => given.map(({ objectType }) => objectType).sort();
  assert.deepEqual(typesOf(webhookSubjects()), typesOf(subjects));
});
