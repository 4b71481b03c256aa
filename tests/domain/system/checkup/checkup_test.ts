/** Each kind of damage is found by its check, and by no other. */

import assert from "node:assert/strict";
import { type SQL, sql } from "drizzle-orm";
import Native from "libsql";
import { AppError } from "../../../../src/base/errors.ts";
import { type Database, type Migration, MIGRATIONS } from "../../../../src/db/mod.ts";
import { checkDatabase, type Checkup } from "../../../../src/domain/system/checkup/check_database.ts";
import { type SchemaObject, schemaOf } from "../../../../src/domain/system/checkup/schema.ts";
import { type TestDatabase, testDatabase } from "../../../support/database.ts";
import { INDEX_ALL } from "../../../support/search_index.ts";
import { seededDatabase } from "../../../support/seed.ts";
import { TEST_NOW } from "../../../support/test_ca/mod.ts";

let shape: readonly SchemaObject[] | undefined;

async function check(
  database: Database,
  { now = TEST_NOW, known = MIGRATIONS }: { now?: number; known?: readonly Migration[] } = {},
): Promise<Checkup> {
  if (shape === undefined) {
    await using fresh = await testDatabase();
    shape = await schemaOf(fresh);
  }
  return await checkDatabase({ database, kind: "file", now, migrations: known, schema: shape });
}

/** Returns the seeded database of a service that has processed all its events, with a full-text index of all certificates. */
async function processedDatabase(): Promise<TestDatabase> {
  const database = await seededDatabase();
  await database.write((tx) => tx.runAll([sql`UPDATE outbox SET state = 'done'`, INDEX_ALL]));
  return database;
}

/** Returns the names of checks that found something, with their first example. */
function found({ checks }: Checkup): string[] {
  return checks.filter(({ result }) => result !== "ok").map(({ check, result, message, examples }) =>
    `${check} ${result}: ${examples[0] ?? message}`
  );
}

Deno.test("a database in use passes every check", async () => {
  await using database = await processedDatabase();
  const checkup = await check(database);
  assert.deepEqual([checkup.ok, found(checkup)], [true, []]);
  assert.deepEqual(checkup.checks.map(({ check }) => check), [
    "integrity",
    "migrations",
    "schema",
    "references",
    "orphans",
    "derived",
    "outbox",
    "jobs",
  ]);
});

const DAMAGE: Readonly<Record<string, { damage: readonly SQL[]; found: readonly (string | RegExp)[] }>> = {
  "a tag of an object that does not exist": {
    damage: [
      sql`INSERT INTO tagged_items (object_type, object_id, tag_id) VALUES ('tenancy.tenant', 9999, 1)`,
    ],
    found: ["orphans failed: tagged_items refers to tenancy.tenant 9999"],
  },
  "a tag of an object of no known type": {
    damage: [sql`INSERT INTO tagged_items (object_type, object_id, tag_id) VALUES ('dcim.rack', 1, 1)`],
    found: ["orphans failed: tagged_items refers to dcim.rack 1"],
  },
  "an assignment to a missing device": {
    damage: [sql`UPDATE certificate_assignments SET assigned_object_id = 9999 WHERE id = 1`],
    found: [/^orphans failed: certificate_assignments refers to \S+ 9999$/],
  },
  "a service on a missing virtual machine": {
    damage: [
      sql`UPDATE services SET parent_object_type = 'virtualization.virtualmachine', parent_object_id = 9999 WHERE id = 1`,
    ],
    found: ["orphans failed: services refers to virtualization.virtualmachine 9999"],
  },
  "a name that is missing in the names table": {
    damage: [sql`DELETE FROM certificate_sans WHERE certificate_id = 1 AND position = 0`],
    found: ["derived failed: names of certificate 1"],
  },
  "another name in the names table": {
    damage: [
      sql`UPDATE certificate_sans SET value = 'other.example' WHERE certificate_id = 1 AND position = 0`,
    ],
    found: ["derived failed: names of certificate 1"],
  },
  "a code of a finding that its certificate does not have": {
    damage: [
      sql`UPDATE certificates SET findings = '[{"code":"zero_serial"}]' WHERE id = 1`,
      sql`INSERT INTO certificate_findings (code, certificate_id) VALUES ('year_zero', 1)`,
    ],
    found: ["derived failed: findings of certificate 1"],
  },
  "a finding that is missing in its table": {
    damage: [
      sql`UPDATE certificates SET findings = '[{"code":"year_zero"}]' WHERE id = 1`,
      sql`DELETE FROM certificate_findings WHERE certificate_id = 1`,
    ],
    found: ["derived failed: findings of certificate 1"],
  },
  "a certificate that is missing in the search index": {
    damage: [sql`DELETE FROM certificate_search WHERE rowid = 2`],
    found: ["derived failed: search index without certificate 2"],
  },
  "a search entry of a missing certificate": {
    damage: [sql`INSERT INTO certificate_search (rowid, common_name) VALUES (9999, 'nobody')`],
    found: ["derived failed: search index of missing certificate 9999"],
  },
  "a wrong count of certificates": {
    damage: [sql`UPDATE certificate_blocks SET n = n + 1`],
    found: ["derived failed: count of the certificates from 0"],
  },
  "a count of missing certificates": {
    damage: [sql`INSERT INTO certificate_blocks VALUES (7, 3)`],
    found: ["derived failed: count of the certificates from 7168"],
  },
  "a certificate whose text is missing": {
    damage: [
      sql`DELETE FROM certificate_texts WHERE certificate_id IN (SELECT id FROM certificates WHERE has_pem = 1)`,
    ],
    found: [/^derived failed: text of certificate \d+$/],
  },
  "a chain that no certificate has": {
    damage: [sql`INSERT INTO issuer_chains (id, sha256, content) VALUES (99, 'x', 'text')`],
    found: ["derived failed: unused chain 99"],
  },
  "a missing trigger": {
    damage: [sql`DROP TRIGGER certificates_search_insert`],
    found: ["schema failed: trigger certificates_search_insert"],
  },
  "a changed index": {
    damage: [
      sql`DROP INDEX certificates_issuer`,
      sql`CREATE INDEX certificates_issuer ON certificates (issuer, id)`,
    ],
    found: ["schema failed: index certificates_issuer"],
  },
  "a damaged search index": {
    damage: [sql`DELETE FROM certificate_search_data WHERE id > 10`],
    found: [/^integrity failed: .*certificate_search/],
  },
  "an event that is not processed": {
    damage: [
      sql`INSERT INTO outbox (change_id, object_type, object_id, event, created)
        SELECT id, object_type, object_id, 'created', ${TEST_NOW - 3_600_000} FROM object_changes LIMIT 1`,
    ],
    found: ["outbox warning: the oldest event has been waiting for 60 minutes"],
  },
  "a job that has not run": {
    damage: [
      sql`INSERT INTO leases (name, owner, until) VALUES ('expiry-sweep', 'x', ${TEST_NOW - 7_200_000})`,
    ],
    found: ["jobs warning: expiry-sweep is 120 minutes late"],
  },
};

