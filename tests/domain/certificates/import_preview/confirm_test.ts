/** Confirming a preview imports all or nothing, and only once. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import {
  confirmPreview,
  readPreview,
  refreshPreview,
} from "../../../../src/domain/certificates/import_preview/mod.ts";
import { bulkImportData } from "../../../../src/domain/certificates/import/mod.ts";
import { testApp } from "../../../support/app.ts";
import { csvOf, metadata } from "../import/support.ts";
import { bulkImporter, certificateCount, contextAs, preview, textsOf } from "./support.ts";

Deno.test("Import preview: confirming creates every row and links it to its certificate", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter());
  const before = await certificateCount(ctx);
  const key = await preview(ctx, csvOf([metadata(1), metadata(2), metadata(1)]), { onDuplicate: "skip" });
  const { confirmed } = await confirmPreview({ ctx, key });
  assert.equal(confirmed, ctx.clock.now());
  const { rows, counts } = await readPreview({ ctx, key });
  assert.deepEqual(counts, { create: 2, update: 0, unchanged: 0, skip: 1, error: 0 });
  const [changes] = await app.database.all<{ n: number }>(
    sql`SELECT count(*) AS n FROM object_changes WHERE action = 'create' AND object_type = 'certmgr.certificate'
      AND username = 'importer'`,
  );
  assert.equal(changes?.n, 2);
  assert.equal(await certificateCount(ctx), before + 2);
  for (const { certificateId, cells } of rows.slice(0, 2)) {
    const [stored] = await app.database.all<{ common_name: string }>(
      sql`SELECT common_name FROM certificates WHERE id = ${certificateId}`,
    );
    assert.equal(stored?.common_name, cells[0]);
  }
});

Deno.test("Import preview: two tabs that confirm at the same time create everything once", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter());
  const before = await certificateCount(ctx);
  const key = await preview(ctx, csvOf([metadata(1), metadata(2)]), { onDuplicate: "skip" });
  const [one, two] = await Promise.all([confirmPreview({ ctx, key }), confirmPreview({ ctx, key })]);
  assert.deepEqual(one, two);
  assert.deepEqual(await confirmPreview({ ctx, key }), one);
  assert.equal((await refreshPreview({ ctx, key })).confirmed, one.confirmed);
  assert.equal(await certificateCount(ctx), before + 2);
  assert.deepEqual((await readPreview({ ctx, key })).counts, {
    create: 2,
    update: 0,
    unchanged: 0,
    skip: 0,
    error: 0,
  });
});

Deno.test("Import preview: a preview with errors is not imported, not even in part", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter());
  const before = await certificateCount(ctx);
  for (
    const content of [
      csvOf([metadata(1), metadata(2, { status: "odd" })]),
      csvOf([metadata(1)]).replace("issuer", "colour"),
      `${csvOf([metadata(1)])}a,b\n`,
    ]
  ) {
    const key = await preview(ctx, content);
    assert.equal((await confirmPreview({ ctx, key })).confirmed, null);
  }
  assert.equal(await certificateCount(ctx), before);
});

Deno.test("Import preview: a column with an unknown heading is ignored, and the rows are imported without it", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter());
  const key = await preview(ctx, csvOf([metadata(1, { colour: "red" })]));
  const { errors, headings } = await readPreview({ ctx, key });
  assert.deepEqual([errors, headings.at(-1)?.name], [[], "colour"]);
  assert((await confirmPreview({ ctx, key })).confirmed !== null);
});

Deno.test("Import preview: errors that have arisen since are shown, and nothing is imported", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter());
  const key = await preview(ctx, csvOf([metadata(1), metadata(2)]));
  await bulkImportData({ ctx, input: { content: csvOf([metadata(2)]) } });
  const before = await certificateCount(ctx);
  const after = await confirmPreview({ ctx, key });
  assert.equal(after.confirmed, null);
  assert.deepEqual(after.counts, { create: 1, update: 0, unchanged: 0, skip: 0, error: 1 });
  const { rows } = await readPreview({ ctx, key, only: "errors" });
  assert.match(
    textsOf(rows[0]?.messages, "serial_number")[0] ?? "",
    /^Certificate already exists: row-2\.example/,
  );
  assert.equal(await certificateCount(ctx), before);
});

Deno.test("Import preview: errors that have disappeared since are noticed, and the rows are imported only after they were shown", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter());
  const key = await preview(ctx, csvOf([metadata(1, { tenant: "newcomer" })]));
  const before = await certificateCount(ctx);
  await app.database.write((tx) =>
    tx.run(sql`INSERT INTO tenants (name, slug, created, last_updated) VALUES ('Newcomer', 'newcomer', 0, 0)`)
  );
  assert.deepEqual((await confirmPreview({ ctx, key })).counts, {
    create: 1,
    update: 0,
    unchanged: 0,
    skip: 0,
    error: 0,
  });
  assert.equal(await certificateCount(ctx), before);
  assert.notEqual((await confirmPreview({ ctx, key })).confirmed, null);
  assert.equal(await certificateCount(ctx), before + 1);
});

Deno.test("Import preview: rows that the user may no longer import are shown", async () => {
  await using app = await testApp();
  const wide = await contextAs(app, bulkImporter("wide"));
  const key = await preview(
    wide,
    csvOf([metadata(1, { tenant: "acme" }), metadata(2, { tenant: "globex" })]),
  );
  const narrow = await contextAs(app, bulkImporter("narrow", { tenant__slug: "acme" }));
  const ctx = { ...narrow, actor: { ...narrow.actor, userId: wide.actor.userId } };
  const before = await certificateCount(ctx);
  const after = await confirmPreview({ ctx, key });
  assert.equal(after.confirmed, null);
  const { rows } = await readPreview({ ctx, key, only: "errors" });
  assert.deepEqual(rows.map(({ place, messages }) => [place, textsOf(messages, "__all__")]), [
    [2, ["Your permissions do not allow importing this certificate."]],
  ]);
  assert.equal(await certificateCount(ctx), before);
});
