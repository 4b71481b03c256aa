/** Stores what the service itself determines about certificates: chain results, ACME providers, expiry. */

import type { Context } from "../../auth/mod.ts";
import type { Cell, Transaction } from "../../db/mod.ts";
import type { Condition } from "../../filters/mod.ts";
import { changeDraft, type Draft, loadForChange, storeOnly, validateDrafts } from "../../resource/mod.ts";
import { type CertificateRow, certificates } from "./resource.ts";

/**
 * Sets columns of the certificates of `ids` that match `allowed`, in one transaction. `columnsFor` returns
 * the columns for a row, or undefined to leave it unchanged. Returns the rows before the change, by id,
 * without missing ones. A row that does not change gets no change record. The number of statements does not
 * depend on the number of ids. Errors: too_large.
 */
export async function changeStored(
  { ctx, allowed, ids, messageOf }: {
    ctx: Context;
    allowed: Condition;
    ids: readonly number[];
    /** Returns the message of a change record. */
    messageOf?: (row: CertificateRow) => string | undefined;
  },
  columnsFor: (
    row: CertificateRow,
    tx: Transaction,
  ) => Record<string, Cell> | undefined | Promise<Record<string, Cell> | undefined>,
): Promise<Map<number, CertificateRow>> {
  const rows = await ctx.database.write(async (tx) => {
    const call = { ctx, tx, resource: certificates, allowed };
    const found = await loadForChange(call, ids, { bounded: true });
    const drafts: Draft[] = [];
    for (const before of found.values()) {
      const columns = await columnsFor(before, tx);
      if (columns === undefined) continue;
      const message = messageOf?.(before);
      drafts.push(
        changeDraft(before, { row: { ...columns }, ...(message === undefined ? {} : { message }) }),
      );
    }
    if (drafts.length > 0) {
      await validateDrafts(call, drafts);
      await storeOnly(call, drafts);
    }
    return found;
  });
  certificates.hooks?.afterCommit?.(ctx);
  return rows;
}
