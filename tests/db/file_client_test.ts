import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import Asynchronous from "libsql/promise";
import { AppError } from "../../src/base/errors.ts";
import { beginRequest } from "../../src/base/pace.ts";
import { MAX_SLOW_RUNS, PREPARED_STATEMENTS } from "../../src/db/limits.ts";
import { type Database, MAX_SQL_VALUES } from "../../src/db/mod.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { testConformance } from "./database_conformance.ts";
import { testDatabase } from "../support/database.ts";
import { refusal } from "../support/refusals.ts";
import { countPauses } from "../support/pauses.ts";

async function temporaryFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir();
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

async function emptyFile(): Promise<{ readonly database: Database } & AsyncDisposable> {
  const folder = await temporaryFolder();
  const database = await openFileDatabase({ path: `${folder.path}/test.db`, queryTimeoutMs: 60_000 });
  return {
    database,
    async [Symbol.asyncDispose](): Promise<void> {
      database.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

testConformance("file", () => emptyFile());

Deno.test("file: commits copy the WAL into the file once it has 4,000 pages, and not before", async () => {
  const folder = await temporaryFolder();
  await using _ = folder;
  const path = `${folder.path}/test.db`;
  const database = await openFileDatabase({ path, durable: false });
  try {
    await database.write((tx) => tx.run(sql`CREATE TABLE t (x BLOB)`));
    const sizes: number[] = [];
    for (let commit = 0; commit < 120; commit++) {
      await database.write((tx) => tx.run(sql`INSERT INTO t (x) VALUES (zeroblob(400000))`));
      sizes.push((await Deno.stat(`${path}-wal`)).size / 4_120);
    }
    const most = Math.max(...sizes);
    assert(most >= 4_000 && most < 4_200, `${most} pages`);
  } finally {
    database.close();
  }
});

Deno.test("file: slow reads leave the event loop free until their last row", async () => {
  await using opened = await emptyFile();
  const { database } = opened;
  // Each row takes some time, and none needs the others.
  const rows = sql`WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 200)
    SELECT n, (WITH RECURSIVE c(m) AS (SELECT n UNION ALL SELECT m + 1 FROM c WHERE m < n + 6000)
      SELECT count(*) FROM c) AS size FROM r`;
  const statements: Record<string, () => Promise<unknown>> = {
    read: () => database.all(rows),
    batch: () => database.batch([rows]),
  };
  for (const [name, run] of Object.entries(statements)) {
    // It is known to be slow after some runs.
    for (let times = 0; times < MAX_SLOW_RUNS; times++) await run();
    let turns = 0;
    let isRunning = true;
    const counting = (async (): Promise<void> => {
      while (isRunning) {
        await new Promise((resolve) => setTimeout(resolve, 0));
        turns++;
      }
    })();
    await run();
    isRunning = false;
    await counting;
    assert(turns > 10, `${name}: ${turns} turns`);
  }
});

async function modeOf(path: string): Promise<string> {
  return ((await Deno.stat(path)).mode! & 0o777).toString(8);
}

function makeTable(database: Database): Promise<number> {
  return database.write((tx) => tx.run(sql`CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT) STRICT`));
}

Deno.test("file: only the owner may read the folder, the file and the WAL, with any umask", async () => {
  await using folder = await temporaryFolder();
  const umask = Deno.umask(0);
  try {
    const path = `${folder.path}/new/deep/test.db`;
    const database = await openFileDatabase({ path });
    await makeTable(database);
    assert.equal(await modeOf(`${folder.path}/new`), "700");
    assert.equal(await modeOf(`${folder.path}/new/deep`), "700");
    for (const file of [path, `${path}-wal`, `${path}-shm`]) {
      assert.equal(await modeOf(file), "600", file);
    }
    database.close();
  } finally {
    Deno.umask(umask);
  }
});

for (const [durable, synchronous] of [[undefined, 2], [true, 2], [false, 0]] as const) {
  const title = durable === false ? "does not wait for the disk" : "has reached the disk";
  Deno.test(`file: a committed write ${title} (durable: ${durable})`, async () => {
    await using folder = await temporaryFolder();
    const path = `${folder.path}/test.db`;
    const database = await openFileDatabase({ path, ...(durable === undefined ? {} : { durable }) });
    const [row] = await database.write((tx) => tx.all<{ synchronous: number }>(sql`PRAGMA synchronous`));
    assert.equal(row?.synchronous, synchronous);
    database.close();
  });
}

Deno.test("file: opening a database that other users could read makes it unreadable to them", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/test.db`;
  await Deno.writeFile(path, new Uint8Array(), { mode: 0o666 });
  await Deno.chmod(path, 0o666);
  const database = await openFileDatabase({ path });
  await makeTable(database);
  for (const file of [path, `${path}-wal`, `${path}-shm`]) assert.equal(await modeOf(file), "600", file);
  database.close();
});

for (const name of ["with spaces.db", "100%25 ?mode=memory#x.db", "file:x.db", "ünï-🙂.db", "'quoted\".db"]) {
  Deno.test(`file: a path is used literally: ${name}`, async () => {
    await using folder = await temporaryFolder();
    const path = `${folder.path}/${name}`;
    const database = await openFileDatabase({ path });
    await makeTable(database);
    database.close();
    assert.ok((await Deno.stat(path)).isFile);
    const again = await openFileDatabase({ path });
    assert.deepEqual(await again.all(sql`SELECT * FROM t`), []);
    again.close();
  });
}

Deno.test("file: a closed database is complete in a single file", async () => {
  await using folder = await temporaryFolder();
  const database = await openFileDatabase({ path: `${folder.path}/test.db` });
  await makeTable(database);
  database.close();
  await Deno.copyFile(`${folder.path}/test.db`, `${folder.path}/copy.db`);
  const copy = await openFileDatabase({ path: `${folder.path}/copy.db` });
  assert.deepEqual(await copy.all(sql`SELECT * FROM t`), []);
  copy.close();
});

Deno.test("file: a file that is not a database is refused", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/test.db`;
  await Deno.writeTextFile(path, "This is no database.\n".repeat(1_000));
  await assert.rejects(
    openFileDatabase({ path }),
    (error) =>
      error instanceof AppError && /damaged/.test(error.message) && /not a database/.test(`${error.cause}`),
  );
});

Deno.test("file: prepared statements work after a change of the schema", async () => {
  await using folder = await temporaryFolder();
  const database = await openFileDatabase({ path: `${folder.path}/test.db` });
  await makeTable(database);
  await database.write((tx) => tx.run(sql`INSERT INTO t (x) VALUES ('a')`));
  const everything = sql`SELECT * FROM t`;
  assert.deepEqual(await database.all(everything), [{ id: 1, x: "a" }]);
  await database.write((tx) => tx.run(sql`ALTER TABLE t ADD COLUMN y INTEGER DEFAULT 5`));
  assert.deepEqual(await database.all(everything), [{ id: 1, x: "a", y: 5 }]);
  await database.write((tx) => tx.run(sql`ALTER TABLE t DROP COLUMN x`));
  assert.deepEqual(await database.all(everything), [{ id: 1, y: 5 }]);
  database.close();
});

Deno.test("file: more statements than are kept prepared all run, also repeatedly", async () => {
  await using folder = await temporaryFolder();
  const database = await openFileDatabase({ path: `${folder.path}/test.db` });
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < PREPARED_STATEMENTS + 50; n++) {
      assert.deepEqual(await database.all(sql`SELECT ${sql.raw(String(n))} AS n, ${round} AS round`), [{
        n,
        round,
      }]);
    }
  }
  database.close();
});

