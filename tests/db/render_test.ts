/** The fast path renders the same text as Drizzle. */

import assert from "node:assert/strict";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { flatten } from "../../src/db/render.ts";
import { render, select } from "../../src/db/mod.ts";
import { certificates, tenants } from "../../src/db/schema/mod.ts";

const inner = sql`SELECT id FROM ${tenants} WHERE slug = ${"a ? b"}`;

const STATEMENTS: Readonly<Record<string, SQL>> = {
  "fragments and values": sql`SELECT ${1}, ${"text"}, ${null}, ${1.5}, ${undefined}, ${true}`,
  "nested fragments": sql`SELECT * FROM ${certificates} WHERE tenant_id IN (${inner}) AND id > ${7}`,
  "names with quotes": sql`SELECT ${sql.identifier('a"b')} FROM ${sql.identifier("tenants")}`,
  "a table twice": sql`SELECT ${tenants}.id FROM ${tenants}`,
  columns: sql`SELECT ${certificates.common_name} FROM ${certificates} WHERE ${certificates.id} = ${3}`,
  "parameters with an encoder": sql`SELECT ${sql.param("a", certificates.common_name)}`,
  "values that are written into the text": sql`SELECT ${sql`${"it's"} || ${2}`.inlineParams()}, ${"bound"}`,
  "a list of values": sql`SELECT 1 WHERE 2 IN ${[1, 2, 3]}`,
  "joined fragments": sql.join([
    sql`a = ${1}`,
    sql.raw("b = 2"),
    sql`c = ${"3"}`,
  ], sql` AND `),
  "the query builder": select({ id: tenants.id, name: tenants.name }).from(
    tenants,
  )
    .where(and(eq(tenants.slug, "web"), eq(tenants.id, 5))).getSQL(),
};

for (const [name, statement] of Object.entries(STATEMENTS)) {
  Deno.test(`a statement is rendered as Drizzle renders it: ${name}`, () => {
    const expected = new SQLiteAsyncDialect().sqlToQuery(statement);
    const { sql: text, args } = render(statement);
    assert.equal(text, expected.sql);
    // Integers are bound as bigint, booleans as 0 and 1.
    assert.deepEqual(args.map(plain), expected.params.map(plain));
  });
}

Deno.test("a flattened statement has the same text and values", () => {
  const statement = sql`SELECT * FROM ${tenants} WHERE slug = ${"web"} AND id = ${5}`;
  assert.deepEqual(render(flatten(statement)), render(statement));
});

function plain(value: unknown): unknown {
  return typeof value === "bigint" || typeof value === "boolean" ? Number(value) : value;
}
