/**
 * Short writes that wait at the same time share a transaction: its COMMIT, which writes each page once and
 * waits for the disk, takes about half of the time of a write. Each write has a savepoint, so that a failure
 * changes nothing and does not affect the other writes. No write ends before the COMMIT.
 */

import { inForeground, pacer } from "../base/pace.ts";
import type { Transaction } from "./database.ts";
import type { FileConnection } from "./file_connection.ts";
import { ALONE_GROUPS, GROUP_WRITES } from "./limits.ts";
import { isBusy, retryBusy, writeError } from "./retry.ts";
import type { WriteLock } from "./write_lock.ts";

/** The transaction of a write, as a part of its group's transaction. */
export interface MemberTransaction extends Transaction {
  /** Functions to call after the commit. */
  readonly committed: readonly (() => void)[];
  /** Throws if no transaction is open any more. */
  check(): void;
  /** Refuses all further statements. */
  end(): void;
}

/** Functions of the database that a group uses. */
export interface GroupParts {
  readonly lock: WriteLock;
  readonly writer: FileConnection;
  /** Begins a transaction. */
  readonly begin: () => Promise<void>;
  readonly transaction: () => MemberTransaction;
  /** How long a transaction accepts more writes, in milliseconds. */
  readonly groupMs: number;
}

/**
 * Runs `work` in a transaction that it may share. Returns undefined if the transaction was rolled back for a
 * reason that is not in `work`.
 */
export type GroupWrite = <T>(
  work: (tx: Transaction) => Promise<T>,
) => Promise<{ readonly value: T } | undefined>;

/** A write in a group. */
interface Member {
  /** Counts the write as started. */
  readonly start: () => void;
  /** Resolves when the transaction is open. Rejects if none can be opened. */
  readonly turn: PromiseWithResolvers<void>;
  /** Resolves when its work has ended, with or without an error. */
  readonly worked: PromiseWithResolvers<"stored" | "failed">;
  /** Resolves when its transaction has ended. Rejects if the COMMIT failed. */
  readonly ended: PromiseWithResolvers<"committed" | "rolled back">;
  /** Functions to call after the commit. */
  committed: readonly (() => void)[];
}

/** Returns the function that runs the short writes of a database. */
export function groupCommit(parts: GroupParts): GroupWrite {
  const { lock, transaction } = parts;
  /** Writes without a turn. A running group takes them from here. */
  const waiting: Member[] = [];
  let isQueued = false;
  /** Number of transactions with a single write since the last shared one. */
  let alone = 0;

  /** Queues the waiting writes, as one, among all writes. */
  function queue(): void {
    isQueued = true;
    // After 0, 1, 2, 4, 8, … single writes: the longer a writer is alone, the less it waits.
    const awaitsMore = (alone & (alone - 1)) === 0 || alone % ALONE_GROUPS === 0;
    void lock.steps.hold(() => inForeground(() => runGroup(parts, { waiting, awaitsMore }))).then((size) => {
      isQueued = false;
      alone = size > 1 ? 0 : alone + 1;
      // These writes come after the others that have arrived by now.
      if (waiting.length > 0) queue();
    });
  }

  return async (work) => {
    const member: Member = {
      start: lock.steps.admit(),
      turn: Promise.withResolvers(),
      worked: Promise.withResolvers(),
      ended: Promise.withResolvers(),
      committed: [],
    };
    waiting.push(member);
    if (!isQueued) queue();
    await member.turn.promise;
    const tx = transaction();
    try {
      // Here and not in the group, so that it runs in the asynchronous context of its caller.
      const value = await lock.steps.within(() => work(tx));
      tx.check();
      tx.end();
      member.committed = tx.committed;
      member.worked.resolve("stored");
      return await member.ended.promise === "committed" ? { value } : undefined;
    } catch (error) {
      tx.end();
      member.worked.resolve("failed");
      // What others in the group have written may be the cause of the error, so it counts only if their
      // COMMIT succeeds.
      await member.ended.promise;
      if (isBusy(error)) return undefined;
      throw writeError(error);
    }
  };
}

/**
 * Runs as many writes of `waiting` as may share a transaction, and commits them. Returns their number.
 * `awaitsMore` lets requests that have arrived get to this point before the COMMIT. Never throws.
 */
async function runGroup(
  { writer, begin, groupMs }: GroupParts,
  { waiting, awaitsMore }: { waiting: Member[]; awaitsMore: boolean },
): Promise<number> {
  const until = performance.now() + groupMs;
  const pause = pacer();
  const stored: Member[] = [];
  const failed: Member[] = [];
  try {
    for (let count = 0; count < GROUP_WRITES; count++) {
      // Other requests run between two writes.
      if (count > 0) await pause();
      if (count > 0 && performance.now() >= until) break;
      if (waiting.length === 0 && awaitsMore) await new Promise((resolve) => setTimeout(resolve, 0));
      if (waiting.length === 0) break;
      if (!writer.inTransaction && !await isBegun(begin, waiting)) break;
      const hasSavepoint = stored.length > 0;
      if (hasSavepoint) writer.exec("SAVEPOINT member");
      const member = waiting.shift() as Member;
      member.start();
      member.turn.resolve();
      const outcome = await member.worked.promise;
      (outcome === "stored" ? stored : failed).push(member);
      // SQLite itself rolls back everything if the disk is full or fails.
      if (!writer.inTransaction) break;
      if (outcome === "failed") writer.exec(hasSavepoint ? "ROLLBACK TO member" : "ROLLBACK");
      if (hasSavepoint) writer.exec("RELEASE member");
    }
    if (writer.inTransaction) {
      await writer.commit();
      for (const { committed } of stored) for (const each of committed) each();
      for (const { ended } of stored) ended.resolve("committed");
    }
    for (const { ended } of [...stored, ...failed]) ended.resolve("rolled back");
  } catch (error) {
    const reported = writeError(error);
    for (const { ended } of [...stored, ...failed]) ended.reject(reported);
    rollBack(writer);
  }
  return stored.length + failed.length;
}

/**
 * Begins a transaction. If that fails, refuses all waiting writes, because each of them would fail after
 * waiting as long.
 */
async function isBegun(begin: () => Promise<void>, waiting: Member[]): Promise<boolean> {
  try {
    await retryBusy(begin);
    return true;
  } catch (error) {
    for (const { start, turn } of waiting.splice(0)) {
      start();
      turn.reject(error);
    }
    return false;
  }
}

function rollBack(writer: FileConnection): void {
  try {
    if (writer.inTransaction) writer.exec("ROLLBACK");
  } catch {
    // The next BEGIN fails and reports the error.
  }
}
