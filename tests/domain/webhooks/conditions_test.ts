/** Conditions of webhooks have the same meaning as filters of lists, though they are evaluated on snapshots. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { webhookSubjects } from "../../../src/domain/webhooks/mod.ts";
import { filterNames, type FilterType, parseFiltersObject } from "../../../src/filters/mod.ts";
import { type Resource } from "../../../src/resource/mod.ts";
import { testApp } from "../../support/app.ts";
import { type Conditions, matches, selected } from "./support.ts";

/** Seeded texts and parts of them, in upper and lower case, and characters with a meaning in SQL. */
const TEXTS = [
  "acme",
  "Acme Corp",
  "ACME CORP",
  "www.acme.example",
  "prod",
  ".Example",
  "BÜCHER",
  "%",
  "_",
  "50%_off \\",
  "*",
];

const VALUES: Readonly<Record<Exclude<FilterType, "choice" | "regex">, readonly unknown[]>> = {
  string: TEXTS,
  hex: ["01:00:02", "1", "ab", "AA:aa", "ff"],
  integer: [1, 2, 3, 256, 2048, [1, 2], -5],
  boolean: [true, false],
  datetime: ["2026-06-15", "2026-06-15T12:00:00Z", "2026-12-31T23:59:59Z", "2026-06-14T12:00:09Z"],
};

/** Fields that the change log does not have, so that conditions on them are refused. */
const UNKNOWN =
  /^(?:automation|lifetime_days|chain_validated_at|chain_error|publicly_trusted|revocation_checked_at|renewal_info_checked_at|last_probed|last_run|last_result|last_used|breaker|failure_count|probe_at|severity)/;

/** Returns a condition for each parameter of a list and each of its values; only a few across relations. */
function everyCondition(resource: Resource): Conditions[] {
  const own = new Set([...filterNames(resource.map, { long: true })].map(({ name }) => name));
  const names = [...filterNames(resource.map, { depth: 1, long: true })];
  return names.filter(({ type, name }) => type !== "regex" && !UNKNOWN.test(name)).flatMap(
    ({ name, type, choices }) => {
      const all = type === "choice" ? choices ?? [] : VALUES[type as keyof typeof VALUES];
      const values = [...all.slice(0, own.has(name) ? all.length : 2), null];
      return values.map((value) => ({ [name]: value })).filter((one) => parses(resource, one));
    },
  );
}

function parses(resource: Resource, conditions: Conditions): boolean {
  return Object.keys(parseFiltersObject(conditions, resource.map).errors).length === 0;
}

/** Types without entries in the seed's change log: audit events never change, the others are inserted by SQL. */
const UNLOGGED = ["core.auditevent", "users.user", "certmgr.calendarfeed", "certmgr.savedview"];

for (const resource of webhookSubjects().filter(({ objectType }) => !UNLOGGED.includes(objectType))) {
  Deno.test(`every filter of ${resource.labelPlural} selects the same snapshots as objects of the list`, async () => {
    await using app = await testApp();
    const conditions = everyCondition(resource);
    const expected = await selected(app, resource, conditions);
    const found = await matches(app, resource, conditions);
    const differing = conditions.flatMap((one, index) =>
      JSON.stringify(found[index]) === JSON.stringify(expected[index])
        ? []
        : [`${JSON.stringify(one)}: ${found[index]}, expected ${expected[index]}`]
    );
    assert.deepEqual(differing, []);
    const rows = (await app.database.all(sql`SELECT id FROM ${resource.table}`)).length;
    const telling = expected.filter((ids) => ids.length > 0 && ids.length < rows).length;
    assert(telling > 10, `Only ${telling} of ${conditions.length} conditions tell rows apart`);
  });
}
