import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { copyDatabase, openReleased, releaseDatabase } from "../../src/db/file_copy.ts";
import type { Database } from "../../src/db/mod.ts";

async function folder(): Promise<AsyncDisposable & { path: string }> {
  const path = await Deno.makeTempDir({ prefix: "certmgr-copy-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Creates a database in WAL mode with a table of pairs whose two values are equal in every committed state. */
async function pairs(path: string): Promise<Database> {
  const database = await openFileDatabase({ path });
  await database.write(async (tx) => {
    await tx.run(sql`CREATE TABLE a (x INTEGER, filling BLOB)`);
    await tx.run(sql`CREATE TABLE b (x INTEGER, filling BLOB)`);
    await tx.run(sql`INSERT INTO a VALUES (0, zeroblob(4000000))`);
    await tx.run(sql`INSERT INTO b VALUES (0, zeroblob(4000000))`);
  });
  return database;
}

async function values(path: string): Promise<unknown> {
  const copy = openReleased(path);
  try {
    return await copy.all(sql`SELECT a.x AS a, b.x AS b FROM a, b`);
  } finally {
    copy.close();
  }
}

Deno.test("a copy is a consistent snapshot while others write, and no caller waits for it", async () => {
  await using place = await folder();
  const database = await pairs(`${place.path}/it's.db`);
  const target = `${place.path}/it's a copy.db`;
  let copied = false;
  const copying = copyDatabase(`${place.path}/it's.db`, target).finally(() => copied = true);
  let writes = 0;
  while (!copied) {
    await database.write(async (tx) => {
      await tx.run(sql`UPDATE a SET x = x + 1`);
      await new Promise((done) => setTimeout(done, 0));
      await tx.run(sql`UPDATE b SET x = x + 1`);
    });
    writes++;
  }
  await copying;
  database.close();
  assert.ok(writes > 1, `Only ${writes} writes happened meanwhile`);
  const [row] = await values(target) as { a: number; b: number }[];
  assert.equal(row?.a, row?.b);
});

Deno.test("a copy includes what is only in the WAL, and only its owner can read it, with any umask", async () => {
  await using place = await folder();
  const umask = Deno.umask(0);
  try {
    const database = await pairs(`${place.path}/test.db`);
    await database.write((tx) => tx.run(sql`UPDATE a SET x = 7`));
    await copyDatabase(`${place.path}/test.db`, `${place.path}/copy.db`);
    database.close();
    assert.deepEqual(await values(`${place.path}/copy.db`), [{ a: 7, b: 0 }]);
    assert.equal(((await Deno.stat(`${place.path}/copy.db`)).mode ?? 0) & 0o777, 0o600);
    const names = [...Deno.readDirSync(place.path)].map(({ name }) => name).filter((name) =>
      name.startsWith("copy")
    );
    assert.deepEqual(names, ["copy.db"], "looking at it makes no other file");
  } finally {
    Deno.umask(umask);
  }
});

Deno.test("an existing file is not overwritten", async () => {
  await using place = await folder();
  const database = await pairs(`${place.path}/test.db`);
  await Deno.writeTextFile(`${place.path}/copy.db`, "precious");
  await assert.rejects(
    copyDatabase(`${place.path}/test.db`, `${place.path}/copy.db`),
    /exists\. Use the path of a new file/,
  );
  database.close();
  assert.equal(await Deno.readTextFile(`${place.path}/copy.db`), "precious");
});

Deno.test("a database that another process has open is not released, and stays in use", async () => {
  await using place = await folder();
  const database = await pairs(`${place.path}/test.db`);
  assert.equal(releaseDatabase(`${place.path}/test.db`), false);
  assert.equal(await database.write((tx) => tx.run(sql`UPDATE a SET x = 1`)), 1);
  database.close();
});

Deno.test("a file that is not a database is neither copied nor released", async () => {
  await using place = await folder();
  const path = `${place.path}/text.db`;
  await Deno.writeTextFile(path, "This is no database.\n".repeat(1_000));
  assert.throws(() => releaseDatabase(path), /not a database/);
  await assert.rejects(copyDatabase(path, `${place.path}/copy.db`), /not a database/);
});
