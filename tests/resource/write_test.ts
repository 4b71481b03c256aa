/** Common properties of all writes: versions, change records, and no other changes. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { formatDatetime } from "../../src/base/clock.ts";
import { certificates } from "../../src/domain/certificates/mod.ts";
import { regions, tenants } from "../../src/domain/inventory/mod.ts";
import {
  createObject,
  createObjects,
  deleteObjects,
  updateObject,
  updateObjects,
} from "../../src/resource/mod.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { assertReplayable } from "../support/replay.ts";
import { seed } from "../support/seed.ts";
import { changesSince, lastChange } from "../support/store.ts";
import { changeLog } from "../support/change_log.ts";

const { certificates: ids } = seed;

/** Returns changes since a time, as `action id`. */
async function changed({ database }: TestApp, since: number): Promise<string[]> {
  return (await changesSince(database, since)).changes.map((one) => `${one.action} ${one.object_id}`);
}

Deno.test("each change increases last_updated, even if the clock stands still or goes back", async () => {
  await using app = await testApp();
  const { ctx, clock } = app;
  const { id } = await createObject({ ctx, resource: tenants, input: { name: "x", slug: "x" } });
  const seen: unknown[] = [];
  for (const step of [0, 0, -60_000, 5]) {
    clock.advance(step);
    const input = { description: `step ${seen.length}` };
    seen.push(
      (await updateObject({ ctx, resource: tenants, id: id as number, input, mode: "patch" })).last_updated,
    );
  }
  assert.deepEqual(seen, [...seen].sort());
  assert.equal(new Set(seen).size, seen.length);
});

Deno.test("a write without a change keeps the version and adds no change record", async () => {
  await using app = await testApp();
  const { ctx } = app;
  const since = await lastChange(app.database);
  const [before] = await app.database.all(sql`SELECT last_updated FROM tenants WHERE id = 1`);
  app.clock.advance(1_000);
  await updateObject({
    ctx,
    resource: tenants,
    id: 1,
    input: { slug: "acme", tags: [seed.tags.prod] },
    mode: "patch",
  });
  assert.deepEqual(await app.database.all(sql`SELECT last_updated FROM tenants WHERE id = 1`), [before]);
  assert.deepEqual(await changed(app, since), []);
});

Deno.test("an update writes the columns that it changes, and none that keeps its value", async () => {
  await using app = await testApp();
  const { ctx, database } = app;
  const input = { name: "x", slug: "x" };
  const { id } = await createObject({ ctx, resource: tenants, input });
  await database.write((tx) =>
    tx.run(sql`CREATE TRIGGER refuse_writes BEFORE UPDATE OF name, slug ON tenants
      BEGIN SELECT RAISE(ABORT, 'written'); END`)
  );
  const change = { ctx, resource: tenants, id: id as number, mode: "replace" } as const;
  const changed = await updateObject({ ...change, input: { ...input, description: "d" } });
  assert.deepEqual([changed.name, changed.description], ["x", "d"]);
  await assert.rejects(updateObject({ ...change, input: { ...input, name: "y" } }), /written/);
});

/** Four tenants of which each write is stored as a row of `written`. */
async function watchedTenants({ ctx, database }: TestApp): Promise<number[]> {
  await database.write((tx) => tx.run(sql`CREATE TABLE written (id INTEGER, last_updated INTEGER)`));
  await database.write((tx) =>
    tx.run(sql`CREATE TRIGGER note_writes AFTER UPDATE ON tenants BEGIN
      INSERT INTO written VALUES (NEW.id, NEW.last_updated); END`)
  );
  const ids: number[] = [];
  for (let n = 0; n < 4; n++) {
    const { id } = await createObject({ ctx, resource: tenants, input: { name: `t${n}`, slug: `t${n}` } });
    ids.push(id as number);
  }
  return ids;
}

Deno.test("a changed row is written once, with last_updated", async () => {
  await using app = await testApp();
  const { ctx, database } = app;
  const [id] = await watchedTenants(app) as [number];
  const edits: readonly (readonly [input: Record<string, unknown>, writes: number])[] = [
    [{ description: "d" }, 1],
    [{ tags: [seed.tags.prod] }, 1],
    [{ comments: "c", tags: [] }, 1],
    [{ comments: "c", tags: [] }, 0],
  ];
  for (const [input, writes] of edits) {
    await database.write((tx) => tx.run(sql`DELETE FROM written`));
    const { last_updated } = await updateObject({ ctx, resource: tenants, id, input, mode: "patch" });
    const rows = await database.all<{ last_updated: number }>(sql`SELECT last_updated FROM written`);
    assert.deepEqual(
      rows.map((row) => formatDatetime(row.last_updated)),
      Array(writes).fill(last_updated),
      JSON.stringify(input),
    );
  }
});

