/** A copy of a server's database in a file: what is true of every database, and what only a copy can get wrong. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { dirname } from "node:path";
import { AppError } from "../../src/base/errors.ts";
import { REPLICA_MAX_AGE_MS } from "../../src/db/limits.ts";
import { openRemoteDatabase } from "../../src/db/remote_client.ts";
import { openReplicaDatabase, type ReplicaDatabase } from "../../src/db/replica_client.ts";
import { testConformance } from "../db/database_conformance.ts";
import { type LibsqlServer, startLibsqlServer } from "../support/libsql_server.ts";

interface Copied extends AsyncDisposable {
  readonly server: LibsqlServer;
  readonly database: ReplicaDatabase;
  readonly path: string;
}

async function openCopied(options: { timeoutMs?: number; staleMs?: number } = {}): Promise<Copied> {
  const server = await startLibsqlServer();
  const folder = await Deno.makeTempDir({ prefix: "certmgr-replica-" });
  const path = `${folder}/copies/replica.db`;
  const database = await openReplicaDatabase({ path, url: server.url, ...options });
  return {
    server,
    database,
    path,
    async [Symbol.asyncDispose](): Promise<void> {
      await database[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

testConformance("replica", () => openCopied());

const TABLE = sql`CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT NOT NULL) STRICT`;

async function rows(database: Pick<ReplicaDatabase, "all">): Promise<number> {
  const [row] = await database.all<{ n: number }>(sql`SELECT count(*) AS n FROM t`);
  return row!.n;
}

Deno.test("replica: each write is seen by the very next read, and the copy answers it", async () => {
  await using copied = await openCopied();
  const { database } = copied;
  await database.write((tx) => tx.run(TABLE));
  const local = database.localReads;
  for (let n = 1; n <= 30; n++) {
    await database.write((tx) => tx.run(sql`INSERT INTO t (x) VALUES ('own')`));
    assert.equal(await rows(database), n);
  }
  assert.equal(database.localReads - local, 30);
});

Deno.test("replica: what others write is seen within a second, and reads meanwhile are local", async () => {
  await using copied = await openCopied();
  const { database, server } = copied;
  await database.write((tx) => tx.run(TABLE));
  const other = openRemoteDatabase({ url: server.url });
  await other.write((tx) => tx.run(sql`INSERT INTO t (x) VALUES ('other')`));
  other.close();
  const wrote = performance.now();
  const before = database.localReads;
  let reads = 0;
  while (await rows(database) === 0) {
    reads++;
    assert(performance.now() - wrote < 2 * REPLICA_MAX_AGE_MS, "The copy stays behind");
    await new Promise((done) => setTimeout(done, 5));
  }
  assert.equal(database.localReads - before, reads + 1);
});

const unavailable = (error: unknown): boolean =>
  error instanceof AppError && error.code === "unavailable" && error.headers["Retry-After"] === "5";

for (const [what, limit] of [["kill", 4_000], ["SIGSTOP", 4_000]] as const) {
  Deno.test(`replica: while its server is away (${what}) the copy answers and says so, up to its limit; it recovers`, async () => {
    await using copied = await openCopied({ timeoutMs: 1_000, staleMs: limit });
    const { database, server } = copied;
    await database.write((tx) => tx.run(TABLE));
    assert.equal(await rows(database), 0);
    if (what === "kill") await server.kill();
    else server.signal(what);
    const gone = performance.now();
    await new Promise((done) => setTimeout(done, REPLICA_MAX_AGE_MS + 100));
    assert.equal(database.copy.isStale, false);
    assert.equal(await rows(database), 0);
    assert.equal(database.copy.isStale, true);
    assert(database.copy.ageMs > REPLICA_MAX_AGE_MS);
    const began = performance.now();
    await assert.rejects(database.write((tx) => tx.run(sql`INSERT INTO t (x) VALUES ('lost')`)), unavailable);
    assert(performance.now() - began < 2_500, "The write waits for long");
    for (let n = 0; performance.now() - gone < limit - 300; n++) {
      const asked = performance.now();
      await rows(database);
      assert(performance.now() - asked < 500, `Read ${n} waits for the server`);
      await new Promise((done) => setTimeout(done, 50));
    }
    await new Promise((done) => setTimeout(done, limit + 300 - (performance.now() - gone)));
    await assert.rejects(rows(database), unavailable);
    if (what === "kill") await server.restart();
    else server.signal("SIGCONT");
    await database.write((tx) => tx.run(sql`INSERT INTO t (x) VALUES ('kept')`));
    assert.equal(await rows(database), 1);
    assert.equal(database.copy.isStale, false);
  });
}

Deno.test("replica: without its server nothing is answered from a copy beyond its limit; it recovers", async () => {
  await using copied = await openCopied({ staleMs: REPLICA_MAX_AGE_MS });
  const { database, server } = copied;
  await database.write((tx) => tx.run(TABLE));
  await server.kill();
  await new Promise((done) => setTimeout(done, REPLICA_MAX_AGE_MS + 100));
  await assert.rejects(rows(database), unavailable);
  await assert.rejects(database.write((tx) => tx.run(sql`INSERT INTO t (x) VALUES ('lost')`)), unavailable);
  await server.restart();
  await database.write((tx) => tx.run(sql`INSERT INTO t (x) VALUES ('kept')`));
  assert.equal(await rows(database), 1);
});

Deno.test("replica: a copy that is there is taken up again, and is the owner's alone", async () => {
  await using copied = await openCopied();
  const { database, server, path } = copied;
  await database.write((tx) => tx.run(TABLE));
  await database[Symbol.asyncDispose]();
  const other = openRemoteDatabase({ url: server.url });
  await other.write((tx) => tx.run(sql`INSERT INTO t (x) VALUES ('meanwhile')`));
  other.close();
  const again = await openReplicaDatabase({ path, url: server.url });
  assert.equal(await rows(again), 1);
  await again.write((tx) => tx.run(sql`INSERT INTO t (x) VALUES ('own')`));
  assert.equal(await rows(again), 2);
  const files = await Array.fromAsync(Deno.readDir(dirname(path)), ({ name }) => name);
  assert(files.length > 2, files.join());
  for (const name of files) {
    assert.equal((await Deno.stat(`${dirname(path)}/${name}`)).mode! & 0o777, 0o600, name);
  }
  await again[Symbol.asyncDispose]();
});

Deno.test("replica: a file that is no copy is refused and left as it is", async () => {
  await using server = await startLibsqlServer();
  const folder = await Deno.makeTempDir();
  const path = `${folder}/certmgr.db`;
  await Deno.writeTextFile(path, "precious");
  await assert.rejects(openReplicaDatabase({ path, url: server.url }));
  assert.equal(await Deno.readTextFile(path), "precious");
  await Deno.remove(folder, { recursive: true });
});
