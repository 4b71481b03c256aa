/** Conditions of webhooks mean what the filters of the lists mean, though they are judged on snapshots. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { insertRows, type Row } from "../../../src/db/mod.ts";
import { webhooks } from "../../../src/db/schema/mod.ts";
import {
  matchingWebhooks,
  type Occurrence,
  WEBHOOK_EVENTS,
  WEBHOOK_SUBJECTS,
} from "../../../src/features/webhooks/mod.ts";
import { compileLookup, filterNames, type FilterType, parseFiltersObject } from "../../../src/lookup/mod.ts";
import { deleteObject, fieldMap, type Resource, updateObject } from "../../../src/resource/mod.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { storeCertificates } from "../../support/stored.ts";
import { seed } from "../../support/seed.ts";

type Conditions = Record<string, unknown> | null;

/** Pieces of seeded texts, whole ones, other cases, what is special to SQL, and what is nowhere. */
const TEXTS = [
  "acme",
  "Acme Corp",
  "ACME CORP",
  "www.acme.example",
  "prod",
  "O=",
  ".Example",
  "BÜCHER",
  "bücher",
  "%",
  "_",
  "50%_off \\",
  "*",
  "nowhere",
];

const VALUES: Readonly<Record<Exclude<FilterType, "choice" | "regex">, readonly unknown[]>> = {
  string: TEXTS,
  hex: ["01:00:02", "1", "ab", "AA:aa", "ff"],
  integer: [1, 2, 3, 256, 2048, [1, 2], -5],
  boolean: [true, false],
  datetime: ["2026-06-15", "2026-06-15T12:00:00Z", "2026-12-31T23:59:59Z", "2026-06-14T12:00:09Z"],
};

/** Fields that the change log does not keep: nothing can be said of them afterwards. */
const UNKNOWN = /^chain_validated_at/;

/** A condition for each parameter of a list and for each value that it may have. */
function everyCondition(resource: Resource): Conditions[] {
  const names = [...filterNames(fieldMap(resource), { depth: 1, long: true })];
  return names.filter(({ type, name }) => type !== "regex" && !UNKNOWN.test(name)).flatMap(
    ({ name, type, choices }) => {
      const values = type === "choice" ? choices ?? [] : VALUES[type as keyof typeof VALUES];
      const nulls = parses(resource, { [name]: null }) ? [null] : [];
      return [...values, ...nulls].map((value) => ({ [name]: value })).filter((one) => parses(resource, one));
    },
  );
}

function parses(resource: Resource, conditions: Conditions): boolean {
  return Object.keys(parseFiltersObject(conditions, fieldMap(resource)).errors).length === 0;
}

/** Makes a webhook for each of the conditions; gives their ids. */
async function listeners(
  { database }: TestApp,
  resource: Resource,
  conditions: readonly Conditions[],
): Promise<number[]> {
  await database.write(async (tx) => {
    await tx.run(sql`DELETE FROM webhooks`);
    const rows = conditions.map((one, index) => ({
      id: index + 1,
      name: `Webhook ${index}`,
      object_types: JSON.stringify([resource.objectType]),
      events: JSON.stringify(WEBHOOK_EVENTS),
      payload_url: "https://hooks.example/",
      conditions: one === null ? null : JSON.stringify(one),
      created: 0,
      last_updated: 0,
    }));
    await tx.run(insertRows(webhooks, rows));
  });
  return conditions.map((_, index) => index + 1);
}

/** The newest change of each object of a resource, as an event, and the ids of the objects. */
async function newest(
  { database }: TestApp,
  { objectType }: Resource,
): Promise<{ ids: number[]; occurrences: Occurrence[] }> {
  const rows = await database.all<Row>(
    sql`SELECT action, object_id, prechange, postchange FROM object_changes
      WHERE id IN (SELECT max(id) FROM object_changes WHERE object_type = ${objectType} GROUP BY object_id)
      ORDER BY object_id`,
  );
  const occurrences = rows.map(({ action, prechange, postchange }) => ({
    objectType,
    event: `${action}d`,
    prechange: JSON.parse(String(prechange ?? null)),
    postchange: JSON.parse(String(postchange ?? null)),
  }));
  return { ids: rows.map((row) => row.object_id as number), occurrences };
}

/** What the list's own filters select, for each of the conditions. */
async function selected(
  { ctx, database }: TestApp,
  resource: Resource,
  conditions: readonly Conditions[],
): Promise<number[][]> {
  const map = fieldMap(resource);
  const { criticalDays, warningDays } = ctx.settings;
  const context = {
    alias: map.table,
    now: ctx.clock.now(),
    userId: null,
    thresholds: { criticalDays, warningDays },
  };
  const queries = conditions.map((one) =>
    sql`SELECT id FROM ${resource.table} WHERE ${
      compileLookup(parseFiltersObject(one, map).lookup, map, context)
    } ORDER BY id`
  );
  const results = await database.batch(queries);
  return results.map((rows) => rows.map((row) => row.id as number));
}

/** What the conditions select of the snapshots. */
async function judged(
  app: TestApp,
  resource: Resource,
  conditions: readonly Conditions[],
): Promise<number[][]> {
  const webhookIds = await listeners(app, resource, conditions);
  const { ids, occurrences } = await newest(app, resource);
  const matching = await matchingWebhooks({ ctx: app.ctx, reader: app.database }, occurrences);
  const selected = new Map<number, number[]>(webhookIds.map((id) => [id, []]));
  for (const [place, wanted] of matching.entries()) {
    for (const id of wanted) selected.get(id)?.push(ids[place] as number);
  }
  return [...selected.values()];
}

for (const resource of WEBHOOK_SUBJECTS) {
  Deno.test(`every filter of ${resource.labelPlural} selects the same of their snapshots as of the list`, async () => {
    await using app = await testApp();
    const conditions = everyCondition(resource);
    const wanted = await selected(app, resource, conditions);
    const found = await judged(app, resource, conditions);
    const differing = conditions.flatMap((one, index) =>
      JSON.stringify(found[index]) === JSON.stringify(wanted[index])
        ? []
        : [`${JSON.stringify(one)}: ${found[index]}, want ${wanted[index]}`]
    );
    assert.deepEqual(differing, []);
    const rows = (await app.database.all(sql`SELECT id FROM ${resource.table}`)).length;
    const telling = wanted.filter((ids) => ids.length > 0 && ids.length < rows).length;
    assert(telling > 100, `Only ${telling} of ${conditions.length} conditions tell rows apart`);
  });
}