Deno.test("last_updated increases for the rows that a bulk change records, and for no others", async () => {
  await using app = await testApp();
  const { ctx, database } = app;
  const ids = await watchedTenants(app);
  const versions = async (): Promise<Map<number, number>> => {
    const rows = await database.all<{ id: number; last_updated: number }>(
      sql`SELECT id, last_updated FROM tenants`,
    );
    return new Map(rows.map((row) => [row.id, row.last_updated]));
  };
  const edit = fc.constantFrom<Record<string, unknown>>(
    { description: "d" },
    { description: "" },
    { tags: [seed.tags.prod] },
    { comments: "c", tags: [] },
    { comments: "" },
    {},
  );
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 4, maxLength: 4 }), fc.nat(2), async (edits, step) => {
      app.clock.advance(step);
      const before = await versions();
      const since = await lastChange(database);
      const input = ids.map((id, index) => ({ id, ...edits[index] }));
      const objects = await updateObjects({ ctx, resource: tenants, input, mode: "patch" });
      const recorded = (await changesSince(database, since)).changes.map((one) => one.object_id);
      const after = await versions();
      for (const [id, version] of before) {
        const now = after.get(id) as number;
        assert(recorded.includes(id) ? now > version : now === version);
      }
      assert.deepEqual(
        objects.map((one) => one.last_updated),
        ids.map((id) => formatDatetime(after.get(id) as number)),
      );
    }),
    { numRuns: 60 },
  );
});

Deno.test("a bulk change records each row that it changed, and no other", async () => {
  await using app = await testApp();
  const since = await lastChange(app.database);
  const input = [{ id: ids.acmeWeb, status: "revoked" }, { id: ids.globexRevoked, status: "revoked" }];
  await updateObjects({ ctx: app.ctx, resource: certificates, input, mode: "patch" });
  assert.deepEqual(await changed(app, since), [`update ${ids.acmeWeb}`]);
});

Deno.test("each row of a bulk change may change different fields", async () => {
  await using app = await testApp();
  const input = [
    { id: ids.acmeWeb, status: "revoked", tags: [] },
    { id: ids.unicode, key_size: 512 },
    { id: ids.twin, issuer_chain: "a chain", private_key_location: "safe" },
  ];
  const objects = await updateObjects({ ctx: app.ctx, resource: certificates, input, mode: "patch" });
  assert.deepEqual(objects.map((one) => one.id), input.map((one) => one.id));
  assert.deepEqual([objects[0]?.status, objects[0]?.tags], ["revoked", []]);
  assert.deepEqual([objects[1]?.key_size, objects[1]?.status], [512, "active"]);
  assert.deepEqual([objects[2]?.issuer_chain, objects[2]?.private_key_location], ["a chain", "safe"]);
  await assertReplayable(app.ctx, ["certmgr.certificate"]);
});

Deno.test("the log keeps digests of the long texts, not the texts", async () => {
  await using app = await testApp();
  const since = await lastChange(app.database);
  const input = { issuer_chain: "a chain of some length" };
  await updateObject({ ctx: app.ctx, resource: certificates, id: ids.acmeWeb, input, mode: "patch" });
  const text = (await changeLog(app.database)).find((change) => change.id > since)?.postchange ?? "";
  assert(!text.includes("a chain of some length") && !text.includes("BEGIN CERTIFICATE"));
  assert.match(JSON.parse(text).issuer_chain, /^sha256:[0-9a-f]{64}$/);
});

Deno.test("rows that refer to each other are deleted together, each with one change record", async () => {
  await using app = await testApp();
  const since = await lastChange(app.database);
  const input = [{ id: ids.acmeWeb }, { id: ids.acmeReplaced }];
  await deleteObjects({ ctx: app.ctx, resource: certificates, input });
  const log = await changed(app, since);
  assert.equal(log.filter((line) => line === `delete ${ids.acmeReplaced}`).length, 1);
  assert(!log.includes(`update ${ids.acmeReplaced}`));
  await assertReplayable(app.ctx, ["certmgr.certificate", "certmgr.certificateassignment"]);
});

Deno.test("many rows are deleted by several statements, and each has one record, whatever the references between them", async () => {
  await using app = await testApp();
  const { ctx, database } = app;
  const cost = async (count: number): Promise<number> => {
    const given = Array.from({ length: count }, (_, index) => ({ name: `r${index}`, slug: `r${index}` }));
    const made = await createObjects({ ctx, resource: regions, input: given });
    const [first, ...others] = made.map(({ id }) => id as number);
    // Each is a part of the first one, which is deleted by the first statement.
    await updateObjects({
      ctx,
      resource: regions,
      input: others.map((id) => ({ id, parent: first })),
      mode: "patch",
    });
    const since = await lastChange(database);
    const before = database.statements;
    await deleteObjects({ ctx, resource: regions, input: [first, ...others].map((id) => ({ id })) });
    const statements = database.statements - before;
    const deleted = await changed(app, since);
    assert.deepEqual(deleted.toSorted(), [first, ...others].map((id) => `delete ${id}`).toSorted());
    return statements;
  };
  const few = await cost(100);
  assert.equal(await cost(200), few);
  // One to delete them, and one for their records.
  assert.equal(await cost(201), few + 2);
});

Deno.test("an id is never used again", async () => {
  await using app = await testApp();
  const { ctx } = app;
  const made = await createObject({ ctx, resource: tenants, input: { name: "x", slug: "x" } });
  await deleteObjects({ ctx, resource: tenants, input: [{ id: made.id }] });
  const next = await createObject({ ctx, resource: tenants, input: { name: "x", slug: "x" } });
  assert((next.id as number) > (made.id as number));
});
