import assert from "node:assert/strict";
import { getTableColumns, getViewSelectedFields, is, sql, View } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "../../src/db/schema/mod.ts";
import { testDatabase } from "../support/database.ts";

interface Column {
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
  pk: number;
}

const TABLES = Object.values(schema).filter((each) => is(each, SQLiteTable)).map((table) =>
  getTableConfig(table)
);

const VIEWS = Object.entries(schema).filter(([, each]) => is(each, View)).map(([name]) => name);

Deno.test("Drizzle and the migrated database know the same tables, under the same names in code", async () => {
  await using database = await testDatabase();
  const rows = await database.all<{ name: string }>(
    sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'
      AND name NOT LIKE 'certificate_search%' ORDER BY name`,
  );
  assert.deepEqual(TABLES.map((table) => table.name).sort(), rows.map((row) => row.name));
  assert.deepEqual(
    Object.keys(schema).filter((name) => !VIEWS.includes(name)).sort(),
    rows.map((row) => row.name),
  );
});

Deno.test("Drizzle and the migrated database agree on the views and their columns", async () => {
  await using database = await testDatabase();
  const rows = await database.all<{ name: string; columns: string }>(
    sql`SELECT name, (SELECT json_group_array(name) FROM pragma_table_info(views.name)) AS columns
      FROM sqlite_schema AS views WHERE type = 'view' ORDER BY name`,
  );
  assert.deepEqual(VIEWS.toSorted(), rows.map(({ name }) => name));
  for (const { name, columns } of rows) {
    const view = (schema as unknown as Record<string, View>)[name]!;
    assert.deepEqual(Object.keys(getViewSelectedFields(view)), JSON.parse(columns), name);
  }
});

for (const { name, columns } of TABLES) {
  Deno.test(`Drizzle and the migrated database agree on the columns of ${name}`, async () => {
    await using database = await testDatabase();
    const found = await database.all<Column>(sql`SELECT * FROM pragma_table_xinfo(${name}) ORDER BY name`);
    assert.deepEqual(
      columns.toSorted((a, b) => a.name < b.name ? -1 : 1).map((column) => ({
        name: column.name,
        type: column.getSQLType().toUpperCase(),
        required: column.notNull || column.primary,
        initial: column.hasDefault && !column.primary ? quoted(column.default) : null,
      })),
      found.map((column) => ({
        name: column.name,
        type: column.type,
        required: column.notnull === 1 || column.pk > 0,
        initial: column.dflt_value,
      })),
    );
    const table = (schema as unknown as Record<string, SQLiteTable>)[name]!;
    assert.deepEqual(
      Object.keys(getTableColumns(table)).sort(),
      found.map((column) => column.name),
      "keys are names",
    );
  });
}

function quoted(value: unknown): string {
  return typeof value === "string" ? `'${value}'` : String(value);
}

Deno.test("every table is strict, and ids are never used twice", async () => {
  await using database = await testDatabase();
  const rows = await database.all<{ name: string; sql: string }>(
    sql`SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'
      AND name NOT LIKE 'certificate_search%'`,
  );
  for (const row of rows) {
    assert.match(row.sql, /\) STRICT(, WITHOUT ROWID)?$/, row.name);
    if (/^\s+id /m.test(row.sql)) assert.match(row.sql, /id INTEGER PRIMARY KEY AUTOINCREMENT/, row.name);
  }
});

Deno.test("every foreign key has an index, so that deletes do not scan", async () => {
  await using database = await testDatabase();
  for (const { name } of TABLES) {
    const keys = await database.all<{ from: string }>(
      sql`SELECT "from" FROM pragma_foreign_key_list(${name})`,
    );
    const firsts = await database.all<{ name: string }>(
      sql`SELECT i.name FROM pragma_index_list(${name}) AS l JOIN pragma_index_info(l.name) AS i WHERE i.seqno = 0
        UNION SELECT name FROM pragma_table_info(${name}) WHERE pk = 1`,
    );
    for (const key of keys) assert.ok(firsts.some((first) => first.name === key.from), `${name}.${key.from}`);
  }
});

Deno.test("the statistics name indexes that exist", async () => {
  await using database = await testDatabase();
  const rows = await database.all<{ idx: string; stat: string; columns: number | null }>(
    sql`SELECT idx, stat, (SELECT count(*) FROM pragma_index_info(idx)) AS columns FROM sqlite_stat1
      WHERE idx NOT IN (SELECT name FROM sqlite_schema WHERE type = 'table')`,
  );
  assert.ok(rows.length > 20);
  for (const row of rows) assert.equal(row.stat.split(" ").length, row.columns! + 1, row.idx);
});

/** Each line: a table, its columns, and its indexes and triggers, all in the order of the alphabet. */
const FIRST_SCHEMA = await Deno.readTextFile(new URL("first_schema.txt", import.meta.url));

Deno.test("the schema has all that the migrations before the first release made, and was not removed on purpose", async () => {
  await using database = await testDatabase();
  const rows = await database.all<{ name: string; columns: string; objects: string }>(
    sql`SELECT name, (SELECT json_group_array(name) FROM pragma_table_xinfo(tables.name)) AS columns,
        (SELECT json_group_array(name) FROM sqlite_schema WHERE tbl_name = tables.name) AS objects
      FROM sqlite_schema AS tables WHERE type = 'table'
      UNION ALL SELECT 'views', (SELECT json_group_array(name) FROM sqlite_schema WHERE type = 'view'), '[]'`,
  );
  const found = new Map(
    rows.map(({ name, columns, objects }) => [name, [...JSON.parse(columns), ...JSON.parse(objects)]]),
  );
  for (const line of FIRST_SCHEMA.trim().split("\n")) {
    const [name = "", ...names] = line.split(/[:;]? /);
    assert.deepEqual(names.filter((each) => !found.get(name)?.includes(each)), [], name);
  }
});
