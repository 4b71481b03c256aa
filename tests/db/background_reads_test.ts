/** Long reads in the background: when they wait or are refused. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { type BackgroundConnection, BackgroundReads, SlowStatements } from "../../src/db/background_reads.ts";
import type { Row } from "../../src/db/database.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import {
  BACKGROUND_CONNECTIONS,
  MAX_WAITING_READS,
  SLOW_STATEMENT_MS,
  WAITING_SHARE,
} from "../../src/db/limits.ts";
import { testDatabase } from "../support/database.ts";
import { refusal } from "../support/refusals.ts";

/** Returns connections whose reads end when the test ends them. */
function connections(): {
  open: () => Promise<BackgroundConnection>;
  started: string[];
  end: (name: string) => void;
  closed: number[];
} {
  const ends: { name: string; end: () => void }[] = [];
  const started: string[] = [];
  const closed: number[] = [];
  let opened = 0;
  return {
    started,
    closed,
    end: (name) => ends.filter((each) => each.name === name).forEach(({ end }) => end()),
    open: () => {
      const number = opened++;
      return Promise.resolve({
        isWorn: false,
        close: () => void closed.push(number),
        read: (statements) => {
          const name = statements[0]!.sql;
          started.push(name);
          const { promise, resolve } = Promise.withResolvers<Row[][]>();
          ends.push({ name, end: () => resolve([[{ name }]]) });
          return promise;
        },
      });
    },
  };
}

/** Lets all pending callbacks run. */
const settled = (): Promise<void> => new Promise((done) => setTimeout(done, 0));

const statement = (name: string): { sql: string; args: never[] }[] => [{ sql: name, args: [] }];

Deno.test("long reads of one user run one at a time, and those of another user do not wait for them", async () => {
  const made = connections();
  const reads = new BackgroundReads({ open: made.open, timeoutMs: 60_000 });
  const first = reads.read(statement("a1"), 1);
  const second = reads.read(statement("a2"), 1);
  const other = reads.read(statement("b1"), 2);
  await settled();
  assert.deepEqual(made.started, ["a1", "b1"]);
  made.end("b1");
  assert.deepEqual((await other).results, [[{ name: "b1" }]]);
  assert.deepEqual(made.started, ["a1", "b1"]);
  made.end("a1");
  assert.deepEqual((await first).results, [[{ name: "a1" }]]);
  await settled();
  assert.deepEqual(made.started, ["a1", "b1", "a2"]);
  made.end("a2");
  assert.deepEqual((await second).results, [[{ name: "a2" }]]);
  reads.close();
  assert.deepEqual(made.closed.toSorted(), [0, 1]);
});

Deno.test("a long read is abandoned after the time limit, also while it waits; its connection is used again when the read ends", async () => {
  const made = connections();
  const reads = new BackgroundReads({ open: made.open, timeoutMs: 1 });
  const running = refusal(reads.read(statement("a1"), 1));
  const waiting = refusal(reads.read(statement("a2"), 1));
  for (const refused of [await running, await waiting]) {
    assert.equal(refused.code, "unavailable");
    assert.match(JSON.stringify(refused.public), /took longer than 0\.001 s/);
  }
  assert.deepEqual(made.started, ["a1"]);
  const third = refusal(reads.read(statement("a3"), 1));
  await third;
  assert.deepEqual(made.started, ["a1"]);
  made.end("a1");
  reads.close();
});

Deno.test("the time for which a long read waits does not count as its duration", async () => {
  const made = connections();
  const reads = new BackgroundReads({ open: made.open, timeoutMs: 60_000 });
  const first = reads.read(statement("a1"), 1);
  const second = reads.read(statement("a2"), 1);
  await new Promise((done) => setTimeout(done, 200));
  made.end("a1");
  await settled();
  const resumed = performance.now();
  made.end("a2");
  const { tookMs } = await second;
  assert((await first).tookMs >= 190);
  assert(tookMs <= performance.now() - resumed + 100, "The 200 ms count");
  reads.close();
});

Deno.test("more long reads than may wait are refused", async () => {
  const made = connections();
  const reads = new BackgroundReads({ open: made.open, timeoutMs: 60_000 });
  const number = MAX_WAITING_READS + BACKGROUND_CONNECTIONS;
  const accepted = Array.from({ length: number }, (_, index) => reads.read(statement(`${index}`), index));
  const ended = Promise.allSettled(accepted);
  const refused = await refusal(reads.read(statement("one more"), number));
  assert.equal(refused.code, "unavailable");
  await settled();
  assert.equal(made.started.length, BACKGROUND_CONNECTIONS);
  reads.close();
  for (const name of made.started) made.end(name);
  assert.equal((await ended).filter(({ status }) => status === "fulfilled").length, BACKGROUND_CONNECTIONS);
});

