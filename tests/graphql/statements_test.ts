import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { createApp } from "../../src/app.ts";
import { type Database, insertRows, migrate } from "../../src/db/mod.ts";
import { MIGRATIONS } from "../../src/db/migration_files.ts";
import { openRemoteDatabase } from "../../src/db/remote_client.ts";
import * as tables from "../../src/db/schema/mod.ts";
import { recording } from "../bench/recording.ts";
import { signIn } from "../support/actors.ts";
import { requestOf } from "../support/app.ts";
import { startLibsqlServer } from "../support/libsql_server.ts";
import { NOW, testContext } from "../support/context.ts";
import { testDatabase } from "../support/database.ts";

/** The query of the specification's table. */
const QUERY = `{ certificate_list(filters: {status: "active"}, pagination: {limit: 0}) {
  id common_name valid_to days_remaining tenant { name }
  assignments { id is_primary assigned_object {
    ... on ServiceType { name ports device { name } } ... on DeviceType { name } ... on VirtualMachineType { name }
  } } } }`;

const STAMPS = { created: NOW, last_updated: NOW };

/**
 * Stores certificates, each with a separate tenant, and assigned to a device, a virtual machine and a service of a
 * device.
 */
async function fill(database: Database, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const named = ids.map((id) => ({ id, name: `n${id}`, ...STAMPS }));
  await database.write((tx) =>
    tx.runAll([
      insertRows(tables.tenants, named.map((row) => ({ ...row, slug: row.name }))),
      insertRows(tables.devices, named),
      insertRows(tables.virtual_machines, named),
      insertRows(
        tables.services,
        named.map((row) => ({
          ...row,
          parent_object_type: "dcim.device",
          parent_object_id: row.id,
          ports: "[443]",
        })),
      ),
      insertRows(
        tables.certificates,
        ids.map((id) => ({
          id,
          common_name: `n${id}`,
          serial_number: id.toString(16),
          issuer: "CN=x",
          valid_from: NOW,
          valid_to: NOW,
          fingerprint_sha256: id.toString(16).padStart(64, "0"),
          algorithm: "rsa",
          tenant_id: id,
          ...STAMPS,
        })),
      ),
      ...["dcim.device", "virtualization.virtualmachine", "ipam.service"].map((type) =>
        insertRows(
          tables.certificate_assignments,
          ids.map((id) => ({
            certificate_id: id,
            assigned_object_type: type,
            assigned_object_id: id,
            is_primary: 0,
            ...STAMPS,
          })),
        )
      ),
    ])
  );
}

interface Asked {
  readonly texts: string[];
  readonly body: string;
}

async function statementsOf(count: number, query: string): Promise<Asked> {
  await using file = await testDatabase();
  await fill(file, count);
  return await statementsOn(file, query);
}

/** Returns the statements of the second query, when token and count are cached. */
async function statementsOn(inner: Database, query: string): Promise<Asked> {
  const database = recording(inner);
  const ctx = testContext({ database });
  const app = createApp({
    ...ctx,
    trustedProxies: [],
    corsOrigins: [],
    maxBodyBytes: 1_000_000,
    rateLimit: 0,
  });
  const identity = await signIn(inner, "superuser", NOW);
  const send = (): Promise<Response> =>
    app.fetch(requestOf("/graphql/", { method: "POST", body: { query } }, identity));
  await (await send()).text();
  database.begin();
  const response = await send();
  return { body: await response.text(), texts: database.end().statements.map(({ sql: text }) => text) };
}

Deno.test("the same number of statements for 1, 100 and 1,000 certificates: two for the page, one for each level", async () => {
  const counts: number[] = [];
  for (const count of [1, 100, 1_000]) {
    const { texts, body } = await statementsOf(count, QUERY);
    const { data } = JSON.parse(body);
    assert.equal(data.certificate_list.length, count);
    const objects = data.certificate_list.flatMap((one: { assignments: { assigned_object: unknown }[] }) =>
      one.assignments.map((each) => each.assigned_object)
    );
    assert.equal(objects.length, 3 * count);
    assert.deepEqual(objects[2], { name: "n1", ports: [443], device: { name: "n1" } });
    counts.push(texts.length);
  }
  assert.deepEqual(counts, [5, 5, 5]);
});

Deno.test("a server gets as many statements as a file, with the same results", async () => {
  await using server = await startLibsqlServer();
  const remote = openRemoteDatabase({ url: server.url });
  try {
    await migrate(remote, { migrations: MIGRATIONS, now: NOW });
    await fill(remote, 7);
    assert.deepEqual(await statementsOn(remote, QUERY), await statementsOf(7, QUERY));
  } finally {
    remote.close();
  }
});

Deno.test("only the columns of requested fields are read", async () => {
  const { texts } = await statementsOf(2, "{ certificate_list { common_name tenant { slug } } }");
  const text = texts.join("\n");
  for (const expected of ["common_name", "slug"]) assert.ok(text.includes(`"${expected}"`), expected);
  for (
    const idle of ["pem_content", "issuer_chain", "sans", "serial_number", "description", "tagged_items"]
  ) {
    assert.ok(!text.includes(idle), `${idle} is read by ${text}`);
  }
});

Deno.test("a level of many relations is one statement", async () => {
  const { texts } = await statementsOf(
    3,
    `{ certificate_list { tenant { name } tags { slug } tags_total assignments { id } assignments_total issuing_ca { name }
       replaces { id } compliance_checks { id } signing_requests { id } replaced_by { id } } }`,
  );
  assert.equal(texts.length, 3);
});

Deno.test("a nested list reads no more rows than its limit from an index", async () => {
  await using database = await testDatabase();
  const { texts } = await statementsOf(2, "{ tenant_list { certificates(pagination: {limit: 1}) { id } } }");
  const statement = texts.at(-1) as string;
  const plan = await database.all<{ detail: string }>(
    sql`EXPLAIN QUERY PLAN ${sql.raw(statement.replaceAll("?", "'[1]'"))}`,
  );
  const steps = plan.map(({ detail }) => detail).join("\n");
  assert.match(steps, /SEARCH certificates USING .*tenant_id=\?/, steps);
  assert.doesNotMatch(steps, /SCAN certificates/, steps);
});
