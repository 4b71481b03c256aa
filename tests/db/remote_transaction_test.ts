/** The order in which a transaction on a libSQL server sends statements that overlap. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { RemoteTransaction } from "../../src/db/remote_transaction.ts";

/** A transaction and what it has sent: the statements of each round trip. */
function recorded(): { tx: RemoteTransaction; sent: string[][] } {
  const sent: string[][] = [];
  const open = {
    async batch(statements: readonly { sql: string }[]): Promise<unknown[]> {
      sent.push(statements.map((statement) => statement.sql));
      await new Promise((done) => setTimeout(done));
      return statements.map(() => ({ columns: [], rows: [], rowsAffected: 1 }));
    },
    commit(): Promise<void> {
      sent.push(["COMMIT"]);
      return Promise.resolve();
    },
    rollback(): Promise<void> {
      sent.push(["ROLLBACK"]);
      return Promise.resolve();
    },
  };
  const counter = { asked: (): void => {}, counted: (): void => {} };
  return {
    tx: new RemoteTransaction(open as unknown as ConstructorParameters<typeof RemoteTransaction>[0], counter),
    sent,
  };
}

Deno.test("remote: a deferred statement never runs before a statement that was sent before it", async () => {
  const { tx, sent } = recorded();
  const first = tx.run(sql`first`);
  await tx.runAll([sql`deferred`]);
  const last = tx.run(sql`last`);
  await Promise.all([first, last]);
  assert.deepEqual(sent, [["first"], ["deferred", "last"]]);
});

Deno.test("remote: the COMMIT follows every statement, also those that the work did not await", async () => {
  const { tx, sent } = recorded();
  void tx.run(sql`first`);
  void tx.run(sql`second`);
  await tx.runAll([sql`deferred`]);
  await tx.commit();
  assert.deepEqual(sent, [["first"], ["second"], ["deferred", "COMMIT"]]);
});

Deno.test("remote: a statement that waits for another one is not sent after the ROLLBACK", async () => {
  const { tx, sent } = recorded();
  const first = tx.run(sql`first`);
  const second = assert.rejects(tx.run(sql`second`), /has ended/);
  await Promise.resolve();
  await tx.rollback();
  await Promise.all([first, second]);
  assert.deepEqual(sent, [["first"], ["ROLLBACK"]]);
});
