/** Several processes on one database file. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { AppError } from "../../src/base/errors.ts";
import type { Database } from "../../src/db/mod.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { BACKGROUND_CONNECTIONS } from "../../src/db/limits.ts";

const WRITER = new URL("./writer_process.ts", import.meta.url);

/** Starts a process that uses the file; see `writer_process.ts`. */
function start(path: string, ...args: string[]): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "--no-check", "-A", WRITER.pathname, path, ...args],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

async function* lines(process: Deno.ChildProcess): AsyncGenerator<string> {
  let rest = "";
  for await (const text of process.stdout.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n");
    rest = parts.pop()!;
    yield* parts;
  }
}

async function withDatabase(
  work: (database: Database, path: string) => Promise<void>,
  options: { busyTimeoutMs?: number } = {},
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/test.db`;
  const database = await openFileDatabase({ path, ...options });
  try {
    await database.write((tx) =>
      tx.run(sql`CREATE TABLE t (id INTEGER PRIMARY KEY, writer TEXT NOT NULL) STRICT`)
    );
    await work(database, path);
  } finally {
    database.close();
    await Deno.remove(folder, { recursive: true });
  }
}

async function countOf(database: Database, writer: string): Promise<number> {
  const [row] = await database.all<{ n: number }>(sql`SELECT count(*) AS n FROM t WHERE writer = ${writer}`);
  return row!.n;
}

Deno.test("three processes that write at once all succeed, and none stops another's event loop", async () => {
  await withDatabase(async (database, path) => {
    const others = ["a", "b"].map((name) => start(path, "write", name, "200"));
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5);
    for (let n = 0; n < 200; n++) {
      await database.write(async (tx) => {
        await tx.run(sql`INSERT INTO t (writer) VALUES ('here')`);
        await new Promise((done) => setTimeout(done, 1));
      });
    }
    for (const other of others) {
      for await (const _ of lines(other));
      assert.ok((await other.status).success);
    }
    clearInterval(timer);
    for (const name of ["a", "b", "here"]) assert.equal(await countOf(database, name), 200, name);
    assert.ok(longest < 4_000, `event loop stood still for ${longest} ms`);
  });
});

Deno.test("a write waits for the lock of another process, and reads continue", async () => {
  await withDatabase(async (database, path) => {
    const holder = start(path, "hold", "holder", "400");
    const output = lines(holder);
    assert.equal((await output.next()).value, "holding");
    const write = database.write((tx) => tx.run(sql`INSERT INTO t (writer) VALUES ('here')`));
    assert.equal(await countOf(database, "holder"), 0);
    await write;
    assert.equal(await countOf(database, "holder"), 1, "the other one came first");
    for await (const _ of output);
    assert.ok((await holder.status).success);
  });
});

Deno.test("a write that cannot get the lock is refused as unavailable, and succeeds when the lock is released", async () => {
  await withDatabase(async (database, path) => {
    const holder = start(path, "hold", "holder", "60000");
    const output = lines(holder);
    assert.equal((await output.next()).value, "holding");
    await assert.rejects(
      database.write((tx) => tx.run(sql`INSERT INTO t (writer) VALUES ('here')`)),
      (error) => error instanceof AppError && error.code === "unavailable",
    );
    holder.kill("SIGKILL");
    for await (const _ of output);
    await holder.status;
    await database.write((tx) => tx.run(sql`INSERT INTO t (writer) VALUES ('here')`));
    assert.equal(await countOf(database, "here"), 1);
    assert.equal(await countOf(database, "holder"), 0);
  }, { busyTimeoutMs: 50 });
});

Deno.test("a process that is killed while it writes leaves an intact database with every answered write", async () => {
  for (let round = 0; round < 3; round++) {
    await withDatabase(async (database, path) => {
      const writer = start(path, "write", "killed", "1000000");
      let answered = 0;
      let killed = false;
      for await (const line of lines(writer)) {
        answered = Number(line);
        if (killed || answered < 50 + round * 37) continue;
        killed = true;
        writer.kill("SIGKILL");
      }
      await writer.status;
      const stored = await countOf(database, "killed");
      assert.ok(stored === answered || stored === answered + 1, `${answered} answered, ${stored} stored`);
      assert.deepEqual(await database.all(sql`PRAGMA integrity_check`), [{ integrity_check: "ok" }]);
      await database.write((tx) => tx.run(sql`INSERT INTO t (writer) VALUES ('here')`));
    });
  }
});

Deno.test("a commit does not wait for as many long reads as may run at a time", async () => {
  await withDatabase(async (database, path) => {
    const other = start(path, "scan", "a", String(BACKGROUND_CONNECTIONS));
    const ended = await Array.fromAsync(lines(other));
    assert.equal((await other.status).code, 0);
    assert.deepEqual(ended, ["row", ...Array(BACKGROUND_CONNECTIONS).fill("scan")]);
    assert.equal(await countOf(database, "a"), 1);
  });
});
