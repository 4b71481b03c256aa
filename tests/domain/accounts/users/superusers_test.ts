import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { Context } from "../../../../src/auth/mod.ts";
import { users } from "../../../../src/domain/accounts/users/resource.ts";
import {
  ALL_FIELDS,
  createObject,
  deleteObject,
  deleteObjects,
  getObject,
  updateObject,
  updateObjects,
} from "../../../../src/resource/mod.ts";
import { seedGrant, seedUser } from "../../../support/accounts.ts";
import { contextOf, testContext } from "../../../support/context.ts";
import { type TestDatabase, testDatabase } from "../../../support/database.ts";
import { refusal } from "../../../support/refusals.ts";

const ALL = ["view", "add", "change", "delete"];

/** Creates two superusers, a user, and a manager who may do everything with users. */
async function scene(database: TestDatabase): Promise<{
  service: Context;
  ctx: Context;
  ids: { root: number; second: number; manager: number; plain: number };
}> {
  const service = testContext({ database });
  const root = await seedUser(service, "root", { is_superuser: true });
  const second = await seedUser(service, "second", { is_superuser: true });
  const manager = await seedUser(service, "manager");
  const plain = await seedUser(service, "plain");
  await seedGrant(service, { types: ["users.user"], actions: ALL, users: [manager] });
  return { service, ctx: await contextOf(service, manager), ids: { root, second, manager, plain } };
}

Deno.test("a user administrator can neither create nor change a superuser", async () => {
  await using database = await testDatabase();
  const { ctx, ids } = await scene(database);
  const patch = (id: number, input: object) => () =>
    updateObject({ ctx, resource: users, id, input, mode: "patch" });
  const table: [what: string, attempt: () => Promise<unknown>][] = [
    ["to raise themselves", patch(ids.manager, { is_superuser: true })],
    ["to raise themselves, by a word", patch(ids.manager, { is_superuser: "true" })],
    ["to raise another", patch(ids.plain, { is_superuser: true })],
    ["to set a superuser's password", patch(ids.root, { password: "correct horse battery" })],
    ["to rename a superuser", patch(ids.root, { username: "toor" })],
    ["to lock a superuser out", patch(ids.root, { is_active: false })],
    ["to demote a superuser", patch(ids.root, { is_superuser: false })],
    ["to change nothing of a superuser", patch(ids.root, {})],
    ["to delete a superuser", () => deleteObject({ ctx, resource: users, id: ids.root })],
    [
      "to delete several",
      () => deleteObjects({ ctx, resource: users, input: [{ id: ids.plain }, { id: ids.root }] }),
    ],
    ["to raise one of several", () =>
      updateObjects({
        ctx,
        resource: users,
        input: [{ id: ids.plain, email: "p@example.com" }, { id: ids.manager, is_superuser: true }],
        mode: "patch",
      })],
    ["to create one", () =>
      createObject({
        ctx,
        resource: users,
        input: { username: "eve", password: "correct horse battery", is_superuser: true },
      })],
  ];
  const state = (): Promise<unknown> => database.all(sql`SELECT * FROM users ORDER BY id`);
  const before = await state();
  for (const [what, attempt] of table) {
    assert.equal((await refusal(attempt)).code, "forbidden", what);
    assert.deepEqual(await state(), before, what);
  }
  await patch(ids.plain, { is_superuser: false, email: "plain@example.com" })();
  await deleteObject({ ctx, resource: users, id: ids.plain });
});

