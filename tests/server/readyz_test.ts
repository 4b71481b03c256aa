/** `/readyz`: whether the database answers, and has the schema of this release. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { migrate } from "../../src/db/migrate.ts";
import { checkReadiness, MIGRATIONS } from "../../src/db/mod.ts";
import { requestOf, type TestApp, testApp } from "../support/app.ts";

const LAST = MIGRATIONS.at(-1)?.name ?? "";

async function asked({ app }: TestApp, method = "GET"): Promise<[number, string]> {
  const response = await app.fetch(requestOf("/readyz", { method }));
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.equal(response.headers.get("retry-after"), response.status === 503 ? "5" : null);
  return [response.status, await response.text()];
}

Deno.test("a database with the schema of this release is ready, without credentials", async () => {
  await using app = await testApp();
  assert.deepEqual(await asked(app), [200, "ready\n"]);
  assert.deepEqual(await asked(app, "HEAD"), [200, ""]);
  assert.deepEqual((await app.app.fetch(requestOf("/healthz"))).status, 200);
});

const UNREADY: Record<string, [change: string, text: RegExp]> = {
  "a database that lacks a migration": [
    `DELETE FROM schema_migrations WHERE name = '${LAST}'`,
    new RegExp(`^Migration ${LAST} is missing\\. Run "certmgr migrate"\\.\n$`),
  ],
  "a database that was never migrated": [
    "DROP TABLE schema_migrations",
    /^Migration 0001_\w+ is missing\. Run "certmgr migrate"\.\n$/,
  ],
  "a database of a later release": [
    "INSERT INTO schema_migrations (name, applied_at, checksum) VALUES ('9999_later', 1, '')",
    /^Database is newer than this release: it has migration "9999_later"\.\n$/,
  ],
  "a database made from other texts": [
    "UPDATE schema_migrations SET checksum = ''",
    /^Migration "0001_\w+" was changed after it was applied to this database\.\n$/,
  ],
};

for (const [what, [change, text]] of Object.entries(UNREADY)) {
  Deno.test(`${what} is not ready, /readyz reports the reason, and the process is live`, async () => {
    await using app = await testApp();
    await app.database.write((tx) => tx.run(sql.raw(change)));
    const [status, reason] = await asked(app);
    assert.equal(status, 503);
    assert.match(reason, text);
    assert(app.log.some((line) => line.event === "not ready"));
    assert.equal((await app.app.fetch(requestOf("/healthz"))).status, 200);
  });
}

Deno.test("a database that cannot be read is not ready, and no internals are disclosed", async () => {
  await using app = await testApp();
  app.database.close();
  assert.deepEqual(await asked(app), [503, "The database cannot be read.\n"]);
});

for (
  const [what, change] of [
    ["was deleted", (path: string) => Deno.remove(path)],
    ["was moved", (path: string) => Deno.rename(path, `${path}.old`)],
    ["was replaced by another one", async (path: string) => {
      await Deno.rename(path, `${path}.old`);
      await Deno.copyFile(`${path}.old`, path);
    }],
    ["is in a folder that was moved", async (path: string) => {
      const folder = path.slice(0, path.lastIndexOf("/"));
      await Deno.rename(folder, `${folder}.old`);
    }],
  ] as const
) {
  Deno.test(`a database whose file ${what} is not ready, and nothing is written to it`, async () => {
    const folder = await Deno.makeTempDir();
    const path = `${folder}/data/certmgr.db`;
    const database = await openFileDatabase({ path, durable: false });
    await migrate(database, { migrations: MIGRATIONS, now: 0 });
    try {
      assert.equal(await checkReadiness(database, MIGRATIONS), undefined);
      await change(path);
      assert.deepEqual(await checkReadiness(database, MIGRATIONS), {
        reason: "The database cannot be written: its file was moved or deleted.",
      });
      await assert.rejects(database.write((tx) => tx.run(sql`CREATE TABLE lost (id)`)), {
        code: "unavailable",
      });
    } finally {
      database.close();
      await Deno.remove(folder, { recursive: true });
    }
  });
}
