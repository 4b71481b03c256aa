/** The guarantees of every database adapter. Each adapter's test file runs all of them. */

import assert from "node:assert/strict";
import { type SQL, sql } from "drizzle-orm";
import { AppError } from "../../src/base/errors.ts";
import {
  type Database,
  insertInto,
  insertRows,
  jsonText,
  migrate,
  nextIds,
  select,
  type Transaction,
  updateRows,
} from "../../src/db/mod.ts";
import { MIGRATIONS } from "../../src/db/migration_files.ts";
import { certificates, tenants } from "../../src/db/schema/mod.ts";
import { INDEX_ALL } from "../support/search_index.ts";

/** Opens an empty database that removes itself. */
export type OpenEmpty = () => Promise<{ readonly database: Database } & AsyncDisposable>;

/** Registers the tests of one adapter. */
export function testConformance(adapter: string, open: OpenEmpty): void {
  for (const [guarantee, check] of Object.entries(GUARANTEES)) {
    Deno.test(`${adapter}: ${guarantee}`, async () => {
      await using opened = await open();
      await check(opened.database);
    });
  }
}

/** Creates a table with one counter. */
async function counter(database: Database): Promise<void> {
  await database.write(async (tx) => {
    await tx.run(
      sql`CREATE TABLE counter (id INTEGER PRIMARY KEY, n INTEGER NOT NULL UNIQUE CHECK (n < 1000)) STRICT`,
    );
    await tx.run(sql`INSERT INTO counter VALUES (1, 0)`);
  });
}

async function count(database: Pick<Database, "all">): Promise<number> {
  const [row] = await database.all<{ n: number }>(sql`SELECT n FROM counter WHERE id = 1`);
  return row!.n;
}

function increment(tx: Transaction): Promise<number> {
  return tx.run(sql`UPDATE counter SET n = n + 1 WHERE id = 1`);
}

