/** Read → plan → apply: rows that were read become records, all of them or none. */

import type { Context } from "../../access/mod.ts";
import { AppError } from "../../base/errors.ts";
import { nextIds } from "../../db/mod.ts";
import type { Lookup } from "../../lookup/mod.ts";
import { storeDrafts, type WriteCall } from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { planRows } from "./plan.ts";
import type { DuplicateRule, FailedRow, ImportOutcome, ImportRow, Inherited, SkippedRow } from "./rows.ts";

/** Makes the refusal out of what was wrong with each row, and of what would have been passed over. */
export type Refusal = (failed: readonly FailedRow[], skipped: readonly SkippedRow[]) => AppError;

/**
 * Imports rows in a transaction of its own. Errors: as `refusal` says; forbidden (a result outside `allowed`).
 * @param refused set where the import is refused for other reasons, and only the rows' own are wanted beside.
 */
export async function importRows(
  { ctx, allowed, rows, rule, refused = false }: {
    ctx: Context;
    allowed: Lookup;
    rows: readonly ImportRow[];
    rule: DuplicateRule;
    refused?: boolean;
  },
  refusal: Refusal,
): Promise<ImportOutcome> {
  const outcome = await ctx.database.write((tx) => {
    const call: WriteCall = { ctx, tx, resource: certificates, allowed };
    return applyRows(call, rows, { rule, refusal, refused });
  });
  certificates.afterCommit?.(ctx);
  return outcome;
}

/** Imports rows in the caller's transaction. The number of statements does not depend on how many there are. */
export async function applyRows(
  call: WriteCall,
  rows: readonly ImportRow[],
  { rule, refusal, refused = false, inherited }: {
    rule: DuplicateRule;
    refusal: Refusal;
    refused?: boolean;
    inherited?: Inherited;
  },
): Promise<ImportOutcome> {
  const { fresh, skipped, failed } = await planRows(call, rows, rule);
  if (refused || failed.length > 0) throw refusal(failed, skipped);
  if (fresh.length === 0) return { created: [], skipped };
  const first = await nextIds(call.tx, call.resource.table, fresh.length);
  const drafts = fresh.map(({ draft }, index) => ({
    ...draft,
    id: first + index,
    row: { ...draft.row, ...inherited?.row },
    input: { ...draft.input, ...inherited?.input },
  }));
  const objects = await storeDrafts(call, drafts);
  const created = fresh.map(({ place }, index) => ({
    place,
    object: objects[index] as Record<string, unknown>,
  }));
  return { created, skipped };
}
