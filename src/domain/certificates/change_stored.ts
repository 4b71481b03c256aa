/** Stores what the service itself determines about certificates: chain results, ACME providers, expiry. */

import type { Context } from "../../auth/mod.ts";
import type { Cell, Row, Transaction } from "../../db/mod.ts";
import type { Condition } from "../../filters/mod.ts";
import { type Draft, loadForChange, storeOnly, validateDrafts, type WriteCall } from "../../resource/mod.ts";
import { certificates } from "./resource.ts";

/**
 * Sets columns of the certificates of `ids` that match `allowed`, in one transaction. `columnsFor` returns
 * the columns for a row, or undefined to leave it unchanged. Returns the rows before the change, by id,
 * without missing ones. A row that does not change gets no change record. The number of statements does not
 * depend on the number of ids. Errors: too_large.
 */
export async function changeStored(
  { ctx, allowed, ids }: { ctx: Context; allowed: Condition; ids: readonly number[] },
  columnsFor: (
    row: Row,
    tx: Transaction,
  ) => Record<string, Cell> | undefined | Promise<Record<string, Cell> | undefined>,
): Promise<Map<number, Row>> {
  const rows = await ctx.database.write(async (tx) => {
    const call: WriteCall = { ctx, tx, resource: certificates, allowed };
    const found = await loadForChange(call, ids, { bounded: true });
    const drafts: Draft[] = [];
    for (const before of found.values()) {
      const columns = await columnsFor(before, tx);
      if (columns === undefined) continue;
      drafts.push({
        id: before.id as number,
        before,
        input: {},
        row: { ...columns },
        errors: {},
        reveal: {},
      });
    }
    if (drafts.length > 0) {
      await validateDrafts(call, drafts);
      await storeOnly(call, drafts);
    }
    return found;
  }, { short: ids.length === 1 });
  certificates.afterCommit?.(ctx);
  return rows;
}
