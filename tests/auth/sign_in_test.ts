import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { type Context, signIn } from "../../src/auth/mod.ts";
import {
  beginAttempt,
  SIGN_IN_DELAY_MS,
  SIGN_IN_FAILURES_BEFORE_DELAY,
  SIGN_IN_FAILURES_PER_ADDRESS,
} from "../../src/auth/sign_in.ts";
import { SIGN_IN_FAILURES_PER_ACCOUNT, SIGN_IN_WINDOW_MS } from "../../src/base/limits.ts";
import { seedUser } from "../support/accounts.ts";
import { NOW, testClock, testContext } from "../support/context.ts";
import { testDatabase } from "../support/database.ts";
import { quickHash } from "../support/quick_hash.ts";
import { refusal } from "../support/refusals.ts";

const PASSWORD = "correct horse battery";
const ADDRESS = "192.0.2.7";

Deno.test("an unknown name, a wrong password, no password and an inactive user get the same response", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const password_hash = quickHash(PASSWORD);
  const ann = await seedUser(ctx, "ann", { password_hash });
  await seedUser(ctx, "ben", { password_hash, is_active: false });
  await seedUser(ctx, "bot");
  const table: [username: string, password: string][] = [
    ["ann", "wrong horse battery"],
    ["ann", ""],
    ["eve", PASSWORD],
    ["", PASSWORD],
    ["ann' --", PASSWORD],
    ["ben", PASSWORD],
    ["bot", PASSWORD],
    ["bot", ""],
  ];
  for (const [username, password] of table) {
    const refused = await refusal(signIn(ctx, { username, password, address: ADDRESS }));
    assert.equal(refused.code, "unauthenticated", username);
    assert.deepEqual(refused.public, { detail: "Invalid username/password" });
  }
  assert.equal((await signIn(ctx, { username: "ANN", password: PASSWORD, address: ADDRESS })).userId, ann);
  const rows = await database.all(sql`SELECT username, last_login FROM users WHERE last_login IS NOT NULL`);
  assert.deepEqual(rows.map((row) => ({ ...row })), [{ username: "ann", last_login: NOW }]);
});

/** Records `times` failures without computing hashes. */
function failures(
  ctx: Context,
  times: number,
  as: (count: number) => { username: string; address: string | null },
): void {
  for (let count = 0; count < times; count++) {
    beginAttempt({ database: ctx.database, now: ctx.clock.now() }, as(count));
  }
}

Deno.test("sign-ins of an account from one address are refused after some failures, until the window ends", async () => {
  await using database = await testDatabase();
  const clock = testClock();
  const ctx = testContext({ database, clock });
  const ann = await seedUser(ctx, "ann", { password_hash: quickHash(PASSWORD) });
  for (
    const [failing, other] of [["192.0.2.7", "192.0.2.8"], ["2001:db8:1:2::1", "2001:db8:1:3::1"]] as const
  ) {
    failures(ctx, SIGN_IN_FAILURES_PER_ACCOUNT, () => ({ username: "Ann", address: failing }));
    const near = failing.replace(/::1$/, ":a:b:c:d");
    const given = { username: "ann", password: PASSWORD, address: near };
    const refused = await refusal(signIn(ctx, given));
    assert.equal(refused.code, "rate_limited");
    assert.deepEqual(refused.headers, { "Retry-After": String(SIGN_IN_WINDOW_MS / 1000) });
    assert.equal((await signIn(ctx, { ...given, address: other })).userId, ann);
    clock.advance(SIGN_IN_WINDOW_MS - 1);
    assert.deepEqual((await refusal(signIn(ctx, given))).headers, { "Retry-After": "1" });
    clock.advance(1);
    assert.equal((await signIn(ctx, given)).userId, ann);
  }
});

Deno.test("failures from many addresses delay sign-ins of an account, but never refuse them, and not from known addresses", async () => {
  await using database = await testDatabase();
  const clock = testClock();
  const ctx = testContext({ database, clock });
  const ann = await seedUser(ctx, "ann", { password_hash: quickHash(PASSWORD) });
  const at = { database, now: clock.now() };
  const signInFrom = async (address: string): Promise<number> => {
    const started = performance.now();
    assert.equal((await signIn(ctx, { username: "ann", password: PASSWORD, address })).userId, ann);
    return performance.now() - started;
  };
  await signInFrom("192.0.2.200");
  failures(
    ctx,
    SIGN_IN_FAILURES_BEFORE_DELAY - 1,
    (count) => ({ username: "ann", address: `198.51.100.${count}` }),
  );
  const last = beginAttempt(at, { username: "ann", address: "203.0.113.1" });
  assert.equal(last.delayMs, 0);
  assert.equal(beginAttempt(at, { username: "ann", address: "203.0.113.2" }).delayMs, SIGN_IN_DELAY_MS);
  assert.equal(beginAttempt(at, { username: "ben", address: "203.0.113.2" }).delayMs, 0);
  assert.equal(beginAttempt(at, { username: "ann", address: "192.0.2.200" }).delayMs, 0);
  assert(await signInFrom("203.0.113.3") >= SIGN_IN_DELAY_MS - 5);
  // This address is known from now on.
  assert.equal(beginAttempt(at, { username: "ann", address: "203.0.113.3" }).delayMs, 0);
});

Deno.test("sign-ins from an address are refused after some failures with any accounts; IPv6 by subnet", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  failures(
    ctx,
    SIGN_IN_FAILURES_PER_ADDRESS,
    (count) => ({ username: `u${count}`, address: `2001:db8::${count}` }),
  );
  const attempt = (address: string | null): Promise<unknown> =>
    signIn(ctx, { username: "eve", password: PASSWORD, address });
  assert.equal((await refusal(attempt("2001:db8::ffff"))).code, "rate_limited");
  assert.equal((await refusal(attempt("2001:db8:0:1::1"))).code, "unauthenticated");
});

Deno.test("a success resets the counter of account and address, but not the one of the address", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const at = { database, now: NOW };
  failures(ctx, SIGN_IN_FAILURES_PER_ACCOUNT - 1, () => ({ username: "ann", address: ADDRESS }));
  beginAttempt(at, { username: "ann", address: ADDRESS }).succeed();
  failures(ctx, SIGN_IN_FAILURES_PER_ACCOUNT, () => ({ username: "ann", address: ADDRESS }));
  const rest = SIGN_IN_FAILURES_PER_ADDRESS - (2 * SIGN_IN_FAILURES_PER_ACCOUNT - 1);
  failures(ctx, rest, (count) => ({ username: `u${count}`, address: ADDRESS }));
  assert.throws(() => beginAttempt(at, { username: "eve", address: ADDRESS }), /rate_limited/);
});

Deno.test("parallel attempts are counted before any of them is answered", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const all = Array.from(
    { length: SIGN_IN_FAILURES_PER_ACCOUNT + 3 },
    () => refusal(signIn(ctx, { username: "ann", password: "guess", address: ADDRESS })),
  );
  const codes = (await Promise.all(all)).map((refused) => refused.code);
  assert.equal(codes.filter((code) => code === "rate_limited").length, 3);
});
