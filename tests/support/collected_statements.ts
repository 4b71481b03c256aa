/** A database that collects the text of every statement that is sent to it, each once. */

import type { SQLWrapper } from "drizzle-orm";
import { render, type Transaction } from "../../src/db/mod.ts";
import type { TestDatabase } from "./database.ts";

/** Texts of statements, each with the activity during which it was first sent. */
export type Collected = Map<string, string>;

/** A database with a collector. */
export type CollectingDatabase = TestDatabase & {
  readonly collected: Collected;
  /** The current activity, which is recorded with new statements. */
  doing: string;
};

/** Returns a database that collects the statements of another one. */
export function collecting(inner: TestDatabase): CollectingDatabase {
  const collected: Collected = new Map();
  const note = (queries: readonly SQLWrapper[]): void => {
    for (const query of queries) {
      const { sql } = render(query);
      if (!collected.has(sql)) collected.set(sql, database.doing);
    }
  };
  const noted = (tx: Transaction): Transaction => ({
    all: (query) => (note([query]), tx.all(query)),
    batch: (queries) => (note(queries), tx.batch(queries)),
    run: (query) => (note([query]), tx.run(query)),
    runAll: (queries) => (note(queries), tx.runAll(queries)),
    afterCommit: (work) => tx.afterCommit(work),
  });
  const database: CollectingDatabase = {
    collected,
    doing: "",
    kind: inner.kind,
    path: inner.path,
    get statements(): number {
      return inner.statements;
    },
    all: (query) => (note([query]), inner.all(query)),
    batch: (queries) => (note(queries), inner.batch(queries)),
    write: (work) => inner.write((tx) => work(noted(tx))),
    close: () => inner.close(),
    removeSync: () => inner.removeSync(),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  };
  return database;
}
