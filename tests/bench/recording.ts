/** A database that records the statements of a request, so that they can be run again without the service. */

import type { SQLWrapper } from "drizzle-orm";
import { type Database, render, type Transaction } from "../../src/db/mod.ts";

/** The statements of one request. */
export interface Recorded {
  readonly statements: readonly { readonly sql: string; readonly args: (string | number | null)[] }[];
  /** Whether they ran in a write transaction. */
  readonly transaction: boolean;
}

/** A database with a recorder. */
export type RecordingDatabase = Database & { begin(): void; end(): Recorded };

/** Returns a database that records the statements of another one. */
export function recording(inner: Database): RecordingDatabase {
  let log: Recorded["statements"][number][] | undefined;
  let transaction = false;
  const note = (...queries: SQLWrapper[]): void => {
    log?.push(...queries.map((query) => render(query) as Recorded["statements"][number]));
  };
  const noted = (tx: Transaction): Transaction => ({
    all: (query) => (note(query), tx.all(query)),
    batch: (queries) => (note(...queries), tx.batch(queries)),
    run: (query) => (note(query), tx.run(query)),
    runAll: (queries) => (note(...queries), tx.runAll(queries)),
    afterCommit: (after) => tx.afterCommit(after),
  });
  return {
    kind: inner.kind,
    get statements(): number {
      return inner.statements;
    },
    all: (query) => (note(query), inner.all(query)),
    batch: (queries) => (note(...queries), inner.batch(queries)),
    write: async (work) => {
      if (log === undefined) return await inner.write(work);
      transaction = true;
      return await rolledBack(inner, (tx) => work(noted(tx)));
    },
    close: () => inner.close(),
    begin: () => {
      log = [];
      transaction = false;
    },
    end: () => {
      const statements = log ?? [];
      log = undefined;
      return { statements, transaction };
    },
  };
}

/** Runs a write and rolls it back, so that the recorded statements can be run again. */
async function rolledBack<T>(inner: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const done: { result?: T } = {};
  await inner.write(async (tx) => {
    done.result = await work(tx);
    throw done;
  }).catch((thrown) => {
    if (thrown !== done) throw thrown;
  });
  return done.result as T;
}