Deno.test("file: concurrent calls of one statement get separate rows", async () => {
  await using folder = await temporaryFolder();
  const database = await openFileDatabase({ path: `${folder.path}/test.db` });
  const numbers = Array.from({ length: 500 }, (_, n) => n);
  const rows = await Promise.all(numbers.map((n) => database.all<{ n: number }>(sql`SELECT ${n} AS n`)));
  assert.deepEqual(rows.map(([row]) => row!.n), numbers);
  database.close();
});

for (const after of [0, 1]) {
  Deno.test(`file: a transaction that SQLite itself rolled back is refused, ${after} statements later`, async () => {
    await using folder = await temporaryFolder();
    const database = await openFileDatabase({ path: `${folder.path}/test.db` });
    await makeTable(database);
    await assert.rejects(
      database.write(async (tx) => {
        await tx.run(sql`INSERT INTO t VALUES (1, 'a')`);
        await tx.run(sql`INSERT OR ROLLBACK INTO t VALUES (1, 'b')`).catch(() => undefined);
        for (let n = 0; n < after; n++) await tx.run(sql`INSERT INTO t VALUES (2, 'c')`);
      }),
      /The database has rolled back the transaction/,
    );
    assert.deepEqual(await database.all(sql`SELECT * FROM t`), []);
    database.close();
  });
}

