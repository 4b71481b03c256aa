import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { authenticate, flushTokenUses } from "../../../../src/auth/mod.ts";
import { beginAttempt } from "../../../../src/auth/sign_in.ts";
import { SIGN_IN_FAILURES_PER_ACCOUNT } from "../../../../src/base/limits.ts";
import { provisionToken } from "../../../../src/domain/accounts/tokens/provision.ts";
import { seedUser } from "../../../support/accounts.ts";
import { NOW, testContext } from "../../../support/context.ts";
import { testDatabase } from "../../../support/database.ts";
import { quickHash } from "../../../support/quick_hash.ts";
import { refusal } from "../../../support/refusals.ts";

const PASSWORD = "correct horse battery";
const address = "192.0.2.7";

Deno.test("a username and its password create a token of that user, with the requested settings", async () => {
  await using database = await testDatabase();
  const deps = testContext({ database });
  const ann = await seedUser(deps, "ann", { password_hash: quickHash(PASSWORD) });
  const input = { username: "ann", password: PASSWORD, description: "cli", write_enabled: false };
  const token = await provisionToken({ ctx: deps, input, address });
  assert.equal((token.user as { id: number }).id, ann);
  assert.equal(token.description, "cli");
  const actor = await authenticate(deps, { authorization: `Token ${token.key}`, address });
  assert.deepEqual([actor.userId, actor.mayWrite, actor.isSuperuser], [ann, false, false]);
  await flushTokenUses(database);
});

Deno.test("invalid usernames, passwords and settings of the token are refused", async () => {
  await using database = await testDatabase();
  const deps = testContext({ database });
  await seedUser(deps, "ann", { password_hash: quickHash(PASSWORD) });
  const required = ["This field is required."];
  const table: [input: unknown, code: string, body: unknown][] = [
    [{}, "invalid", { username: required, password: required }],
    [{ username: "ann", password: 7 }, "invalid", { password: ["Expected text."] }],
    ["ann", "invalid", { detail: "Expected an object, not text." }],
    [null, "invalid", { detail: "Expected an object, not null." }],
    [{ username: "ann", password: "x", user: 1 }, "invalid", { user: ["Unknown field."] }],
    [{ username: "ann", password: "wrong" }, "unauthenticated", { detail: "Invalid username/password" }],
    [{ username: "eve", password: PASSWORD }, "unauthenticated", { detail: "Invalid username/password" }],
  ];
  for (const [input, code, body] of table) {
    const refused = await refusal(provisionToken({ ctx: deps, input, address }));
    assert.deepEqual([refused.code, refused.public], [code, body], JSON.stringify(input));
  }
  const failures = await database.all<{ username: string; detail: string }>(
    sql`SELECT username, detail FROM audit_events WHERE event = 'sign_in_failed' ORDER BY id`,
  );
  assert.deepEqual(failures.map(({ username, detail }) => [username, detail]), [
    ["ann", "password"],
    ["", "password, unknown user"],
  ]);
  const input = { username: "ann", password: PASSWORD, expires: "tomorrow" };
  assert.deepEqual(Object.keys((await refusal(provisionToken({ ctx: deps, input, address }))).public), [
    "expires",
  ]);
});

Deno.test("provisioning does not allow guessing passwords", async () => {
  await using database = await testDatabase();
  const deps = testContext({ database });
  await seedUser(deps, "ann", { password_hash: quickHash(PASSWORD) });
  for (let count = 0; count < SIGN_IN_FAILURES_PER_ACCOUNT; count++) {
    beginAttempt({ database, now: NOW }, { username: "ann", address });
  }
  const refused = await refusal(
    provisionToken({ ctx: deps, input: { username: "ann", password: PASSWORD }, address }),
  );
  assert.equal(refused.code, "rate_limited");
  assert.ok(Number(refused.headers["Retry-After"]) > 0);
});