for (const [title, { damage, found: expected }] of Object.entries(DAMAGE)) {
  Deno.test(`${title} is found`, async () => {
    await using database = await processedDatabase();
    await database.write((tx) => tx.runAll(damage));
    const checkup = await check(database);
    const seen = found(checkup);
    assert.equal(seen.length, expected.length, seen.join("\n"));
    expected.forEach((one, index) =>
      typeof one === "string" ? assert.equal(seen[index], one) : assert.match(seen[index] as string, one)
    );
    assert.equal(checkup.ok, seen.every((one) => / warning: /.test(one)));
  });
}

Deno.test("a reference to a missing row is found", async () => {
  await using database = await processedDatabase();
  // Only a connection that does not enforce foreign keys can break one.
  const connection = new Native(database.path, { timeout: 1_000 });
  connection.exec("PRAGMA foreign_keys = OFF; UPDATE certificates SET tenant_id = 9999 WHERE id = 1");
  connection.close();
  assert.deepEqual(found(await check(database)), [
    "references failed: certificates 1 refers to a missing row of tenants",
  ]);
});

Deno.test("missing migrations are found, and the schema is not checked until they are applied", async () => {
  await using database = await processedDatabase();
  const later = { name: "9999_later", sql: "CREATE TABLE later (x INTEGER);\n" };
  assert.deepEqual(found(await check(database, { known: [...MIGRATIONS, later] })), [
    "migrations failed: 9999_later",
  ]);
});

Deno.test("a database of a newer release is found", async () => {
  await using database = await processedDatabase();
  const known = MIGRATIONS.slice(0, -1);
  assert.deepEqual(found(await check(database, { known })), [
    `migrations failed: Database is newer than this release: it has migration "${MIGRATIONS.at(-1)?.name}"`,
  ]);
});

Deno.test("a table that cannot be read fails its check, and the other checks run", async () => {
  await using database = await processedDatabase();
  await database.write((tx) => tx.run(sql`DROP TABLE leases`));
  assert.deepEqual(found(await check(database)), [
    "schema failed: table leases",
    "jobs failed: Cannot be read: no such table: leases",
  ]);
});

Deno.test("a damaged file fails every check that reads it, with a sentence", async () => {
  await using database = await processedDatabase();
  await check(database); // reads the expected schema
  const damaged = (): Promise<never> =>
    Promise.reject(new AppError("unavailable", "The database file is damaged."));
  const results = found(await check({ kind: "file", all: damaged, batch: damaged } as unknown as Database));
  assert(results.length > 5);
  for (const result of results) {
    assert.match(result, /^\w+ failed: Cannot be read: The database file is damaged\.$/);
  }
});

Deno.test("a few examples are reported, however many faults there are", async () => {
  await using database = await processedDatabase();
  const missing = sql`DELETE FROM certificate_search WHERE rowid < (SELECT max(id) FROM certificates)`;
  await database.write((tx) => tx.run(missing));
  const checkup = await check(database);
  const derived = checkup.checks.find(({ check }) => check === "derived");
  assert.equal(derived?.examples.length, 5);
  assert.match(derived?.message as string, /^\d+ rows do not match the certificates$/);
});
