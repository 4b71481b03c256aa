/** All permissions of a user together have a limited number of comparisons. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { clearActorCache, type Context, isGranted, MAX_ACTOR_COMPARISONS } from "../../../../src/auth/mod.ts";
import { MAX_FILTER_TERMS } from "../../../../src/filters/limits.ts";
import { certificates } from "../../../../src/domain/certificates/mod.ts";
import { customFields } from "../../../../src/domain/custom_fields/mod.ts";
import { permissions } from "../../../../src/domain/accounts/permissions/resource.ts";
import { users } from "../../../../src/domain/accounts/users/resource.ts";
import {
  createObject,
  createObjects,
  listObjects,
  parseListQuery,
  refreshCustomFields,
  updateObject,
} from "../../../../src/resource/mod.ts";
import { seedGrant, seedGroup, seedUser } from "../../../support/accounts.ts";
import { contextOf, testContext } from "../../../support/context.ts";
import { testDatabase } from "../../../support/database.ts";
import { refusal } from "../../../support/refusals.ts";

const TYPES = ["certmgr.certificate"];

/** Returns alternatives that are not merged, because each has another text. */
function searches(count: number, from = 0): { common_name__ic: string }[] {
  return Array.from(
    { length: count },
    (_, index) => ({ common_name__ic: `host-${from + index}` }),
  );
}

/** Grants as many comparisons as allowed, in permissions of a hundred each. */
async function grantMost(
  ctx: Context,
  holder: { users?: number[]; groups?: number[] },
): Promise<void> {
  for (let from = 0; from < MAX_ACTOR_COMPARISONS; from += MAX_FILTER_TERMS) {
    const constraints = searches(
      Math.min(MAX_FILTER_TERMS, MAX_ACTOR_COMPARISONS - from),
      from,
    );
    await seedGrant(ctx, { types: TYPES, actions: ["view"], constraints, ...holder });
  }
}

function list(ctx: Context): Promise<unknown> {
  const query = parseListQuery(ctx, { resource: certificates, params: new URLSearchParams() });
  return listObjects({ ctx, resource: certificates, query });
}

const ONE_MORE = searches(1, 1_000);

Deno.test("comparisons with custom fields count like all others", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const ann = await seedUser(ctx, "ann");
  const field = { name: "note", type: "text", object_types: TYPES };
  await createObject({ ctx, resource: customFields, input: field });
  await refreshCustomFields(ctx);
  const constraints = searches(MAX_FILTER_TERMS).map(({ common_name__ic }) => ({
    cf_note__ic: common_name__ic,
  }));
  const permission = { types: TYPES, actions: ["view"], users: [ann] };
  await grantMost(ctx, { users: [ann] });
  const refused = await refusal(() => seedGrant(ctx, { ...permission, constraints }));
  assert.ok("constraints" in refused.public);
});

Deno.test("a permission that exceeds the comparisons of one of its users is refused and not stored", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const group = await seedGroup(ctx, "staff");
  const ann = await seedUser(ctx, "ann", { groups: [group] });
  await grantMost(ctx, { users: [ann] });
  await list(await contextOf(ctx, ann));
  const more = { types: TYPES, actions: ["view"], constraints: ONE_MORE };
  for (const holder of [{ users: [ann] }, { groups: [group] }]) {
    const { code, public: body } = await refusal(() => seedGrant(ctx, { ...more, ...holder }));
    assert.equal(code, "invalid");
    assert.match(
      (body as { constraints: string[] }).constraints[0]!,
      /^With this change, a user would have more than 300 comparisons .*"view" on certmgr\.cert/,
    );
  }
  // Another action or type, no user, disabled, and the same texts again add no comparisons.
  await seedGrant(ctx, { ...more, actions: ["change"], users: [ann] });
  await seedGrant(ctx, {
    ...more,
    types: ["tenancy.tenant"],
    constraints: [{ name__ic: "a" }],
    users: [ann],
  });
  await seedGrant(ctx, { ...more, constraints: searches(1), users: [ann] });
  const idle = await seedGrant(ctx, { ...more });
  const disabled = await seedGrant(ctx, { ...more, users: [ann], enabled: false });
  for (
    const [id, input] of [[idle, { users: [ann] }], [disabled, { enabled: true }]] as const
  ) {
    const refused = await refusal(() =>
      updateObject({ ctx, resource: permissions, id, input, mode: "patch" })
    );
    assert.ok("constraints" in refused.public);
  }
  await list(await contextOf(ctx, ann));
});

Deno.test("adding a user to a group, or removing superuser status, is refused if their comparisons exceed the limit", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const group = await seedGroup(ctx, "staff");
  const ann = await seedUser(ctx, "ann");
  const root = await seedUser(ctx, "root", { is_superuser: true });
  await seedUser(ctx, "other", { is_superuser: true });
  await grantMost(ctx, { users: [ann, root] });
  await seedGrant(ctx, {
    types: TYPES,
    actions: ["view"],
    constraints: ONE_MORE,
    groups: [group],
    users: [root],
  });
  for (
    const [id, input] of [[ann, { groups: [group] }], [root, { is_superuser: false }]] as const
  ) {
    const refused = await refusal(() => updateObject({ ctx, resource: users, id, input, mode: "patch" }));
    assert.equal(refused.code, "invalid");
    assert.ok("groups" in refused.public);
  }
  const [left] = await database.all<{ n: number }>(
    sql`SELECT count(*) AS n FROM user_groups`,
  );
  assert.equal(left?.n, 0);
});

Deno.test("permissions that compare the same field for equality are one comparison, as many as there are", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const ann = await seedUser(ctx, "ann");
  const input = Array.from(
    { length: 2 * MAX_ACTOR_COMPARISONS },
    (_, index) => ({
      name: `tenant ${index}`,
      object_types: TYPES,
      actions: ["view"],
      constraints: { tenant: index },
      users: [ann],
    }),
  );
  await createObjects({ ctx, resource: permissions, input });
  await list(await contextOf(ctx, ann));
});

Deno.test("stored permissions beyond the limit refuse with 403, unless one of them has no constraints", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const ann = await seedUser(ctx, "ann");
  await grantMost(ctx, { users: [ann] });
  const more = { types: TYPES, actions: ["view"], constraints: ONE_MORE };
  const id = await seedGrant(ctx, more);
  await ctx.database.write((tx) =>
    tx.run(
      sql`INSERT INTO object_permission_users (object_permission_id, user_id) VALUES (${id}, ${ann})`,
    )
  );
  clearActorCache(database);
  const restricted = await contextOf(ctx, ann);
  const { code, public: body } = await refusal(() => list(restricted));
  assert.equal(code, "forbidden");
  assert.match(JSON.stringify(body), /more than 300 comparisons/);
  assert.ok(
    isGranted(restricted, "view", "certmgr.certificate"),
    "pages do not fail while they ask",
  );
  await seedGrant(ctx, { ...more, constraints: null, users: [ann] });
  await list(await contextOf(ctx, ann));
});
