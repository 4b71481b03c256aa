import assert from "node:assert/strict";
import { type SQL, sql } from "drizzle-orm";
import { type Database, insertRows, type Row, type Transaction } from "../../src/db/mod.ts";
import { certificates, devices, tags, tenants } from "../../src/db/schema/mod.ts";
import { trigramQuery } from "../../src/filters/text_patterns.ts";
import { testDatabase } from "../support/database.ts";
import { INDEX_ALL } from "../support/search_index.ts";

const STAMPS = { created: 1, last_updated: 2 };

/** Inserts a certificate with the serial number `serial`. */
function certificate(serial: number, more: Row = {}): Row {
  return {
    common_name: `host-${serial}.example.com`,
    serial_number: serial.toString(16),
    issuer: "CN=Some CA",
    valid_from: 1,
    valid_to: 2,
    fingerprint_sha256: "",
    algorithm: "rsa",
    sans: "[]",
    ...STAMPS,
    ...more,
  };
}

async function sans(database: Database): Promise<unknown[]> {
  const rows = await database.all(
    sql`SELECT certificate_id, position, value FROM certificate_sans ORDER BY certificate_id, position`,
  );
  return rows.map((row) => Object.values(row));
}

/** Returns the ids for which the full-text index has a part of a text. */
async function found(database: Database, text: string, column?: string): Promise<number[]> {
  const query = trigramQuery([text], { column: column ?? "", ignoreCase: true })!;
  const rows = await database.all<{ rowid: number }>(
    sql`SELECT rowid FROM certificate_search WHERE certificate_search MATCH ${
      column === undefined ? query.replace('"" : ', "") : query
    } ORDER BY rowid`,
  );
  return rows.map((row) => row.rowid);
}

function write(database: Database, ...statements: SQL[]): Promise<void> {
  return database.write((tx: Transaction) => tx.runAll(statements));
}

Deno.test("the names table follows a certificate's JSON list on insert, change and delete", async () => {
  await using database = await testDatabase();
  await write(
    database,
    insertRows(certificates, [
      certificate(1, { sans: `["b.example","a.example","b.example"]` }),
      certificate(2, { sans: `["é \\" \\n 🙂"]` }),
      certificate(3),
    ]),
  );
  assert.deepEqual(await sans(database), [
    [1, 0, "b.example"],
    [1, 1, "a.example"],
    [1, 2, "b.example"],
    [2, 0, 'é " \n 🙂'],
  ]);
  await write(
    database,
    sql`UPDATE certificates SET sans = '["c.example"]' WHERE id = 1`,
    sql`DELETE FROM certificates WHERE id = 2`,
  );
  assert.deepEqual(await sans(database), [[1, 0, "c.example"]]);
});

Deno.test("the search index follows common name, issuer and names on insert, change and delete", async () => {
  await using database = await testDatabase();
  await write(
    database,
    insertRows(certificates, [
      certificate(1, { sans: `["mail.example.org","x.test"]` }),
      certificate(2, { issuer: "CN=Other CA" }),
    ]),
    INDEX_ALL,
  );
  assert.deepEqual(await found(database, "example.com"), [1, 2]);
  assert.deepEqual(await found(database, "MAIL.example.org", "sans"), [1]);
  assert.deepEqual(await found(database, "Other", "issuer"), [2]);
  assert.deepEqual(await found(database, "Other", "common_name"), []);
  await write(
    database,
    sql`UPDATE certificates SET common_name = 'renamed.test', issuer = 'CN=New' WHERE id = 1`,
    sql`UPDATE certificates SET sans = '["fresh.test"]' WHERE id = 2`,
  );
  assert.deepEqual(await found(database, "host-1"), []);
  assert.deepEqual(await found(database, "renamed", "common_name"), [1]);
  assert.deepEqual(await found(database, "Some", "issuer"), []);
  assert.deepEqual(await found(database, "mail.example", "sans"), [1], "what was not changed stays");
  assert.deepEqual(await found(database, "fresh", "sans"), [2]);
  await write(database, sql`DELETE FROM certificates`);
  assert.deepEqual(await found(database, "test"), []);
});

