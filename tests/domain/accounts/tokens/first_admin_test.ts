import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { authenticate, flushTokenUses, signIn } from "../../../../src/auth/mod.ts";
import { openFileDatabase } from "../../../../src/db/file_client.ts";
import { firstAdmin } from "../../../../src/domain/accounts/tokens/first_admin.ts";
import { seedUser } from "../../../support/accounts.ts";
import { testContext } from "../../../support/context.ts";
import { testDatabase } from "../../../support/database.ts";
import { refusal } from "../../../support/refusals.ts";
import { changeLog } from "../../../support/change_log.ts";

Deno.test("the first start creates a superuser who signs in by password and by token; the second start creates none", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const made = await firstAdmin({ ctx });
  assert.ok(made !== undefined);
  assert.equal(made.username, "admin");
  const actor = await authenticate(ctx, { authorization: `Token ${made.token}`, address: null });
  assert.deepEqual([actor.username, actor.isSuperuser, actor.mayWrite], ["admin", true, true]);
  assert.equal((await signIn(ctx, { ...made, address: null })).userId, actor.userId);
  const before = database.statements;
  assert.equal(await firstAdmin({ ctx }), undefined);
  assert.equal(database.statements - before, 1, "one look is enough");
  const log = JSON.stringify(await changeLog(database));
  assert.match(log, /users\.user.*users\.token/);
  for (const secret of [made.password, made.token, "scrypt"]) assert.ok(!log.includes(secret));
  await flushTokenUses(database);
});

Deno.test("password and token may be given; invalid ones are refused and nothing is created", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const password = "correct horse battery";
  const token = "0123456789abcdef0123456789abcdef01234567";
  const table: [given: { password?: string; token?: string }, field: string][] = [
    [{ password: "short" }, "password"],
    [{ token: "short" }, "token"],
    [{ token: `${token.slice(1)} ` }, "token"],
  ];
  for (const [given, field] of table) {
    assert.deepEqual(Object.keys((await refusal(firstAdmin({ ctx, ...given }))).public), [field]);
  }
  assert.deepEqual(await database.all(sql`SELECT 1 FROM users`), []);
  assert.deepEqual(await firstAdmin({ ctx, password, token }), { username: "admin", password, token });
  assert.equal(
    (await authenticate(ctx, { authorization: `Token ${token}`, address: null })).username,
    "admin",
  );
  await flushTokenUses(database);
});

Deno.test("no administrator is created if any user exists", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  await seedUser(ctx, "ann", { is_active: false });
  assert.equal(await firstAdmin({ ctx }), undefined);
});

Deno.test("of processes that start at once, one creates the user", async () => {
  await using database = await testDatabase();
  const other = await openFileDatabase({ path: database.path });
  try {
    const starts = [database, other, database].map((one) =>
      firstAdmin({ ctx: testContext({ database: one }) })
    );
    const made = (await Promise.all(starts)).filter((one) => one !== undefined);
    assert.equal(made.length, 1);
    const counts = await database.all(
      sql`SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM tokens) AS tokens`,
    );
    assert.deepEqual({ ...counts[0] }, { users: 1, tokens: 1 });
  } finally {
    other.close();
  }
});
