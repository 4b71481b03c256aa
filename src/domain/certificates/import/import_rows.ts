/** Read → plan → apply: rows that were read become records, all of them or none. */

import type { Context } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { nextIds } from "../../../db/mod.ts";
import type { Condition } from "../../../filters/mod.ts";
import {
  type Draft,
  draftsOutside,
  rowReader,
  storeDrafts,
  storeNew,
  type WriteCall,
} from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";
import { IMPORTED_FIELDS } from "./answers.ts";
import { type Plan, planRows } from "./plan.ts";
import type { DuplicateRule, FailedRow, ImportOutcome, ImportRow, Inherited, SkippedRow } from "./rows.ts";

/** Makes the refusal out of what was wrong with each row, and of what would have been passed over. */
export type Refusal = (failed: readonly FailedRow[], skipped: readonly SkippedRow[]) => AppError;

/**
 * Imports rows in a transaction of its own. Errors: as `refusal` says; forbidden (a result outside `allowed`).
 * @param refused set where the import is refused for other reasons, and only the rows' own are wanted beside.
 * @param whole set where the certificates are wanted as the API shows them, and not {@link IMPORTED_FIELDS} alone.
 */
export async function importRows(
  { ctx, allowed, rows, ...rest }: {
    ctx: Context;
    allowed: Condition;
    rows: readonly ImportRow[];
    rule: DuplicateRule;
    refused?: boolean;
    whole?: boolean;
  },
  refusal: Refusal,
): Promise<ImportOutcome> {
  const outcome = await ctx.database.write((tx) => {
    const call: WriteCall = { ctx, tx, resource: certificates, allowed };
    return applyRows(call, rows, { ...rest, refusal });
  });
  certificates.afterCommit?.(ctx);
  return outcome;
}

/** Imports rows in the caller's transaction. The number of statements does not depend on how many there are. */
export async function applyRows(
  call: WriteCall,
  rows: readonly ImportRow[],
  { rule, refusal, refused = false, ...how }: Storing & {
    rule: DuplicateRule;
    refusal: Refusal;
    refused?: boolean;
  },
): Promise<ImportOutcome> {
  const plan = await planRows(call, rows, rule);
  if (refused || plan.failed.length > 0) throw refusal(plan.failed, plan.skipped);
  return await storePlan(call, plan, how);
}

/** How a plan is stored. */
interface Storing {
  readonly inherited?: Inherited;
  readonly whole?: boolean;
}

/** Stores what a plan without errors has. */
export async function storePlan(
  call: WriteCall,
  { fresh, skipped }: Plan,
  { inherited, whole = false }: Storing = {},
): Promise<ImportOutcome> {
  if (fresh.length === 0) return { created: [], skipped };
  const drafts = await withIds(call, fresh);
  for (const { row, input } of drafts) {
    Object.assign(row, inherited?.row);
    Object.assign(input, inherited?.input);
  }
  const objects = whole ? await storeDrafts(call, drafts) : await storeBriefly(call, drafts);
  const created = fresh.map(({ place }, index) => ({
    place,
    object: objects[index] as Record<string, unknown>,
  }));
  return { created, skipped };
}

async function storeBriefly(call: WriteCall, drafts: readonly Draft[]): Promise<Record<string, unknown>[]> {
  const { ctx, resource } = call;
  const read = rowReader(resource, { brief: false, fields: IMPORTED_FIELDS, omit: [], long: false }, ctx);
  return (await storeNew(call, drafts)).map(read);
}

/** What is said of such a row before it is tried. */
export const OUTSIDE_MESSAGE = "The certificate would lie outside of what you may import.";

/**
 * Places of the rows that a plan would create where the caller may not import. The transaction must be rolled back
 * afterwards, for rows may have been stored to find out.
 */
export async function placesOutside(call: WriteCall, { fresh }: Plan): Promise<ReadonlySet<number>> {
  if (fresh.length === 0) return new Set();
  const drafts = await withIds(call, fresh);
  const outside = await draftsOutside(call, drafts);
  return new Set(fresh.flatMap(({ place }, index) => outside.has(drafts[index] as Draft) ? [place] : []));
}

async function withIds({ tx, resource }: WriteCall, fresh: Plan["fresh"]): Promise<Draft[]> {
  const first = await nextIds(tx, resource.table, fresh.length);
  return fresh.map(({ draft }, index) => ({ ...draft, id: first + index }));
}