Deno.test("certificates enter the search index in groups, those with smaller ids at once", async () => {
  await using database = await testDatabase();
  const ids = async (query: SQL): Promise<number[]> =>
    (await database.all<{ id: number }>(query)).map(({ id }) => id);
  const unindexed = (): Promise<number[]> => ids(sql`SELECT id FROM unindexed_certificates ORDER BY id`);
  const some = (from: number, to: number): number[] =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const add = (...ids: number[]): Promise<void> =>
    write(database, ...ids.map((id) => insertRows(certificates, [certificate(id, { id })])));
  await add(...some(1, 31));
  assert.deepEqual(await unindexed(), some(1, 31));
  assert.deepEqual(await found(database, "example"), []);
  await add(32);
  assert.deepEqual(await unindexed(), []);
  assert.deepEqual(await found(database, "example"), some(1, 32));
  await write(database, insertRows(certificates, some(33, 100).map((id) => certificate(id, { id }))));
  assert.deepEqual(await unindexed(), some(97, 100), "one statement inserts several groups");
  await write(
    database,
    sql`UPDATE certificates SET common_name = 'renamed.test' WHERE id IN (50, 98)`,
    sql`DELETE FROM certificates WHERE id IN (60, 96, 99)`,
  );
  assert.deepEqual(
    await unindexed(),
    [97, 98, 100],
    "the group after a deleted end of the index stays the same",
  );
  assert.deepEqual(await found(database, "renamed"), [50]);
  await add(60);
  assert.deepEqual(await unindexed(), [97, 98, 100]);
  assert.deepEqual(await found(database, "host-60", "common_name"), [60]);
  await add(96);
  assert.deepEqual(await unindexed(), [96, 97, 98, 100]);
  await add(...some(101, 128));
  assert.deepEqual(await unindexed(), [128]);
  assert.deepEqual(await found(database, "renamed"), [50, 98]);
  await write(database, sql`INSERT INTO certificate_search (certificate_search) VALUES ('integrity-check')`);
  const expected = await ids(sql`SELECT id FROM certificates WHERE id < 128 ORDER BY id`);
  assert.deepEqual(await ids(sql`SELECT id FROM certificate_search_docsize ORDER BY id`), expected);
});

for (const column of ["common_name", "issuer", "sans"] as const) {
  Deno.test(`a long text (${column}) ends its group of the search index, so that groups stay small`, async () => {
    await using database = await testDatabase();
    const unindexed = async (): Promise<number[]> =>
      (await database.all<{ id: number }>(sql`SELECT id FROM unindexed_certificates ORDER BY id`))
        .map(({ id }) => id);
    const text = `long${"x".repeat(1000)}.test`;
    const value = column === "sans" ? JSON.stringify([text]) : text;
    const add = (id: number, values = {}): Promise<void> =>
      write(database, insertRows(certificates, [certificate(id, { id, ...values })]));
    await add(1);
    await add(2, { [column]: value });
    assert.deepEqual(await unindexed(), []);
    assert.deepEqual(await found(database, "long", column), [2]);
    await add(3);
    await add(4);
    assert.deepEqual(await unindexed(), [3, 4]);
    await write(database, sql`UPDATE certificates SET ${sql.identifier(column)} = ${value} WHERE id = 3`);
    assert.deepEqual(await unindexed(), []);
    assert.deepEqual(await found(database, "long", column), [2, 3]);
    await write(
      database,
      sql`INSERT INTO certificate_search (certificate_search) VALUES ('integrity-check')`,
    );
  });
}

Deno.test("a change of other columns does not touch the search index", async () => {
  await using database = await testDatabase();
  await write(database, insertRows(certificates, [certificate(1)]), INDEX_ALL);
  const size = sql`SELECT count(*) AS n, max(id) AS newest FROM certificate_search_data`;
  const before = await database.all(size);
  await write(
    database,
    sql`UPDATE certificates SET status = 'revoked', common_name = common_name, sans = sans`,
  );
  assert.deepEqual(await database.all(size), before);
});

Deno.test("a certificate with two thousand names is one insert and two thousand names", async () => {
  await using database = await testDatabase();
  const names = Array.from({ length: 2_000 }, (_, n) => `n${n}.example.com`);
  await write(
    database,
    insertRows(certificates, [certificate(1, { sans: JSON.stringify(names) })]),
    INDEX_ALL,
  );
  assert.equal((await sans(database)).length, 2_000);
  assert.deepEqual(await found(database, "n1999.example", "sans"), [1]);
});

for (
  const value of [
    `["a\\u0000b"]`,
    `["\\ud800"]`,
    `["x\\\\\\uDFFFy"]`,
    `{"a":1}`,
    `"text"`,
    `[null]`,
    `not JSON`,
  ]
) {
  Deno.test(`names that could not be read back are refused: ${value}`, async () => {
    await using database = await testDatabase();
    await assert.rejects(write(database, insertRows(certificates, [certificate(1, { sans: value })])));
    await write(database, insertRows(certificates, [certificate(1)]));
    await assert.rejects(write(database, sql`UPDATE certificates SET sans = ${value}`));
  });
}

Deno.test("names with backslashes and other escapes are kept", async () => {
  await using database = await testDatabase();
  const names = ["\\u0000", "C:\\udata", "\u0001", "\\\\ud800", "🙂"];
  await write(database, insertRows(certificates, [certificate(1, { sans: JSON.stringify(names) })]));
  assert.deepEqual(await sans(database), names.map((name, position) => [1, position, name]));
});

