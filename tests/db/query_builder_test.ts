/** The query builder: rows by the names of the selection, typed by the columns, and statements that run only when handed over. */

import assert from "node:assert/strict";
import { count, eq, max, sql } from "drizzle-orm";
import {
  deleteFrom,
  idsIn,
  insertInto,
  insertRows,
  named,
  readBatch,
  render,
  select,
  update,
} from "../../src/db/mod.ts";
import { leases, tags, tenants } from "../../src/db/schema/mod.ts";
import { testDatabase } from "../support/database.ts";

const STAMPS = { created: 1, last_updated: 2 };

Deno.test("rows have the keys of the selection: columns, renamed columns and expressions", async () => {
  await using database = await testDatabase();
  await database.write((tx) => tx.run(insertRows(tenants, [{ name: "Acme", slug: "acme", ...STAMPS }])));
  const rows: { id: number; title: string; since: number; notices: string | null; n: number }[] =
    await database
      .all(
        select({
          id: tenants.id,
          title: tenants.name,
          since: tenants.created,
          notices: tenants.expiry_notices,
          n: sql<number>`length(${tenants.slug})`,
        }).from(tenants),
      );
  assert.deepEqual(rows, [{ id: 1, title: "Acme", since: 1, notices: null, n: 4 }]);
});

Deno.test("joined tables with columns of the same name have separate keys", async () => {
  await using database = await testDatabase();
  await database.write((tx) =>
    tx.runAll([
      insertRows(tenants, [{ name: "Acme", slug: "acme", ...STAMPS }]),
      insertRows(tags, [{ name: "Prod", slug: "acme", ...STAMPS }]),
    ])
  );
  const rows: { tenant: string; tag: string | null }[] = await database.all(
    select({ tenant: tenants.name, tag: tags.name }).from(tenants).leftJoin(
      tags,
      eq(tags.slug, tenants.slug),
    ),
  );
  assert.deepEqual(rows, [{ tenant: "Acme", tag: "Prod" }]);
});

Deno.test("RETURNING returns typed rows, renamed as in the selection", async () => {
  await using database = await testDatabase();
  const [added, changed, removed] = await database.write(async (tx) =>
    [
      await tx.all(
        insertInto(leases).values({ name: "job", owner: "a", until: 5 })
          .onConflictDoUpdate({ target: leases.name, set: { until: sql`excluded.until` } })
          .returning({ until: leases.until }),
      ),
      await tx.all(
        update(leases).set({ owner: "b" }).where(eq(leases.name, "job"))
          .returning(named({ name: leases.name, holder: leases.owner })),
      ),
      await tx.all(deleteFrom(leases).returning(named({ job: leases.name }))),
    ] as const
  );
  const holder: string = changed[0]?.holder ?? "";
  assert.deepEqual([added, holder, removed], [[{ until: 5 }], "b", [{ job: "job" }]]);
});

Deno.test("values are bound, never part of the text, so that a statement stays prepared", () => {
  const texts = ["acme", "'; DROP TABLE tenants; --"].map((slug) =>
    render(select({ id: tenants.id }).from(tenants).where(eq(tenants.slug, slug)).limit(3))
  );
  assert.equal(texts[0]?.sql, texts[1]?.sql);
  assert.deepEqual(texts[1]?.args, ["'; DROP TABLE tenants; --", 3n]);
});

Deno.test("a batch returns the rows of each statement, raw ones for a template", async () => {
  await using database = await testDatabase();
  const [counts, raw] = await readBatch(database, [
    select({ n: count(), last: max(tags.id) }).from(tags),
    sql`SELECT 1 AS one`,
  ]);
  const n: number | undefined = counts[0]?.n;
  assert.deepEqual([n, counts[0]?.last, raw], [0, null, [{ one: 1 }]]);
});

Deno.test("a list of ids is one value in the builder, too", async () => {
  await using database = await testDatabase();
  const rows = ["a", "b", "c"].map((name) => ({ name, slug: name, ...STAMPS }));
  await database.write((tx) => tx.run(insertRows(tags, rows)));
  const query = select({ name: tags.name }).from(tags).where(sql`${tags.id} IN ${idsIn([1, 3])}`).orderBy(
    tags.id,
  );
  assert.deepEqual(await database.all(query), [{ name: "a" }, { name: "c" }]);
});

Deno.test("a statement that is awaited instead of handed to a database is refused", async () => {
  await assert.rejects(async () => await select({ id: tags.id }).from(tags), /Hand it to a database/);
  await assert.rejects(async () => await deleteFrom(tags), /Hand it to a database/);
});
