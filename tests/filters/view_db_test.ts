/** Filters of a caller who may not view all related objects. */

import assert from "node:assert/strict";
import {
  type Comparison,
  type CompileContext,
  type Condition,
  EVERYTHING,
  type FieldMap,
  NOTHING,
  parseConstraint,
  resolveRegexes,
} from "../../src/filters/mod.ts";
import { ALL, inventory, select } from "./sample_inventory.ts";
import { CERTIFICATES, CONTEXT, query } from "./support.ts";

/** The caller sees neither tenant 3 nor tag 3 nor certificate 3. */
const seen = parseConstraint({ id__n: 3 }, CERTIFICATES).condition;
const VISIBLE: Partial<CompileContext> = {
  visible: ({ objectType }) => objectType === "users.user" ? EVERYTHING : seen,
};

const INDISTINGUISHABLE: readonly [string, string][] = [
  ["tenant_id=3", "tenant_id=99"],
  ["tenant_id__n=3", "tenant_id__n=99"],
  ["tenant=hidden", "tenant=absent"],
  ["tenant__n=hidden", "tenant__n=absent"],
  ["tenant__name__ic=hid", "tenant__name__ic=abs"],
  ["tenant__name__nic=hid", "tenant__name__nic=abs"],
  ["tenant__id__gt=2&id=3", "tenant__id__gt=99&id=3"],
  ["tenant__owner__username=ann&id=3", "tenant__owner__username=absent&id=3"],
  ["tenant__tag=hush", "tenant__tag=absent"],
  ["tag=hush", "tag=absent"],
  ["tag_id=3", "tag_id=99"],
  ["tag__n=hush", "tag__n=absent"],
  ["tag__name__isw=hu", "tag__name__isw=absent"],
  ["replaced_by_id=3", "replaced_by_id=99"],
  ["replaced_by__status=revoked", "replaced_by__status=revoked&id=99"],
  ["replaced_by__tenant_id=3", "replaced_by__tenant_id=99"],
];

Deno.test("a related row that the caller may not view behaves like a missing one", async (t) => {
  await using db = await inventory();
  for (const [hidden, absent] of INDISTINGUISHABLE) {
    await t.step(`${hidden} selects what ${absent} does`, async () => {
      assert.deepEqual(await select(db, query(hidden), VISIBLE), await select(db, query(absent), VISIBLE));
      assert.notDeepEqual(
        await select(db, query(hidden)),
        await select(db, query(absent)),
        "seen, they differ",
      );
    });
  }
  await t.step("a reference to it counts as null", async () => {
    assert.deepEqual(await select(db, query("tenant_id=null"), VISIBLE), [3, 5]);
    assert.deepEqual(await select(db, query("tenant__isnull=false"), VISIBLE), [1, 2, 4]);
    assert.deepEqual(await select(db, query("tag__empty=true"), VISIBLE), [3, 4, 5]);
    assert.deepEqual(
      await select(db, query("replaced_by__tenant=null&replaced_by__isnull=false"), VISIBLE),
      [],
    );
  });
  await t.step("related rows that the caller may view are found", async () => {
    assert.deepEqual(await select(db, query("tenant_id=1&tenant_id=3"), VISIBLE), [1]);
    assert.deepEqual(await select(db, query("tag=web"), VISIBLE), [1, 2]);
  });
  await t.step("a constraint may use any related row", async () => {
    assert.deepEqual(await select(db, parseConstraint({ tenant__name: "Hidden" }, CERTIFICATES).condition), [
      3,
    ]);
  });
  await t.step("a restriction may itself cross a relation to rows that the caller may not view", async () => {
    const view = parseConstraint({ tenant__owner__username: "ann" }, CERTIFICATES).condition;
    const visible = ({ objectType }: FieldMap): Condition =>
      objectType === "certmgr.certificate" ? view : NOTHING;
    assert.deepEqual(await select(db, query("replaced_by__id__gte=1"), { visible }), [2, 5]);
  });
  await t.step("without permission for the related type no related row is found", async () => {
    const visible = (): Condition => NOTHING;
    assert.deepEqual(await select(db, query("tenant_id=1"), { visible }), []);
    assert.deepEqual(await select(db, query("tenant_id__n=1"), { visible }), ALL);
    assert.deepEqual(await select(db, query("tag=web"), { visible }), []);
  });
});

Deno.test("a regular expression never matches related rows that the caller may not view", async () => {
  await using db = await inventory();
  const options = { ...CONTEXT, ...VISIBLE, reader: db.database };
  const resolved = await resolveRegexes(query("tenant__name__regex=."), CERTIFICATES, options);
  assert.deepEqual((resolved as Comparison).values, ["ACME Inc", "Globex", "Initech"]);
  assert.deepEqual(await select(db, resolved, VISIBLE), [1, 2, 4]);
});