const GUARANTEES: Record<string, (database: Database) => Promise<void>> = {
  async "rows are plain objects by column name, values as they were stored"(database): Promise<void> {
    const text = `"quotes" 'more' \\ \n é 😀 123`;
    const rows = await database.all(
      sql`SELECT ${text} AS text, ${"123"} AS digits, ${""} AS empty, ${42} AS whole, ${Number.MAX_SAFE_INTEGER} AS large, ${-7} AS negative, ${1.5} AS fraction, ${true} AS yes, ${false} AS no, ${null} AS absent`,
    );
    assert.deepStrictEqual(rows, [{
      text,
      digits: "123",
      empty: "",
      whole: 42,
      large: Number.MAX_SAFE_INTEGER,
      negative: -7,
      fraction: 1.5,
      yes: 1,
      no: 0,
      absent: null,
    }]);
  },

  async "whole numbers are bound as INTEGER, others as REAL"(database): Promise<void> {
    const [row] = await database.all(
      sql`SELECT typeof(${5}) AS whole, typeof(${5.5}) AS fraction, typeof(${"5"}) AS text, ${3} || '' AS joined`,
    );
    assert.deepStrictEqual(row, { whole: "integer", fraction: "real", text: "text", joined: "3" });
  },

  async "a text with a null character is refused, a lone surrogate becomes U+FFFD"(database): Promise<void> {
    const refused = (error: unknown): boolean => error instanceof AppError && error.code === "invalid";
    await assert.rejects(database.all(sql`SELECT ${"a\0b"}`), refused);
    await assert.rejects(database.write((tx) => tx.run(sql`SELECT ${"a\0b"}`)), refused);
    assert.deepStrictEqual(await database.all(sql`SELECT ${"a\ud800b"} AS text`), [{ text: "a\ufffdb" }]);
  },

  async "values that no column can hold are refused"(database): Promise<void> {
    for (const value of [NaN, Infinity, 2 ** 53, 1e300, undefined, new Date(0), {}]) {
      await assert.rejects(database.all(sql`SELECT ${sql.param(value)}`), TypeError);
    }
  },

  async "statements of the query builder run"(database): Promise<void> {
    await migrate(database, { migrations: MIGRATIONS, now: 1 });
    const row = { name: "Acme", slug: "acme", description: "", created: 1, last_updated: 2 };
    assert.equal(await database.write((tx) => tx.run(insertInto(tenants).values(row))), 1);
    const { id, name, created } = tenants;
    assert.deepStrictEqual(await database.all(select({ id, name, created }).from(tenants)), [
      { id: 1, name: "Acme", created: 1 },
    ]);
  },

  async "a write is visible when it has ended, and not before"(database): Promise<void> {
    await counter(database);
    await database.write(async (tx) => {
      await increment(tx);
      assert.equal(await count(tx), 1);
      assert.equal(await count(database), 0);
    });
    assert.equal(await count(database), 1);
  },

  async "a write that throws stores nothing, and its error reaches the caller"(database): Promise<void> {
    await counter(database);
    const failure = new Error("mine");
    await assert.rejects(
      database.write(async (tx) => {
        await increment(tx);
        throw failure;
      }),
      (error) => error === failure,
    );
    assert.equal(await count(database), 0);
    await database.write(increment);
    assert.equal(await count(database), 1);
  },

  async "a refused statement does not undo the rest of its transaction"(database): Promise<void> {
    await counter(database);
    await database.write(async (tx) => {
      await increment(tx);
      await assert.rejects(
        tx.run(sql`INSERT INTO counter VALUES (2, 1)`),
        /UNIQUE constraint failed: counter.n/,
      );
      await assert.rejects(tx.run(sql`UPDATE counter SET n = 1000`), /CHECK constraint failed/);
      await increment(tx);
    });
    assert.equal(await count(database), 2);
  },

  async "runAll stops at the first refused statement"(database): Promise<void> {
    await counter(database);
    await assert.rejects(
      database.write((tx) =>
        tx.runAll([
          sql`UPDATE counter SET n = 5`,
          sql`INSERT INTO counter VALUES (2, 5)`,
          sql`UPDATE counter SET n = 7`,
        ])
      ),
      /UNIQUE/,
    );
    assert.equal(await count(database), 0);
    await database.write((tx) => tx.runAll([]));
  },

  async "the next statement of the transaction sees what runAll has written"(database): Promise<void> {
    await counter(database);
    await database.write(async (tx) => {
      await tx.runAll([sql`UPDATE counter SET n = 5`]);
      assert.equal(await count(tx), 5);
      await tx.runAll([sql`UPDATE counter SET n = n + 1`]);
      assert.equal(await tx.run(sql`UPDATE counter SET n = n + 1 WHERE n = 6`), 1);
      await tx.runAll([sql`UPDATE counter SET n = n + 1`]);
    });
    assert.equal(await count(database), 8);
  },

  async "a refused statement of runAll ends its transaction, whenever the refusal arrives"(
    database,
  ): Promise<void> {
    await counter(database);
    await assert.rejects(
      database.write(async (tx) => {
        await increment(tx);
        await tx.runAll([sql`UPDATE counter SET n = 1000`]);
        await count(tx).catch(() => undefined);
        await increment(tx);
      }),
      /CHECK constraint failed/,
    );
    assert.equal(await count(database), 0);
  },

  async "a failed constraint is an error that names no table, with the database's message as its cause"(
    database,
  ): Promise<void> {
    await counter(database);
    await database.write((tx) =>
      tx.runAll([
        sql`CREATE TABLE part (id INTEGER PRIMARY KEY, of_id INTEGER NOT NULL REFERENCES counter (id)) STRICT`,
        sql`INSERT INTO part VALUES (1, 1)`,
        sql`CREATE TRIGGER guarded BEFORE DELETE ON part BEGIN SELECT RAISE(ABORT, 'the part is in use'); END`,
      ])
    );
    const refused: readonly (readonly [SQL, code: string, cause: RegExp])[] = [
      [sql`INSERT INTO counter VALUES (2, 0)`, "conflict", /UNIQUE/],
      [sql`INSERT INTO counter VALUES (1, 7)`, "conflict", /UNIQUE/],
      [sql`INSERT INTO part VALUES (2, 9)`, "conflict", /FOREIGN KEY/],
      [sql`DELETE FROM counter`, "conflict", /FOREIGN KEY/],
      [sql`DELETE FROM part`, "conflict", /in use/],
      [sql`UPDATE counter SET n = 1000`, "invalid", /CHECK/],
      [sql`UPDATE counter SET n = NULL`, "invalid", /NOT NULL/],
      [sql`UPDATE counter SET n = 'text'`, "invalid", /cannot store TEXT/],
    ];
    for (const [statement, code, cause] of refused) {
      for (
        const write of [(tx: Transaction) => tx.run(statement), (tx: Transaction) => tx.runAll([statement])]
      ) {
        await assert.rejects(database.write<unknown>(write), (error) => {
          assert(error instanceof AppError, String(error));
          assert.deepEqual([error.code, error.unexpected], [code, true]);
          assert.doesNotMatch(JSON.stringify(error.public), /counter|part\b|constraint/);
          assert.match(String(error.cause), cause);
          return true;
        });
      }
    }
    assert.equal(await count(database), 0);
  },

  async "run counts the rows it changed or returned"(database): Promise<void> {
    await counter(database);
    await database.write(async (tx) => {
      assert.equal(await tx.run(sql`INSERT INTO counter VALUES (2, 2), (3, 3)`), 2);
      assert.equal(await tx.run(sql`UPDATE counter SET n = n + 10 WHERE id > 1 RETURNING id`), 2);
      assert.equal(await tx.run(sql`DELETE FROM counter WHERE id = 99`), 0);
      assert.equal(await tx.run(sql`DELETE FROM counter`), 3);
    });
  },

  async "sixteen concurrent writers run in the order of their arrival"(database): Promise<void> {
    await counter(database);
    const order: number[] = [];
    await Promise.all(Array.from({ length: 16 }, (_, writer) =>
      database.write(async (tx) => {
        const before = await count(tx);
        await new Promise((done) => setTimeout(done, Math.random() * 3));
        await tx.run(sql`UPDATE counter SET n = ${before + 1}`);
        order.push(writer);
      })));
    assert.equal(await count(database), 16);
    assert.deepEqual(order, Array.from({ length: 16 }, (_, writer) => writer));
  },

  async "a failing writer does not block the next one"(database): Promise<void> {
    await counter(database);
    const results = await Promise.allSettled([
      database.write(() => Promise.reject(new Error("mine"))),
      database.write(increment),
    ]);
    assert.deepEqual(results.map((result) => result.status), ["rejected", "fulfilled"]);
  },

  async "a write within a write is refused, also when a nested call starts it"(database): Promise<void> {
    await counter(database);
    await database.write(async (tx) => {
      await increment(tx);
      await assert.rejects(database.write(increment), /A write was started within a write/);
      await assert.rejects((async () => await Promise.all([database.write(increment)]))(), /within a write/);
    });
    assert.equal(await count(database), 1);
  },

  async "work that a write has started may write after the write has ended"(database): Promise<void> {
    await counter(database);
    const over = Promise.withResolvers<void>();
    let later: Promise<unknown> | undefined;
    await database.write(async (tx) => {
      await increment(tx);
      later = over.promise.then(() => database.write(increment));
    });
    over.resolve();
    await later;
    assert.equal(await count(database), 2);
  },

  async "a transaction that has ended refuses statements"(database): Promise<void> {
    await counter(database);
    let kept: Transaction | undefined;
    await database.write(async (tx) => {
      kept = tx;
      await increment(tx);
    });
    await assert.rejects(increment(kept!), /transaction has ended/);
    await assert.rejects(kept!.all(sql`SELECT 1`), /transaction has ended/);
    await assert.rejects(kept!.batch([sql`SELECT 1`]), /transaction has ended/);
    await assert.rejects(kept!.runAll([sql`SELECT 1`]), /transaction has ended/);
  },

  async "a callback after the commit runs when the rows are stored, and never when they are not"(
    database,
  ): Promise<void> {
    await counter(database);
    const { promise: seen, resolve } = Promise.withResolvers<number>();
    await database.write(async (tx) => {
      tx.afterCommit(() => resolve(count(database)));
      await increment(tx);
    });
    assert.equal(await seen, 1);
    const refused = database.write(async (tx) => {
      await increment(tx);
      tx.afterCommit(() => assert.fail("Nothing was committed"));
      throw new Error("changed my mind");
    });
    await assert.rejects(refused, /changed my mind/);
  },

  async "a batch returns the rows of each statement, inside a transaction, too"(database): Promise<void> {
    const queries = [sql`SELECT 1 AS a`, sql`SELECT 2 AS b UNION SELECT 3`, sql`SELECT 4 AS c WHERE 0`];
    const expected = [[{ a: 1 }], [{ b: 2 }, { b: 3 }], []];
    assert.deepStrictEqual(await database.batch(queries), expected);
    assert.deepStrictEqual(await database.write((tx) => tx.batch(queries)), expected);
    assert.deepStrictEqual(await database.batch([]), []);
  },

  async "statements that read cannot write"(database): Promise<void> {
    await counter(database);
    await assert.rejects(database.all(sql`UPDATE counter SET n = 9`));
    await assert.rejects(database.batch([sql`SELECT 1`, sql`UPDATE counter SET n = 9`]));
    assert.equal(await count(database), 0);
  },

  async "statements are counted"(database): Promise<void> {
    const before = database.statements;
    await database.all(sql`SELECT 1`);
    await database.batch([sql`SELECT 1`, sql`SELECT 2`]);
    await database.write(async (tx) => {
      await tx.all(sql`SELECT 1`);
      await tx.runAll([sql`SELECT 1`, sql`SELECT 2`]);
    });
    assert.equal(database.statements - before, 6);
  },

  async "names and search index of a certificate are kept up to date by the schema"(database): Promise<void> {
    await migrate(database, { migrations: MIGRATIONS, now: 1 });
    assert.deepEqual(await migrate(database, { migrations: MIGRATIONS, now: 2 }), []);
    await database.write(async (tx) => {
      const id = await nextIds(tx, certificates, 1);
      const hex = { serial_number: "01", fingerprint_sha256: "" };
      const stamps = { valid_from: 1, valid_to: 2, created: 1, last_updated: 1 };
      const sans = jsonText(["mail.example.org", "é 🙂 \\"]);
      const row = {
        id,
        common_name: "a.example",
        issuer: "CN=R3",
        algorithm: "rsa",
        sans,
        ...hex,
        ...stamps,
      };
      await tx.run(insertRows(certificates, [row]));
      await tx.run(INDEX_ALL);
      await tx.run(updateRows(certificates, [{ id, common_name: "renamed.example" }]));
    });
    const search = (phrase: string): SQL =>
      sql`SELECT rowid AS id FROM certificate_search WHERE certificate_search MATCH ${phrase}`;
    const [names, ...found] = await database.batch([
      sql`SELECT value FROM certificate_sans ORDER BY position`,
      search('"ren" AND "med"'),
      search('"il." AND "l.e"'),
      search('"a.e"'),
    ]);
    assert.deepEqual(names, [{ value: "mail.example.org" }, { value: "é 🙂 \\" }]);
    assert.deepEqual(found, [[{ id: 1 }], [{ id: 1 }], []]);
  },

  async "foreign keys are enforced"(database): Promise<void> {
    await migrate(database, { migrations: MIGRATIONS, now: 1 });
    await assert.rejects(
      database.write((tx) => tx.run(sql`INSERT INTO certificate_texts (certificate_id) VALUES (1)`)),
      /FOREIGN KEY constraint failed/,
    );
  },

  async "a closed database refuses statements"(database): Promise<void> {
    await counter(database);
    database.close();
    database.close();
    await assert.rejects(database.all(sql`SELECT 1`));
    await assert.rejects(database.batch([sql`SELECT 1`]));
    await assert.rejects(database.write(increment));
  },
};
