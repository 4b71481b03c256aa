import assert from "node:assert/strict";
import type { Context } from "../../../../src/auth/mod.ts";
import { groups } from "../../../../src/domain/accounts/groups/resource.ts";
import { permissions } from "../../../../src/domain/accounts/permissions/resource.ts";
import { users } from "../../../../src/domain/accounts/users/resource.ts";
import {
  ALL_FIELDS,
  createObject,
  getObject,
  listObjects,
  parseListQuery,
  updateObject,
} from "../../../../src/resource/mod.ts";
import { seedGrant, seedGroup, seedUser } from "../../../support/accounts.ts";
import { contextOf, testContext } from "../../../support/context.ts";
import { testDatabase } from "../../../support/database.ts";
import { refusal } from "../../../support/refusals.ts";

function save(ctx: Context, constraints: unknown, object_types = ["certmgr.certificate"]): Promise<unknown> {
  return createObject({
    ctx,
    resource: permissions,
    input: { name: "p", object_types, actions: ["view"], constraints },
  });
}

Deno.test("an invalid constraint is refused when it is saved, with its key", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const table: [constraints: unknown, message: RegExp][] = [
    [
      { tenant__nam: "acme" },
      /^certmgr\.certificate: “tenant__nam”: Unknown filter\. Did you mean “tenant__name”\?$/,
    ],
    [{ password: "x" }, /“password”: Unknown filter/],
    [{ __proto__x: 1 }, /“__proto__x”: Unknown/],
    [{ status__near: "active" }, /“status__near”: Unknown/],
    [{ common_name__lt: "a" }, /“common_name__lt”: Unknown/],
    [{ status: "asleep" }, /“status”: .*asleep/],
    [{ status__in: ["active", "asleep"] }, /“status__in”: .*asleep/],
    [{ valid_to__lt: "soon" }, /“valid_to__lt”: .*soon/],
    [{ key_size__gte: "big" }, /“key_size__gte”: .*big/],
    [{ is_acme: "perhaps" }, /“is_acme”: .*perhaps/],
    [{ tenant: "acme" }, /“tenant”: .*acme/],
    [{ tenant: { name: "acme" } }, /“tenant”: /],
    [{ tenant__name: "$user" }, /“tenant__name”: .*user's id/],
    [{ common_name: { icontains: "a" } }, /“common_name”: /],
    [{ tenant__name__icontains__exact: "a" }, /Unknown/],
    [{ common_name__regex: "^a" }, /“common_name__regex”: Regular expressions cannot be used/],
    [{ common_name__regex: "(" }, /“common_name__regex”: /],
    [[{ status: "active" }, { nonsense: 1 }], /“nonsense”: Unknown/],
    [Array.from({ length: 101 }, () => ({ status: "active" })), /at most 100/],
    ["status=active", /Expected an object/],
    [[["status"]], /Expected an object/],
    [7, /Expected an object/],
    [{ common_name: "x".repeat(20_000) }, /no more than 16384/],
  ];
  for (const [constraints, message] of table) {
    const refused = await refusal(save(ctx, constraints));
    assert.equal(refused.code, "invalid", JSON.stringify(constraints).slice(0, 80));
    const errors = refused.public as Record<string, string[]>;
    assert.deepEqual(Object.keys(errors), ["constraints"]);
    assert.match(errors.constraints?.join("\n") ?? "", message);
  }
});

Deno.test("constraints must hold for every type of the permission", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  await save(ctx, { name: "acme" }, ["tenancy.tenant", "extras.tag"]);
  const refused = await refusal(save(ctx, { name: "acme" }, ["tenancy.tenant", "certmgr.certificate"]));
  assert.match(JSON.stringify(refused.public), /certmgr\.certificate: .*name/);
  const without: Context = {
    ...ctx,
    mapOf: (objectType) => {
      if (objectType === "dcim.device") throw new Error("no resource");
      return ctx.mapOf(objectType);
    },
  };
  const unserved = await refusal(save(without, { name: "x" }, ["dcim.device"]));
  assert.match(JSON.stringify(unserved.public), /dcim\.device: This release has no such objects/);
  await save(without, null, ["dcim.device"]);
});

Deno.test("valid constraints are stored as they were given", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const table: unknown[] = [
    null,
    {},
    [],
    { status: "active" },
    { status__in: ["active", "pending"], tenant__name__icontains: "ac" },
    { tenant: null },
    { tenant_id: 3 },
    { tags__slug: "web" },
    { valid_to__lt: "2027-01-01", key_size__gte: 2048 },
    [{ tenant__name: "acme" }, { tenant__slug__in: ["globex"] }],
  ];
  for (const constraints of table) {
    const made = await save(ctx, constraints) as Record<string, unknown>;
    assert.deepEqual(made.constraints, constraints);
  }
});

Deno.test("$user is the caller", async () => {
  await using database = await testDatabase();
  const service = testContext({ database });
  const group = await seedGroup(service, "staff");
  const [ann, ben] = [
    await seedUser(service, "ann", { groups: [group] }),
    await seedUser(service, "ben", { groups: [group] }),
  ];
  await seedGrant(service, {
    types: ["users.user"],
    actions: ["change"],
    constraints: { id: "$user" },
    groups: [group],
  });
  for (const [me, other] of [[ann, ben], [ben, ann]] as const) {
    const ctx = await contextOf(service, me);
    const patch = (id: number): Promise<unknown> =>
      updateObject({ ctx, resource: users, id, input: { first_name: "X" }, mode: "patch" });
    await patch(me);
    assert.equal((await refusal(patch(other))).code, "not_found");
  }
});

Deno.test("objects outside the constraints do not exist in lists, counts and details, nor for writes", async () => {
  await using database = await testDatabase();
  const service = testContext({ database });
  const [red, blue] = [await seedGroup(service, "red"), await seedGroup(service, "blue")];
  const ann = await seedUser(service, "ann", { groups: [red, blue] });
  await seedGrant(service, {
    types: ["users.group"],
    actions: ["view", "change"],
    constraints: [{ name: "red" }, { name: "green" }],
    users: [ann],
  });
  const ctx = await contextOf(service, ann);
  const query = parseListQuery(ctx, { resource: groups, params: new URLSearchParams() });
  const page = await listObjects({ ctx, resource: groups, query });
  assert.deepEqual([page.count, page.results.map((group) => group.name)], [1, ["red"]]);
  assert.equal(
    (await refusal(getObject({ ctx, resource: groups, id: blue, selection: ALL_FIELDS }))).code,
    "not_found",
  );
  const patch = (id: number, name: string) => () =>
    updateObject({ ctx, resource: groups, id, input: { name }, mode: "patch" });
  assert.equal((await refusal(patch(blue, "green"))).code, "not_found");
  assert.equal((await refusal(patch(red, "violet"))).code, "forbidden", "the result would lie outside");
  assert.equal((await patch(red, "green")()).name, "green");
  const me = await getObject({ ctx, resource: users, id: ann, selection: ALL_FIELDS });
  assert.deepEqual(me.object.groups.map((group) => group.name), ["green"]);
});
