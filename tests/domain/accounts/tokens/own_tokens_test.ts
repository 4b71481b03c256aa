import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { Context } from "../../../../src/auth/mod.ts";
import { tokens } from "../../../../src/domain/accounts/tokens/resource.ts";
import {
  ALL_FIELDS,
  createObject,
  deleteObject,
  deleteObjects,
  getObject,
  listObjects,
  parseListQuery,
  updateObject,
} from "../../../../src/resource/mod.ts";
import { seedGrant, seedToken, seedUser } from "../../../support/accounts.ts";
import { contextOf, testContext } from "../../../support/context.ts";
import { type TestDatabase, testDatabase } from "../../../support/database.ts";
import { refusal } from "../../../support/refusals.ts";

type Name = "ann" | "ben" | "root";

/** Creates two users and a superuser, each with a token. */
async function scene(database: TestDatabase): Promise<{
  service: Context;
  users: Record<Name, number>;
  tokenOf: Record<Name, number>;
}> {
  const service = testContext({ database });
  const users = {
    ann: await seedUser(service, "ann"),
    ben: await seedUser(service, "ben"),
    root: await seedUser(service, "root", { is_superuser: true }),
  };
  const tokenOf = {
    ann: (await seedToken(service, { user: users.ann })).id,
    ben: (await seedToken(service, { user: users.ben })).id,
    root: (await seedToken(service, { user: users.root })).id,
  };
  return { service, users, tokenOf };
}

/** Asserts that all attempts are refused and do not change the tokens. */
async function allRefused(
  database: TestDatabase,
  table: [what: string, attempt: () => Promise<unknown>, code: string][],
): Promise<void> {
  const state = (): Promise<unknown> => database.all(sql`SELECT * FROM tokens ORDER BY id`);
  const before = await state();
  for (const [what, attempt, code] of table) {
    assert.equal((await refusal(attempt)).code, code, what);
    assert.deepEqual(await state(), before, what);
  }
}

Deno.test("users without grants manage their own tokens, and other tokens do not exist for them", async () => {
  await using database = await testDatabase();
  const { service, users, tokenOf } = await scene(database);
  const ctx = await contextOf(service, users.ann);
  const patch = (id: number, input: object) => () =>
    updateObject({ ctx, resource: tokens, id, input, mode: "patch" });
  await allRefused(database, [
    [
      "to read",
      () => getObject({ ctx, resource: tokens, id: tokenOf.ben, selection: ALL_FIELDS }),
      "not_found",
    ],
    ["to change", patch(tokenOf.ben, { enabled: false }), "not_found"],
    ["to delete", () => deleteObject({ ctx, resource: tokens, id: tokenOf.ben }), "not_found"],
    [
      "to delete among their own",
      () => deleteObjects({ ctx, resource: tokens, input: [{ id: tokenOf.ann }, { id: tokenOf.ben }] }),
      "invalid",
    ],
    [
      "to make one for another",
      () => createObject({ ctx, resource: tokens, input: { user: users.ben } }),
      "invalid",
    ],
    [
      "to make one for a superuser",
      () => createObject({ ctx, resource: tokens, input: { user: { username: "root" } } }),
      "invalid",
    ],
    ["to give their own away", patch(tokenOf.ann, { user: users.root }), "invalid"],
  ]);
  const query = parseListQuery(ctx, { resource: tokens, params: new URLSearchParams() });
  const page = await listObjects({ ctx, resource: tokens, query });
  assert.deepEqual([page.count, page.results.map((token) => token.id)], [1, [tokenOf.ann]]);
  await createObject({ ctx, resource: tokens, input: { user: users.ann } });
  await patch(tokenOf.ann, { user: users.ann, enabled: false })();
  await deleteObject({ ctx, resource: tokens, id: tokenOf.ann });
});

Deno.test("a caller who sees users creates tokens for themselves only", async () => {
  await using database = await testDatabase();
  const { service, users } = await scene(database);
  await seedGrant(service, { types: ["users.user"], actions: ["view"], users: [users.ann] });
  const ctx = await contextOf(service, users.ann);
  const make = (user: number) => () => createObject({ ctx, resource: tokens, input: { user } });
  await allRefused(database, [
    ["for another", make(users.ben), "forbidden"],
    ["for a superuser", make(users.root), "forbidden"],
  ]);
});

Deno.test("a caller who manages all tokens still has no access to a superuser's", async () => {
  await using database = await testDatabase();
  const { service, users, tokenOf } = await scene(database);
  await seedGrant(service, { types: ["users.user"], actions: ["view"], users: [users.ann] });
  const all = ["view", "add", "change", "delete"];
  await seedGrant(service, { types: ["users.token"], actions: all, users: [users.ann] });
  const ctx = await contextOf(service, users.ann);
  const make = (user: number) => () => createObject({ ctx, resource: tokens, input: { user } });
  const patch = (id: number, input: object) => () =>
    updateObject({ ctx, resource: tokens, id, input, mode: "patch" });
  await allRefused(database, [
    ["to make one", make(users.root), "forbidden"],
    ["to give them one whose key is known", patch(tokenOf.ann, { user: users.root }), "invalid"],
    ["to give themselves theirs", patch(tokenOf.root, { user: users.ann }), "forbidden"],
    ["to open it to everywhere", patch(tokenOf.root, { allowed_ips: [] }), "forbidden"],
    ["to delete it", () => deleteObject({ ctx, resource: tokens, id: tokenOf.root }), "forbidden"],
  ]);
  assert.equal((await make(users.ben)()).key?.toString().length, 40);
  await patch(tokenOf.ben, { enabled: false })();
});

Deno.test("a read-only token cannot create or change tokens", async () => {
  await using database = await testDatabase();
  const { service, users, tokenOf } = await scene(database);
  const own = await contextOf(service, users.ann);
  const ctx: Context = { ...own, actor: { ...own.actor, mayWrite: false } };
  await allRefused(database, [
    ["to make one", () => createObject({ ctx, resource: tokens, input: {} }), "forbidden"],
    [
      "to make one writable",
      () =>
        updateObject({
          ctx,
          resource: tokens,
          id: tokenOf.ann,
          input: { write_enabled: true },
          mode: "patch",
        }),
      "forbidden",
    ],
    ["to delete one", () => deleteObject({ ctx, resource: tokens, id: tokenOf.ann }), "forbidden"],
  ]);
});

Deno.test("the service itself must name the user of a token that it creates", async () => {
  await using database = await testDatabase();
  const { service } = await scene(database);
  const refused = await refusal(createObject({ ctx: service, resource: tokens, input: {} }));
  assert.deepEqual(refused.public, { user: ["This field is required."] });
});
