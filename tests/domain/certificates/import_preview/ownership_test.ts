/** Previews belong to one user, expire, and are limited in number. */

import assert from "node:assert/strict";
import type { Context } from "../../../../src/auth/mod.ts";
import { IMPORT_PREVIEW_MS, MAX_IMPORT_PREVIEWS_PER_USER } from "../../../../src/base/limits.ts";
import {
  confirmPreview,
  discardPreview,
  prunePreviews,
  readPreview,
  readPreviewContent,
  refreshPreview,
} from "../../../../src/domain/certificates/import_preview/mod.ts";
import { JOBS } from "../../../../src/domain/system/jobs/jobs.ts";
import { granted } from "../../../support/actors.ts";
import { testApp } from "../../../support/app.ts";
import { testClock } from "../../../support/context.ts";
import { csvOf, metadata } from "../import/support.ts";
import { bulkImporter, certificateCount, contextAs, preview } from "./support.ts";

const TEXT = csvOf([metadata(1)]);

/** Every operation with the key of a preview. */
const OPERATIONS: Readonly<Record<string, (ctx: Context, key: string) => Promise<unknown>>> = {
  "is read": (ctx, key) => readPreview({ ctx, key }),
  "returns its document": (ctx, key) => readPreviewContent({ ctx, key }),
  "is validated again": (ctx, key) => refreshPreview({ ctx, key }),
  "is confirmed": (ctx, key) => confirmPreview({ ctx, key }),
  "is discarded": (ctx, key) => discardPreview({ ctx, key }),
};

for (const [what, operation] of Object.entries(OPERATIONS)) {
  Deno.test(`Import preview: it ${what} only for the user who created it, and not after it has expired`, async () => {
    await using app = await testApp();
    const clock = testClock();
    const owner = { ...await contextAs(app, bulkImporter("owner")), clock };
    const other = { ...await contextAs(app, bulkImporter("other")), clock };
    const key = await preview(owner, TEXT);
    const before = await certificateCount(owner);
    await assert.rejects(operation(other, key), { code: "not_found" });
    await assert.rejects(operation(owner, `${key}x`), { code: "not_found" });
    clock.advance(IMPORT_PREVIEW_MS);
    await assert.rejects(operation(owner, key), { code: "not_found" });
    assert.equal(await certificateCount(owner), before);
    clock.advance(-1);
    await operation(owner, key);
  });
}

Deno.test("Import preview: it needs the permissions of a bulk import, at each step", async () => {
  await using app = await testApp();
  const owner = await contextAs(app, bulkImporter());
  const key = await preview(owner, TEXT);
  for (const actions of [["view"], ["import"], ["bulk_operations"], ["add", "change"]]) {
    const actor = granted([{ types: ["certmgr.certificate"], actions }], { username: actions.join("-") });
    const poor = { ...owner, actor: { ...(await contextAs(app, actor)).actor, userId: owner.actor.userId } };
    await assert.rejects(preview(poor, TEXT), { code: "forbidden" });
    for (const [what, operation] of Object.entries(OPERATIONS)) {
      if (what !== "is discarded") await assert.rejects(operation(poor, key), { code: "forbidden" }, what);
    }
  }
  await assert.rejects(preview(app.ctx, TEXT), { code: "forbidden" }, "the service itself has no previews");
});

Deno.test("Import preview: what the user may not assign is an error of its column, which can be left out", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter());
  const text = csvOf([metadata(1, { Owner: "Some One", Server: "edge-1" })]);
  const before = await certificateCount(ctx);
  const key = await preview(ctx, text);
  const { rows: [row] } = await readPreview({ ctx, key });
  assert.deepEqual(row?.messages.map(({ field, code }) => [field, code]), [
    ["devices", "not_assignable"],
    ["contacts", "not_assignable"],
  ]);
  await confirmPreview({ ctx, key });
  assert.equal(await certificateCount(ctx), before);
});

Deno.test("Import preview: a new one replaces the oldest one of the same user only", async () => {
  await using app = await testApp();
  const owner = await contextAs(app, bulkImporter("owner"));
  const other = await contextAs(app, bulkImporter("other"));
  const kept = await preview(other, TEXT);
  const keys: string[] = [];
  for (let count = 0; count <= MAX_IMPORT_PREVIEWS_PER_USER; count++) keys.push(await preview(owner, TEXT));
  const [oldest = "", ...others] = keys;
  await assert.rejects(readPreview({ ctx: owner, key: oldest }), { code: "not_found" });
  for (const key of others) assert.equal((await readPreview({ ctx: owner, key })).key, key);
  assert.equal((await readPreview({ ctx: other, key: kept })).key, kept);
});

Deno.test("Import preview: a job deletes expired ones", async () => {
  await using app = await testApp();
  const clock = testClock();
  const ctx = { ...await contextAs(app, bulkImporter()), clock };
  await preview(ctx, TEXT);
  clock.advance(IMPORT_PREVIEW_MS / 2);
  const young = await preview(ctx, TEXT);
  clock.advance(IMPORT_PREVIEW_MS / 2);
  assert.deepEqual(await prunePreviews({ ctx }), { previews_deleted: 1 });
  assert.equal((await readPreview({ ctx, key: young })).key, young);
  assert(JOBS.some(({ name }) => name === "import-previews"));
});