Deno.test("one user cannot fill the queue of long reads", async () => {
  const made = connections();
  const reads = new BackgroundReads({ open: made.open, timeoutMs: 60_000 });
  const own = Array.from({ length: 1 + WAITING_SHARE }, (_, index) => reads.read(statement(`${index}`), 1));
  const ended = Promise.allSettled(own);
  const refused = await refusal(reads.read(statement("one more"), 1));
  assert.match(JSON.stringify(refused.public), /50 long queries of this user are waiting already/);
  const other = reads.read(statement("other"), 2);
  await settled();
  assert.deepEqual(made.started, ["0", "other"]);
  made.end("other");
  assert.deepEqual((await other).results, [[{ name: "other" }]]);
  reads.close();
  made.end("0");
  await ended;
});

Deno.test("a statement that is slow repeatedly is remembered as slow until it is fast for some time", () => {
  const slow = new SlowStatements();
  const one = { sql: "SELECT 1", args: [] };
  const run = (...elapsed: number[]): boolean => {
    for (const each of elapsed) slow.note(one, each);
    return slow.includes([{ sql: "SELECT 2" }, one]);
  };
  const [fast, long] = [SLOW_STATEMENT_MS - 1, SLOW_STATEMENT_MS];
  assert.equal(run(long), false, "Once by a busy machine");
  assert.equal(run(fast, fast, fast, fast, long), false, "Now and then by a busy machine");
  assert.equal(run(fast, fast, fast, fast, long, long), true);
  assert.equal(run(fast), false);
  assert.equal(run(long), true);
  assert.equal(run(long, long, long, fast, fast, fast, fast), true, "Slow for long, with some values");
  assert.equal(run(fast), false);
  assert.equal(run(long, fast, long, fast, long), true, "Slow with every other value");
});

/** Takes some tenths of a second. */
const LONG =
  sql`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000000)
  SELECT max(n) AS n FROM numbers`;

Deno.test("a long read of a file lets others run, and sees everything that was committed before", async () => {
  await using template = await testDatabase();
  const database = await openFileDatabase({ path: template.path, queryTimeoutMs: 60_000 });
  try {
    await database.write((tx) =>
      tx.runAll([
        sql`INSERT INTO tags (name, slug, created, last_updated) VALUES (${"Ä b'\"?"}, ${"a-b"}, ${5}, ${6})`,
      ])
    );
    const order: string[] = [];
    const long = database.batch([
      LONG,
      sql`SELECT name, created, ${null} AS none, ${1.5} AS part FROM tags`,
    ], {
      long: true,
      owner: 1,
    }).then((results) => {
      order.push("long");
      return results;
    });
    await database.all(sql`SELECT 1`);
    await database.write((tx) => tx.runAll([sql`UPDATE tags SET slug = 'later'`]));
    order.push("short");
    assert.deepEqual(await long, [[{ n: 1_000_000 }], [{
      name: "Ä b'\"?",
      created: 5,
      none: null,
      part: 1.5,
    }]]);
    assert.deepEqual(order, ["short", "long"]);
    assert.deepEqual(await database.all(sql`SELECT slug FROM tags`, { long: true }), [{ slug: "later" }]);
    await assert.rejects(
      database.all(sql`SELECT missing FROM tags`, { long: true }),
      /no such column: missing/,
    );
    await assert.rejects(database.all(sql`DELETE FROM tags RETURNING id`, { long: true }), /read-only/);
    assert.deepEqual(await database.all(sql`SELECT count(*) AS n FROM tags`, { long: true }), [{ n: 1 }]);
  } finally {
    database.close();
  }
});

Deno.test("a database is closed while a long read runs, and a later one is refused", async () => {
  await using template = await testDatabase();
  const database = await openFileDatabase({ path: template.path, queryTimeoutMs: 60_000 });
  const running = database.all(LONG, { long: true }).then(() => "done", () => "refused");
  database.close();
  assert.match(await running, /^(?:done|refused)$/);
  await assert.rejects(database.all(LONG, { long: true }), /The database is closed/);
});
