/** Short writes that arrive together share a transaction, and each of them is still atomic. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { ALONE_GROUPS, GROUP_WRITES } from "../../src/db/limits.ts";
import type { Database, Transaction } from "../../src/db/mod.ts";
import { refusal } from "../support/refusals.ts";

interface Opened extends AsyncDisposable {
  readonly database: Database;
  /** Another connection, which sees what is committed. */
  readonly other: Database;
}

async function opened(): Promise<Opened> {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/test.db`;
  // No time limit, so that the speed of the machine does not matter.
  const database = await openFileDatabase({ path, groupMs: Infinity });
  await database.write((tx) =>
    tx.runAll([
      sql`CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT NOT NULL CHECK (x <> 'refused')) STRICT`,
      sql`CREATE TRIGGER t_broken BEFORE INSERT ON t WHEN NEW.x = 'broken' BEGIN SELECT RAISE(ROLLBACK, 'broken'); END`,
      sql`CREATE TABLE child (id INTEGER REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED) STRICT`,
    ])
  );
  const other = await openFileDatabase({ path });
  return {
    database,
    other,
    async [Symbol.asyncDispose](): Promise<void> {
      database.close();
      other.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

const SHORT = { short: true };

async function count(reader: Pick<Database, "all"> | Transaction): Promise<number> {
  const [row] = await reader.all<{ n: number }>(sql`SELECT count(*) AS n FROM t`);
  return row?.n ?? 0;
}

async function values(reader: Database): Promise<string[]> {
  return (await reader.all<{ x: string }>(sql`SELECT x FROM t ORDER BY x`)).map(({ x }) => x);
}

/** Stores two rows, of which the second one may be refused. */
function store(database: Database, x: string): Promise<string> {
  return database.write(async (tx) => {
    await tx.run(sql`INSERT INTO t (x) VALUES (${`before ${x}`})`);
    await tx.run(sql`INSERT INTO t (x) VALUES (${x})`);
    return x;
  }, SHORT);
}

Deno.test("short writes that arrive together share a transaction, and end when it is committed", async () => {
  await using open = await opened();
  const { database, other } = open;
  const seen: { inside: number; committed: number }[] = [];
  const ended: number[] = [];
  await Promise.all([1, 2, 3].map(async (n) => {
    await database.write(async (tx) => {
      await tx.run(sql`INSERT INTO t (x) VALUES (${`row ${n}`})`);
      seen.push({ inside: await count(tx), committed: await count(other) });
    }, SHORT);
    ended.push(await count(other));
  }));
  assert.deepEqual(seen, [
    { inside: 1, committed: 0 },
    { inside: 2, committed: 0 },
    { inside: 3, committed: 0 },
  ]);
  assert.deepEqual(ended, [3, 3, 3]);
  assert.equal(database.writeQueue?.waiting, 0);
});

Deno.test("other requests run between the writes of one transaction", async () => {
  await using open = await opened();
  const { database, other } = open;
  let begun = 0;
  const seen: { begun: number; committed: number }[] = [];
  await Promise.all(Array.from({ length: 4 }, (_, n) =>
    database.write(async (tx) => {
      if (++begun === 1) setTimeout(async () => seen.push({ begun, committed: await count(other) }), 0);
      await tx.run(sql`INSERT INTO t (x) VALUES (${`row ${n}`})`);
      // Longer than a slice.
      for (const end = performance.now() + 8; performance.now() < end;);
    }, SHORT)));
  assert.deepEqual(seen, [{ begun: 1, committed: 0 }]);
  assert.equal(await count(other), 4);
});

Deno.test("a write that arrives a little later joins the open transaction of an earlier one", async () => {
  await using open = await opened();
  const { database, other } = open;
  const rounds = 2 * ALONE_GROUPS;
  let shared = 0;
  for (let round = 0; round < rounds; round++) {
    const later = Promise.withResolvers<void>();
    await database.write(async (tx) => {
      await tx.run(sql`INSERT INTO t (x) VALUES (${`row ${round}`})`);
      setTimeout(() => {
        later.resolve(database.write(async (tx) => {
          if (await count(tx) > await count(other)) shared++;
        }, SHORT));
      }, 0);
    }, SHORT);
    await later.promise;
  }
  assert(shared > 0);
  assert.equal(await count(other), rounds);
});

Deno.test("a write of a group that fails stores nothing, and the others are stored", async () => {
  for (const order of [["a", "refused", "b"], ["refused", "a", "b"], ["a", "b", "refused"], ["refused"]]) {
    await using open = await opened();
    const { database, other } = open;
    const results = await Promise.allSettled(order.map((x) => store(database, x)));
    for (const [index, result] of results.entries()) {
      if (order[index] !== "refused") {
        assert.deepEqual(result, { status: "fulfilled", value: order[index] });
        continue;
      }
      const alone = await refusal(database.write((tx) => tx.run(sql`INSERT INTO t (x) VALUES ('refused')`)));
      assert(result.status === "rejected");
      assert.deepEqual([result.reason.code, result.reason.message], [alone.code, alone.message]);
    }
    const stored = order.filter((x) => x !== "refused");
    assert.deepEqual(await values(other), [...stored, ...stored.map((x) => `before ${x}`)].sort());
  }
});

Deno.test("when SQLite rolls back a whole group, the other writes of it run again", async () => {
  await using open = await opened();
  const { database, other } = open;
  const results = await Promise.allSettled(["a", "b", "broken", "c"].map((x) => store(database, x)));
  assert.deepEqual(results.map(({ status }) => status), ["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  assert.match(String((results[2] as PromiseRejectedResult).reason), /broken/);
  assert.deepEqual(await values(other), ["a", "b", "before a", "before b", "before c", "c"]);
  assert.equal(await store(database, "d"), "d");
});

Deno.test("when a COMMIT fails, no write of the group was stored and each reports it; later ones are stored", async () => {
  await using open = await opened();
  const { database, other } = open;
  const called: string[] = [];
  const results = await Promise.allSettled([
    database.write(async (tx) => {
      tx.afterCommit(() => called.push("first"));
      await tx.run(sql`INSERT INTO t (x) VALUES ('a')`);
    }, SHORT),
    database.write((tx) => tx.run(sql`INSERT INTO child (id) VALUES (99)`), SHORT),
  ]);
  assert.deepEqual(results.map(({ status }) => status), ["rejected", "rejected"]);
  assert.deepEqual([await values(other), called], [[], []]);
  await database.write(async (tx) => {
    tx.afterCommit(() => called.push("second"));
    await tx.run(sql`INSERT INTO t (x) VALUES ('b')`);
  }, SHORT);
  assert.deepEqual([await values(other), called], [["b"], ["second"]]);
});

Deno.test("a group is limited: another write that waits has its turn before all short ones have", async () => {
  await using open = await opened();
  const { database, other } = open;
  const many = Array.from(
    { length: 3 * GROUP_WRITES },
    (_, n) => database.write((tx) => tx.run(sql`INSERT INTO t (x) VALUES (${`row ${n}`})`), SHORT),
  );
  const before = await database.write((tx) => count(tx));
  assert(before > 0 && before <= GROUP_WRITES, `${before} rows`);
  await Promise.all(many);
  assert.equal(await count(other), 3 * GROUP_WRITES);
});

Deno.test("a short write within a write is refused", async () => {
  await using open = await opened();
  const { database } = open;
  for (const options of [SHORT, {}]) {
    await assert.rejects(
      database.write(() => store(database, "a"), options),
      /A write was started within a write/,
    );
  }
  assert.deepEqual(await values(database), []);
});

Deno.test("a statement after the end of a write that shares its transaction is refused", async () => {
  await using open = await opened();
  const { database, other } = open;
  let leaked: Transaction | undefined;
  await Promise.all([
    database.write((tx) => Promise.resolve(leaked = tx), SHORT),
    database.write(async (tx) => {
      await tx.run(sql`INSERT INTO t (x) VALUES ('a')`);
      await assert.rejects(
        (leaked as Transaction).run(sql`INSERT INTO t (x) VALUES ('b')`),
        /The transaction has ended/,
      );
    }, SHORT),
  ]);
  assert.deepEqual(await values(other), ["a"]);
});
