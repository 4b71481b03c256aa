/** A copy of a server's database in a file: the guarantees of every database, and those of copies. */

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

Deno.test("replica: the next read after a write sees it, and the copy answers it", async () => {
  await using copied = await openCopied();
  const { database } = copied;
  await database.write((tx) => tx.run(TABLE));
  const local = database.localReads;
  for (let n = 1; n <= 30; n++) {
    await database.write((tx) => tx.run(sql`INSERT INTO t (x) VALUES ('own')`));
    assert.equal(await rows(database), n);
  }
  // On a busy machine a copy may be too old, so that the server is queried; this is the exception.
  assert(database.localReads > local);
});

Deno.test("replica: writes of others are visible within a second, and reads stay local", async () => {
  await using copied = await openCopied();
  const { database, server } = copied;
  await database.write((tx) => tx.run(TABLE));
  const other = openRemoteDatabase({ url: server.url });
  await other.write((tx) => tx.run(sql`INSERT INTO t (x) VALUES ('other')`));
  other.close();
  const before = database.localReads;
  // An older copy answers no reads.
  while (await rows(database) === 0) {
    assert(database.copy.ageMs < 20 * REPLICA_MAX_AGE_MS, "The copy stays behind");
    await new Promise((done) => setTimeout(done, 5));
  }
  assert(database.localReads > before);
});

const unavailable = (error: unknown): boolean =>
  error instanceof AppError && error.code === "unavailable" && error.headers["Retry-After"] === "5";

for (const away of ["kill", "SIGSTOP"] as const) {
  Deno.test(`replica: while its server is away (${away}) the copy answers, marked as stale, and recovers`, async () => {
    await using copied = await openCopied({ timeoutMs: 1_000, staleMs: 120_000 });
    const { database, server } = copied;
    await database.write((tx) => tx.run(TABLE));
    assert.equal(await rows(database), 0);
    if (away === "kill") await server.kill();
    else await server.signal(away);
    await new Promise((done) => setTimeout(done, REPLICA_MAX_AGE_MS + 100));
    assert.equal(database.copy.isStale, false);
    assert.equal(await rows(database), 0);
    assert.equal(database.copy.isStale, true);
    assert(database.copy.ageMs > REPLICA_MAX_AGE_MS);
    await assert.rejects(database.write((tx) => tx.run(sql`INSERT INTO t (x) VALUES ('lost')`)), unavailable);
    const [asked, local] = [performance.now(), database.localReads];
    for (let n = 0; n < 30; n++) assert.equal(await rows(database), 0);
    assert.equal(database.localReads - local, 30);
    // Each would take a second if it waited for the server.
    assert(performance.now() - asked < 10_000, "Reads wait for the server");
    if (away === "kill") await server.restart();
    else await server.signal("SIGCONT");
    await eventually(() => database.write((tx) => tx.run(sql`INSERT INTO t (x) VALUES ('kept')`)));
    assert.equal(await rows(database), 1);
    assert.equal(database.copy.isStale, false);
  });

  Deno.test(`replica: without its server (${away}) a copy older than the limit refuses reads, and recovers`, async () => {
    await using copied = await openCopied({ timeoutMs: 3_000, staleMs: REPLICA_MAX_AGE_MS });
    const { database, server } = copied;
    await database.write((tx) => tx.run(TABLE));
    if (away === "kill") await server.kill();
    else await server.signal(away);
    await new Promise((done) => setTimeout(done, REPLICA_MAX_AGE_MS + 100));
    await assert.rejects(rows(database), unavailable);
    await assert.rejects(database.write((tx) => tx.run(sql`INSERT INTO t (x) VALUES ('lost')`)), unavailable);
    if (away === "kill") await server.restart();
    else await server.signal("SIGCONT");
    await eventually(() => database.write((tx) => tx.run(sql`INSERT INTO t (x) VALUES ('kept')`)));
    assert.equal(await rows(database), 1);
  });
}

/** Repeats a write that the server may still refuse: it first completes the requests from the time when it hung. */
async function eventually(write: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1;; attempt++) {
    try {
      return void await write();
    } catch (error) {
      if (attempt === 10) throw error;
    }
  }
}

Deno.test("replica: an existing copy is used again, and only its owner may read the file", async () => {
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

Deno.test("replica: a file that is not a copy is refused and not changed", async () => {
  await using server = await startLibsqlServer();
  const folder = await Deno.makeTempDir();
  const path = `${folder}/certmgr.db`;
  await Deno.writeTextFile(path, "precious");
  await assert.rejects(openReplicaDatabase({ path, url: server.url }));
  assert.equal(await Deno.readTextFile(path), "precious");
  await Deno.remove(folder, { recursive: true });
});
