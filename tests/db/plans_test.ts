/** Which tables SQLite scans: for the usual queries, and for every statement that the service sends. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { USUAL_QUERIES } from "../bench/usual_queries.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { testApp } from "../support/app.ts";
import { collecting } from "../support/collected_statements.ts";
import { testDatabase } from "../support/database.ts";
import { replaceStatistics, type Scan, scansOf, STATISTICS } from "../support/query_plans.ts";
import { seededDatabase } from "../support/seed.ts";
import { driveAll } from "./statement_driver.ts";

Deno.test("the usual queries are answered from the index that was made for them", async (t) => {
  await using database = await testDatabase();
  for (const [name, query] of Object.entries(USUAL_QUERIES)) {
    await t.step(name, async () => {
      const steps = await database.all<{ detail: string }>(sql.raw(`EXPLAIN QUERY PLAN ${query.sql}`));
      const plan = steps.map((step) => step.detail).join("\n");
      assert.match(plan, new RegExp(`${query.index}\\b`));
      assert.doesNotMatch(plan, /SCAN certificates$/m, "no walk through the table");
      if (query.sorts === undefined) assert.doesNotMatch(plan, /TEMP B-TREE/);
    });
  }
});

/** Scans for each row of another table, by the table; each with its reason. */
const REPEATED: Readonly<Record<string, string>> = {
  clusters: "a tenant's clusters by name: where most are one tenant's, the index of names ends at the limit",
  tenants: "a group's tenants by name: the same",
  scan_jobs: "a tenant's scan jobs by name: the same",
  sites: "a tenant's, region's or group's sites by name: the same",
  services: "a tenant's services by name: where most are one tenant's, the index of names ends at the limit",
  compliance_policies: "a tenant's policies by name: the same",
  contact_groups: "a group's groups by name: the same",
  contacts: "a group's contacts by name: the same",
  ca: "below each new authority the authorities alone: a partial index, and a hundred names at most",
  certificates_side: "the values of a list that the row itself holds",
  element: "the values of a list that the row itself holds",
  finding: "the findings that a certificate itself holds, for the check-up",
  next: "of each webhook the messages that are sent next: as many as one host may have in flight",
};

/** Single scans of statements that are not lists, by the table; each with its reason. */
const ONCE: Readonly<Record<string, string>> = {
  c: "the check-up looks at everything",
  certificate_assignments: "the overview's number of certificates without assignments",
  certificate_authorities:
    "few; a certificate is compared with the patterns of all, and a chain with all that have PEM",
  certificate_blocks: "one row for a thousand certificates, for the check-up",
  certificate_search_docsize: "the check-up",
  certificates: "numbers of the whole inventory, and the check-up",
  compliance_policies: "few; all enabled ones are evaluated",
  compliance_checks: "a report is about all of them",
  custom_fields: "few: two hundred at most",
  devices: "the values of a deleted custom field are removed from all objects",
  services: "the same",
  contacts: "the contacts of a name, where most have the same one",
  evaluation_progress: "one row",
  incident_certificates: "those whose deployment is not dated yet alone: a partial index",
  incidents: "few; those whose members are not complete",
  issuer_chains: "few; the check-up",
  kept: "the check-up",
  leases: "one row for each job",
  notification_channels: "few; those that exist are counted",
  o: "the open events alone: a partial index",
  outbox: "the same",
  pointer: "the check-up",
  schema_migrations: "one row for each migration",
  sessions: "those of one user, who has fifty at most, are ended",
  sqlite_schema: "the schema",
  sqlite_sequence: "one row for each table",
  tenants: "counts, and the few tenants with thresholds",
  users: "counts",
  w: "few; every webhook that has something due",
  webhook_deliveries: "the messages that wait for their time: a partial index",
  webhooks: "few; every event is offered to all enabled ones",
};

/** Lists scan their table in the requested order, or by a filter without an index. */
const LIST = /^(?:GET \/api\/\S+\?|GraphQL |page |export )/;

function isListed({ table, repeated }: Scan, { doing, small }: { doing: string; small: boolean }): boolean {
  if (repeated) return Object.hasOwn(REPEATED, table);
  return small || LIST.test(doing) || Object.hasOwn(ONCE, table);
}

Deno.test("no statement scans a table without a reason, whatever its statistics", async (t) => {
  const database = collecting(await seededDatabase());
  await using app = await testApp({ database });
  await driveAll(app, database);
  const statements = [...database.collected];
  assert.ok(statements.length > 4_000, `Only ${statements.length} statements`);
  for (const [name, statistics] of Object.entries({ "as shipped": undefined, ...STATISTICS })) {
    await t.step(name, async () => {
      if (statistics !== undefined) await replaceStatistics(database, statistics);
      const reader = await openFileDatabase({ path: database.path });
      try {
        const found: string[] = [];
        for (const [text, doing] of statements) {
          for (const scan of await scansOf(reader, text)) {
            const small = name === "small tables";
            if (!isListed(scan, { doing, small })) found.push(`${doing}: ${scan.detail}\n  ${text}`);
          }
        }
        assert.deepEqual(found, []);
      } finally {
        reader.close();
      }
    });
  }
});

Deno.test("a scan for each row of another table is distinguished from a single one", async () => {
  await using database = await testDatabase();
  const walks = async (text: string): Promise<string[]> =>
    (await scansOf(database, text)).map(({ table, repeated }) => `${table} ${repeated}`);
  assert.deepEqual(await walks("SELECT id FROM devices ORDER BY description"), ["devices false"]);
  assert.deepEqual(await walks("SELECT id FROM devices WHERE id IN (SELECT value FROM json_each(?))"), []);
  assert.deepEqual(
    await walks("SELECT id, (SELECT count(*) FROM tags WHERE color = devices.name) FROM devices"),
    [
      "devices false",
      "tags true",
    ],
  );
  assert.deepEqual(
    await walks("SELECT 1 FROM json_each(?) AS given CROSS JOIN tags ON tags.color = given.value"),
    [
      "tags true",
    ],
  );
  assert.deepEqual(
    await walks("SELECT 1 FROM tags CROSS JOIN json_each(?) AS given ON tags.slug = given.value"),
    [
      "tags false",
      "given true",
    ],
  );
  assert.deepEqual(
    await walks("SELECT id FROM devices WHERE id = 1 AND name IN (SELECT color FROM tags)"),
    ["tags false"],
  );
});
