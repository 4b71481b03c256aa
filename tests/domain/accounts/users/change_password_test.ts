import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { type Context, verifyPassword } from "../../../../src/auth/mod.ts";
import { beginAttempt } from "../../../../src/auth/sign_in.ts";
import { SIGN_IN_FAILURES_PER_ACCOUNT } from "../../../../src/base/limits.ts";
import {
  changePassword,
  type PasswordChange,
} from "../../../../src/domain/accounts/users/change_password.ts";
import { users } from "../../../../src/domain/accounts/users/resource.ts";
import { updateObject } from "../../../../src/resource/mod.ts";
import { seedUser } from "../../../support/accounts.ts";
import { contextOf, NOW, testContext } from "../../../support/context.ts";
import { type TestDatabase, testDatabase } from "../../../support/database.ts";
import { quickHash } from "../../../support/quick_hash.ts";
import { refusal } from "../../../support/refusals.ts";
import { changeLog } from "../../../support/change_log.ts";

const OLD = "correct horse battery";
const NEW = "another horse battery";

async function scene(
  database: TestDatabase,
): Promise<{ service: Context; ctx: Context; ann: number; ben: number }> {
  const service = testContext({ database });
  const ann = await seedUser(service, "ann", { password_hash: quickHash(OLD) });
  const ben = await seedUser(service, "ben", { is_superuser: true });
  await database.write(async (tx) => {
    for (const [user, name] of [[ann, "one"], [ann, "two"], [ben, "three"]]) {
      await tx.run(
        sql`INSERT INTO sessions (user_id, secret_hash, csrf, created, expires, last_seen)
          VALUES (${user}, ${name}, 'x', ${NOW}, ${NOW + 1}, ${NOW})`,
      );
    }
  });
  return { service, ctx: await contextOf(service, ann), ann, ben };
}

async function opens(database: TestDatabase, user: number, password: string): Promise<boolean> {
  const [row] = await database.all<{ password_hash: string | null }>(
    sql`SELECT password_hash FROM users WHERE id = ${user}`,
  );
  return await verifyPassword(password, row?.password_hash ?? null);
}

async function sessionsOf(database: TestDatabase): Promise<string[]> {
  const rows = await database.all<{ secret_hash: string }>(sql`SELECT secret_hash FROM sessions ORDER BY id`);
  return rows.map((row) => row.secret_hash);
}

Deno.test("users change their password with the current one, and their other sessions end", async () => {
  await using database = await testDatabase();
  const { ctx, ann } = await scene(database);
  const [session] = await database.all<{ id: number }>(
    sql`SELECT id FROM sessions WHERE secret_hash = 'two'`,
  );
  const input = { userId: ann, current: OLD, password: NEW, keepSession: session?.id as number };
  await changePassword({ ctx, input });
  assert.equal(await opens(database, ann, NEW), true);
  assert.deepEqual(await sessionsOf(database), ["two", "three"]);
  const changes = await changeLog(database);
  assert.equal(changes.length, 1);
  assert.ok(!JSON.stringify(changes).includes("scrypt"));
});

Deno.test("a password does not change without the current one, to an invalid one, or with a read-only token", async () => {
  await using database = await testDatabase();
  const { ctx, ann, ben } = await scene(database);
  const readOnly: Context = { ...ctx, actor: { ...ctx.actor, mayWrite: false } };
  const table: [what: string, ctx: Context, input: PasswordChange, code: string][] = [
    ["without the present one", ctx, { userId: ann, password: NEW }, "invalid"],
    ["with a wrong one", ctx, { userId: ann, current: "wrong", password: NEW }, "invalid"],
    ["to a short one", ctx, { userId: ann, current: OLD, password: "short" }, "invalid"],
    ["by a read-only token", readOnly, { userId: ann, current: OLD, password: NEW }, "forbidden"],
    ["of another user", ctx, { userId: ben, current: OLD, password: NEW }, "forbidden"],
  ];
  for (const [what, as, input, code] of table) {
    assert.equal((await refusal(changePassword({ ctx: as, input }))).code, code, what);
  }
  assert.equal(await opens(database, ann, OLD), true);
  assert.deepEqual(await sessionsOf(database), ["one", "two", "three"]);
});

Deno.test("an open session does not allow guessing passwords", async () => {
  await using database = await testDatabase();
  const { ctx, ann } = await scene(database);
  for (let count = 0; count < SIGN_IN_FAILURES_PER_ACCOUNT; count++) {
    beginAttempt({ database, now: NOW }, { username: "ann", address: null });
  }
  const refused = await refusal(changePassword({ ctx, input: { userId: ann, current: OLD, password: NEW } }));
  assert.equal(refused.code, "rate_limited");
});

Deno.test("a caller who may change the account sets its password; all its sessions are revoked", async () => {
  await using database = await testDatabase();
  const { service, ann, ben } = await scene(database);
  await changePassword({ ctx: service, input: { userId: ann, password: NEW } });
  assert.equal(await opens(database, ann, NEW), true);
  assert.deepEqual(await sessionsOf(database), ["three"]);
  await updateObject({ ctx: service, resource: users, id: ben, input: { password: NEW }, mode: "patch" });
  assert.equal(await opens(database, ben, NEW), true);
  assert.deepEqual(await sessionsOf(database), []);
  const refused = await refusal(changePassword({ ctx: service, input: { userId: 99, password: NEW } }));
  assert.equal(refused.code, "not_found");
});
