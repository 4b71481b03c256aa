/** Uniqueness rules of every resource: a change of any one of their columns is checked before it is stored. */

import { textOf } from "../../src/base/findings.ts";
import assert from "node:assert/strict";
import { getTableColumns, getTableName, sql } from "drizzle-orm";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { AppError } from "../../src/base/errors.ts";
import { resources } from "../../src/domain/registry.ts";
import {
  createObject,
  createObjects,
  type Resource,
  type UniqueRule,
  updateObject,
  updateObjects,
} from "../../src/resource/mod.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { collecting, type CollectingDatabase } from "../support/collected_statements.ts";
import { replaceStatistics, STATISTICS } from "../support/query_plans.ts";
import { sampleOf } from "../support/samples.ts";
import { seed, seededDatabase } from "../support/seed.ts";
import { lastChange } from "../support/store.ts";

type Body = Record<string, unknown>;

/**
 * Bodies of two objects that can be stored together, for resources whose samples share a value that a rule compares.
 */
const PAIRS: Readonly<Record<string, (number: number) => Body>> = {
  "certmgr.certificate": (number) => ({ issuer: `CN=Sample CA ${number}` }),
  "certmgr.certificateassignment": (number) => ({
    certificate: [seed.certificates.shared, seed.certificates.twin][number - 1],
    assigned_object_type: ["dcim.device", "virtualization.virtualmachine"][number - 1],
    assigned_object_id: [1, 2][number - 1],
  }),
  "tenancy.contactgroup": (number) => ({ parent: [null, seed.contactGroups.teams][number - 1] }),
  "tenancy.contactassignment": (number) => ({
    object_type: ["certmgr.certificate", "dcim.device"][number - 1],
    object_id: [2, 3][number - 1],
    contact: number,
    role: number,
  }),
  "certmgr.endpoint": (number) => ({
    host: `pair-${number}.example`,
    port: 8442 + number,
    server_name: `name-${number}.example`,
    protocol: ["tls", "smtp"][number - 1],
  }),
  "certmgr.subscription": (number) => ({ user: number }),
  "dcim.location": (number) => ({ site: [1, 2][number - 1] }),
  "dcim.devicetype": (number) => ({ manufacturer: [1, 2][number - 1] }),
  "dcim.device": (number) => ({ tenant: [null, seed.tenants.acme][number - 1] }),
  "virtualization.virtualmachine": (number) => ({ tenant: [null, seed.tenants.acme][number - 1] }),
};

/** Returns the field of a column. */
function requireField(resource: Resource, column: string): string {
  const field = Object.values(resource.fields).find((one) => {
    try {
      return one.columns !== undefined && column in one.columns("00");
    } catch {
      return false;
    }
  });
  assert(field !== undefined, `No field of ${resource.objectType} fills ${column}`);
  return field.name;
}

/** Creates two objects that differ only in `column` among the columns of the rule, and returns the second one's id. */
async function twins(
  { ctx }: TestApp,
  resource: Resource,
  { rule, column }: { rule: UniqueRule; column: string },
): Promise<{ id: number; change: Body }> {
  const { create } = sampleOf(resource);
  assert(create !== undefined);
  const pair = PAIRS[resource.objectType] ?? ((): Body => ({}));
  const [first, second] = [1, 2].map((number): Body => ({ ...create(number), ...pair(number) })) as [
    Body,
    Body,
  ];
  for (const other of rule.columns.filter((one) => one !== column)) {
    const name = requireField(resource, other);
    second[name] = first[name];
  }
  const name = requireField(resource, column);
  assert.notDeepEqual(first[name], second[name], `PAIRS needs ${name} of ${resource.objectType}`);
  const [, made] = resource.written?.oneByOne
    ? [
      await createObject({ ctx, resource, input: first }),
      await createObject({ ctx, resource, input: second }),
    ]
    : await createObjects({ ctx, resource, input: [first, second] });
  return { id: made?.id as number, change: { [name]: first[name] } };
}

/** Columns that cannot change after creation, so that a change is refused for this reason as well. */
const FIXED = new Set(["extras.customfield name"]);