Deno.test("nobody can delete, deactivate or demote the last active superuser", async () => {
  await using database = await testDatabase();
  const { service: ctx, ids } = await scene(database);
  const remain = "At least one active superuser must remain.";
  const both = [{ id: ids.root }, { id: ids.second }];
  const patchAll = (input: object) => () =>
    updateObjects({ ctx, resource: users, input: both.map((one) => ({ ...one, ...input })), mode: "patch" });
  const bulkDelete = await refusal(deleteObjects({ ctx, resource: users, input: both }));
  assert.equal(bulkDelete.code, "conflict");
  assert.deepEqual(bulkDelete.public, { detail: `Unable to delete object. ${remain}` });
  assert.deepEqual((await refusal(patchAll({ is_active: false }))).public, [
    { is_active: [remain] },
    { is_active: [remain] },
  ]);
  assert.deepEqual((await refusal(patchAll({ is_superuser: false }))).public, [
    { is_superuser: [remain] },
    { is_superuser: [remain] },
  ]);
  await updateObject({ ctx, resource: users, id: ids.second, input: { is_active: false }, mode: "patch" });
  const patch = (input: object) => () =>
    updateObject({ ctx, resource: users, id: ids.root, input, mode: "patch" });
  assert.deepEqual((await refusal(patch({ is_superuser: false }))).public, { is_superuser: [remain] });
  assert.deepEqual((await refusal(patch({ is_active: false }))).public, { is_active: [remain] });
  assert.equal((await refusal(deleteObject({ ctx, resource: users, id: ids.root }))).code, "conflict");
  await deleteObject({ ctx, resource: users, id: ids.second });
});

Deno.test("the last superuser may be demoted when another one is added in the same call", async () => {
  await using database = await testDatabase();
  const { service: ctx, ids } = await scene(database);
  await updateObjects({
    ctx,
    resource: users,
    input: [
      { id: ids.root, is_superuser: false },
      { id: ids.second, is_active: false },
      { id: ids.plain, is_superuser: true },
    ],
    mode: "patch",
  });
  assert.equal((await refusal(deleteObject({ ctx, resource: users, id: ids.plain }))).code, "conflict");
});

Deno.test("without a grant a user sees only themselves, and changes nothing", async () => {
  await using database = await testDatabase();
  const { service, ids } = await scene(database);
  const ctx = await contextOf(service, ids.plain);
  const read = (id: number) => () => getObject({ ctx, resource: users, id, selection: ALL_FIELDS });
  assert.equal((await read(ids.plain)()).object.username, "plain");
  assert.equal((await refusal(read(ids.root))).code, "not_found");
  const patch = { ctx, resource: users, id: ids.plain, input: { first_name: "P" }, mode: "patch" as const };
  assert.equal((await refusal(updateObject(patch))).code, "forbidden");
});

Deno.test("nobody can delete or deactivate their own account, alone or among others", async () => {
  await using database = await testDatabase();
  const { service, ctx: manager, ids } = await scene(database);
  const root = await contextOf(service, ids.root);
  const [deletion, deactivation] = ["delete", "deactivate"].map((verb) =>
    `You cannot ${verb} your own account. Ask another administrator.`
  );
  for (const [ctx, id] of [[root, ids.root], [manager, ids.manager]] as const) {
    const before = await database.all(sql`SELECT * FROM users ORDER BY id`);
    for (const input of [[{ id }], [{ id: ids.plain }, { id }]]) {
      const refused = await refusal(deleteObjects({ ctx, resource: users, input }));
      assert.deepEqual([refused.code, refused.public], ["conflict", {
        detail: `Unable to delete object. ${deletion}`,
      }]);
    }
    const input = { is_active: false };
    const refused = await refusal(updateObject({ ctx, resource: users, id, input, mode: "patch" }));
    assert.deepEqual(refused.public, { is_active: [deactivation] });
    assert.deepEqual(await database.all(sql`SELECT * FROM users ORDER BY id`), before);
    await updateObject({ ctx, resource: users, id, input: { is_active: true, email: "" }, mode: "patch" });
  }
  await deleteObject({ ctx: root, resource: users, id: ids.manager });
});

Deno.test("of two superusers who delete, deactivate or demote each other at the same time, one remains", async () => {
  for (const input of [undefined, { is_active: false }, { is_superuser: false }]) {
    await using database = await testDatabase();
    const { service, ids } = await scene(database);
    const pairs = [[ids.root, ids.second], [ids.second, ids.root]] as const;
    const contexts = await Promise.all(pairs.map(([actor]) => contextOf(service, actor)));
    const results = await Promise.allSettled(pairs.map(([, id], index) => {
      const call = { ctx: contexts[index] as Context, resource: users, id };
      return input === undefined ? deleteObject(call) : updateObject({ ...call, input, mode: "patch" });
    }));
    assert.deepEqual(results.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
    const left = await database.all(sql`SELECT id FROM users WHERE is_superuser = 1 AND is_active = 1`);
    assert.equal(left.length, 1);
  }
});