Deno.test("file: closing during a write loses this write and nothing else", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/test.db`;
  const database = await openFileDatabase({ path });
  await makeTable(database);
  await assert.rejects(
    database.write(async (tx) => {
      await tx.run(sql`INSERT INTO t VALUES (1, 'a')`);
      database.close();
      await tx.run(sql`INSERT INTO t VALUES (2, 'b')`);
    }),
  );
  const again = await openFileDatabase({ path });
  assert.deepEqual(await again.all(sql`SELECT * FROM t`), []);
  again.close();
});

Deno.test("file: while a write commits, others read without waiting", async () => {
  await using folder = await temporaryFolder();
  const database = await openFileDatabase({ path: `${folder.path}/test.db` });
  await makeTable(database);
  const { exec } = Asynchronous.prototype;
  const meanwhile: unknown[] = [];
  Asynchronous.prototype.exec = function (this: unknown, statement: string): Promise<unknown> {
    const ended = exec.call(this, statement);
    // The commit is running on its thread, and its end has not been recorded.
    void database.all<{ n: number }>(sql`SELECT count(*) AS n FROM t`).then(([row]) =>
      meanwhile.push(row!.n)
    );
    return ended;
  };
  const ends = [beginRequest(), beginRequest()];
  try {
    await database.write((tx) => tx.run(sql`INSERT INTO t VALUES (1, 'a')`));
    assert.equal(meanwhile.length, 1);
    await database.write((tx) => tx.run(sql`INSERT INTO t VALUES (2, 'b')`));
    assert.deepEqual((await database.all(sql`SELECT id FROM t ORDER BY id`)).map(({ id }) => id), [1, 2]);
  } finally {
    for (const end of ends) end();
    Asynchronous.prototype.exec = exec;
    database.close();
  }
});

Deno.test("file: other work runs between the statements of runAll", async () => {
  await using folder = await temporaryFolder();
  const database = await openFileDatabase({ path: `${folder.path}/test.db` });
  await makeTable(database);
  const statements = Array.from({ length: 10 }, (_, index) => sql`INSERT INTO t VALUES (${index + 1}, 'a')`);
  assert.equal(await countPauses(() => database.write((tx) => tx.runAll(statements))), 10);
  database.close();
});

Deno.test("the maximum number of values is bound; one more is refused before it reaches the database", async () => {
  await using database = await testDatabase();
  const rows = (count: number) => {
    const values = Array.from({ length: count - 1 }, () => sql`${2}`);
    return database.all(sql`SELECT 1 AS n WHERE ${2} IN (${sql.join(values, sql`, `)})`);
  };
  assert.deepEqual(await rows(MAX_SQL_VALUES), [{ n: 1 }]);
  assert.equal((await refusal(() => rows(MAX_SQL_VALUES + 1))).code, "too_large");
});