for (const resource of resources) {
  for (const rule of resource.unique) {
    for (const column of rule.columns.filter((one) => !FIXED.has(`${resource.objectType} ${one}`))) {
      const what = `${resource.objectType}: ${column} of (${rule.columns.join(", ")})`;
      Deno.test(`a change of only ${what} into an existing key is refused and stores nothing`, async () => {
        await using app = await testApp();
        const { ctx } = app;
        const { id, change } = await twins(app, resource, { rule, column });
        const since = await lastChange(app.database);
        const expected = { [rule.field]: [textOf(rule.finding)] };
        const refusal = (errors: unknown) => (error: unknown): true => {
          assert(error instanceof AppError, String(error));
          assert.deepEqual([error.code, error.public], ["invalid", errors]);
          return true;
        };
        await assert.rejects(
          updateObject({ ctx, resource, id, input: change, mode: "patch" }),
          refusal(expected),
        );
        await assert.rejects(
          updateObjects({ ctx, resource, input: [{ id, ...change }], mode: "patch" }),
          refusal([expected]),
        );
        assert.equal(await lastChange(app.database), since);
      });
    }
  }
}

/** Unique columns that no caller can write: random keys, and rows that only the service creates. */
const OWN_KEYS = new Set(["key_hash", "token_hash", "event_id", "message_id"]);
/** Checked by the resource itself, which names the other object if the caller may view it. */
const OWN_RULES = new Set([
  "certificate_signing_requests fingerprint_hex",
  "compliance_checks certificate_id policy_id",
  "revocation_checks certificate_id source",
  "revocation_lists source_url",
]);

/** Columns that may be null and that indexes compare as `ifnull(…)`; `tenant_id` in the other tables. */
const EXPRESSIONS: Readonly<Record<string, string>> = {
  endpoints: "server_name",
  contact_groups: "parent_id",
  contact_assignments: "role_id",
};

Deno.test("every unique index of a resource's table is a rule of the resource", async () => {
  await using database = await seededDatabase();
  for (const resource of resources) {
    const table = getTableName(resource.table);
    const indexes = await database.all<{ name: string }>(
      sql`SELECT name FROM pragma_index_list(${table}) WHERE "unique" = 1 ORDER BY name`,
    );
    for (const { name } of indexes) {
      const columns = (await database.all<{ name: string | null }>(
        sql`SELECT name FROM pragma_index_info(${name}) ORDER BY seqno`,
      )).map((one) => one.name);
      // An expression has no name: ifnull(tenant_id, 0).
      const names = columns.map((one) => one ?? EXPRESSIONS[table] ?? "tenant_id");
      if (names.every((one) => OWN_KEYS.has(one)) || OWN_RULES.has([table, ...names].join(" "))) continue;
      assert(
        resource.unique.some((rule) => rule.columns.join() === names.join()),
        `${table} (${names.join(", ")})`,
      );
    }
  }
});

/**
 * Returns the plan of each statement that compares new keys with stored ones: `SEARCH devices USING INDEX … (name=?)`.
 */
async function searchesOf(database: CollectingDatabase): Promise<string[]> {
  const statements = [...database.collected.keys()].filter((text) => text.includes(" AS keys CROSS JOIN "));
  const reader = await openFileDatabase({ path: database.path });
  try {
    const plans = await Promise.all(
      statements.map((text) => reader.all<{ detail: string }>(sql.raw(`EXPLAIN QUERY PLAN ${text}`))),
    );
    return plans.map((steps) => steps.at(-1)?.detail ?? "");
  } finally {
    reader.close();
  }
}

Deno.test("new keys are looked up by all columns that are never empty, whatever the statistics", async (t) => {
  const database = collecting(await seededDatabase());
  await using app = await testApp({ database });
  const client = await app.as("superuser");
  const expected: string[] = [];
  for (const resource of resources) {
    const { create } = sampleOf(resource);
    if (create === undefined || resource.unique.length === 0) continue;
    const columns = getTableColumns(resource.table);
    for (const rule of resource.unique) {
      const filled = rule.columns.filter((column) => columns[column]?.notNull === true || !rule.nullsEqual);
      expected.push(
        `${getTableName(resource.table)} ${filled.map((column) => `${column}=?`).toSorted().join(" AND ")}`,
      );
    }
    const response = await client(`/api/${resource.path}/`, { method: "POST", body: create(1) });
    assert.equal(response.status, 201, await response.text());
  }
  for (const [name, statistics] of Object.entries(STATISTICS)) {
    await t.step(name, async () => {
      await replaceStatistics(database, statistics);
      const found = (await searchesOf(database)).map((detail) => {
        const [, table, terms = ""] = /^SEARCH (\S+) .*\((.*)\)$/.exec(detail) ?? [];
        return `${table} ${terms.split(" AND ").toSorted().join(" AND ")}`;
      });
      assert.deepEqual([...new Set(found)].toSorted(), [...new Set(expected)].toSorted());
    });
  }
});