Deno.test("assignments of tags are deleted with the object and with the tag", async () => {
  await using database = await testDatabase();
  const types = {
    "tenancy.tenant": tenants,
    "dcim.device": devices,
  };
  await write(
    database,
    insertRows(tags, [{ name: "a", slug: "a", ...STAMPS }, { name: "b", slug: "b", ...STAMPS }]),
    insertRows(certificates, [certificate(1)]),
    ...Object.values(types).map((table) =>
      insertRows(table, [{ name: "x", ...(table === tenants ? { slug: "x" } : {}), ...STAMPS }])
    ),
    sql`INSERT INTO tagged_items (object_type, object_id, tag_id) SELECT value, 1, tags.id
      FROM json_each('["certmgr.certificate","tenancy.tenant","dcim.device"]'), tags`,
  );
  const left = sql`SELECT object_type, tag_id FROM tagged_items`;
  await write(
    database,
    sql`DELETE FROM tags WHERE id = 2`,
    sql`DELETE FROM certificates`,
    sql`DELETE FROM tenants`,
  );
  assert.deepEqual(await database.all(left), [{ object_type: "dcim.device", tag_id: 1 }]);
});

Deno.test("every kind of object that can carry tags loses them when it is deleted", async () => {
  await using database = await testDatabase();
  const triggers = await database.all<{ tbl_name: string; sql: string }>(
    sql`SELECT tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%AFTER DELETE%tagged_items%'`,
  );
  assert.deepEqual(triggers.map((trigger) => trigger.tbl_name).sort(), [
    "certificate_assignments",
    "certificate_authorities",
    "certificate_signing_requests",
    "certificates",
    "cluster_types",
    "clusters",
    "compliance_policies",
    "contact_assignments",
    "contact_groups",
    "contact_roles",
    "contacts",
    "device_roles",
    "device_types",
    "devices",
    "endpoints",
    "locations",
    "manufacturers",
    "platforms",
    "regions",
    "services",
    "site_groups",
    "sites",
    "tenant_groups",
    "tenants",
    "virtual_machines",
    "webhooks",
  ]);
});

const POINTERS: Record<string, [device: string, pointer: SQL]> = {
  "a device with a certificate": [
    "devices",
    sql`INSERT INTO certificate_assignments (certificate_id, assigned_object_type, assigned_object_id, created, last_updated)
      VALUES (1, 'dcim.device', 1, 1, 1)`,
  ],
  "a device with a service": [
    "devices",
    sql`INSERT INTO services (name, parent_object_type, parent_object_id, created, last_updated)
      VALUES ('s', 'dcim.device', 1, 1, 1)`,
  ],
  "a virtual machine with a certificate": [
    "virtual_machines",
    sql`INSERT INTO certificate_assignments (certificate_id, assigned_object_type, assigned_object_id, created, last_updated)
      VALUES (1, 'virtualization.virtualmachine', 1, 1, 1)`,
  ],
  "a device with an endpoint": ["devices", endpointOn("dcim.device")],
  "a virtual machine with an endpoint": ["virtual_machines", endpointOn("virtualization.virtualmachine")],
  "a service with an endpoint": ["services", endpointOn("ipam.service")],
};

function endpointOn(type: string): SQL {
  return sql`INSERT INTO endpoints (host, assigned_object_type, assigned_object_id, created, last_updated)
    VALUES ('a.example', ${type}, 1, 1, 1)`;
}

for (const [what, [table, pointer]] of Object.entries(POINTERS)) {
  Deno.test(`${what} cannot be deleted`, async () => {
    await using database = await testDatabase();
    const name = sql.identifier(table);
    await write(
      database,
      insertRows(certificates, [certificate(1)]),
      sql`INSERT INTO ${name} (name, created, last_updated) VALUES ('x', 1, 1), ('y', 1, 1)`,
      pointer,
    );
    await assert.rejects(write(database, sql`DELETE FROM ${name}`), /is in use/);
    await write(database, sql`DELETE FROM ${name} WHERE name = 'y'`);
    assert.deepEqual(await database.all(sql`SELECT name FROM ${name}`), [{ name: "x" }]);
  });
}

Deno.test("rows of the change log cannot be updated", async () => {
  await using database = await testDatabase();
  await write(
    database,
    sql`INSERT INTO object_changes (time, action, object_type, object_id, snapshots)
      VALUES (1, 'create', 'tenancy.tenant', 1, X'5B5D')`,
  );
  await assert.rejects(write(database, sql`UPDATE object_changes SET time = 2`), /append-only/);
});

Deno.test("names are unique within a tenant, and without one", async () => {
  await using database = await testDatabase();
  const device = (tenant: number | null): SQL =>
    insertRows(devices, [{ name: "x", tenant_id: tenant, ...STAMPS }]);
  await write(database, insertRows(tenants, [{ name: "t", slug: "t", ...STAMPS }]), device(null), device(1));
  await assert.rejects(write(database, device(null)), /UNIQUE/);
  await assert.rejects(write(database, device(1)), /UNIQUE/);
});
