/** Imports all rows or none: read → plan → apply. */

import type { Context } from "../../../auth/mod.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { AppError } from "../../../base/errors.ts";
import { type Database, nextIds, type Transaction } from "../../../db/mod.ts";
import { type Condition, NOTHING } from "../../../filters/mod.ts";
import {
  type Draft,
  draftsOutside,
  rowReader,
  storeDrafts,
  storeNew,
  type WriteCall,
} from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";
import { IMPORTED_FIELDS } from "./responses.ts";
import { type ImportPlan, type PlannedRow, planRows } from "./plan.ts";
import { storeTargets } from "./row_assignments.ts";
import type {
  DuplicateRule,
  FailedRow,
  ImportOutcome,
  ImportRow,
  Inherited,
  SkippedRow,
  StoredRow,
  UnchangedRow,
} from "./rows.ts";

/** Returns the error of a refused import with its failed and skipped rows. */
export type Refusal = (failed: readonly FailedRow[], skipped: readonly SkippedRow[]) => AppError;

/**
 * Imports rows in a separate transaction. Errors: those of `refusal`; forbidden (a certificate does not match
 * `allowed` afterwards).
 * @param refused True if the import is refused in any case, and only the errors of the rows are needed.
 * @param allFields True to return all fields instead of {@link IMPORTED_FIELDS}.
 */
export async function importRows(
  { ctx, allowed, rows, ...rest }: {
    ctx: Context;
    allowed: Condition;
    rows: readonly ImportRow[];
    rule: DuplicateRule;
    refused?: boolean;
    allFields?: boolean;
  },
  refusal: Refusal,
): Promise<ImportOutcome> {
  const outcome = await ctx.database.write((tx) => {
    const call: WriteCall = { ctx, tx, resource: certificates, allowed };
    return applyRows(call, rows, { ...rest, refusal });
  }, { short: rows.length === 1 });
  certificates.afterCommit?.(ctx);
  return outcome;
}

/** Imports rows in the caller's transaction. The number of statements does not depend on the number of rows. */
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

/** Options of {@link storePlan}. */
interface Storing {
  /** What new certificates get from others, by the place of their rows. */
  readonly inherited?: ReadonlyMap<number, Inherited>;
  readonly allFields?: boolean;
  /** Error of a new certificate that does not match the caller's constraints. */
  readonly outside?: string;
}

/** Stores the certificates of a plan without errors. */
export async function storePlan(
  call: WriteCall,
  { fresh, changed, changeable, unchanged, targets, skipped }: Omit<ImportPlan, "failed">,
  { inherited, allFields = false, outside = OUTSIDE_MESSAGE }: Storing = {},
): Promise<ImportOutcome> {
  const drafts = fresh.length === 0 ? [] : await withIds(call, fresh);
  for (const [index, { row, input }] of drafts.entries()) {
    const own = inherited?.get((fresh[index] as PlannedRow).place);
    Object.assign(row, own?.row);
    Object.assign(input, own?.input);
  }
  const objects = drafts.length === 0
    ? []
    : allFields
    ? await storeDrafts(call, drafts)
    : await storeBriefly(call, drafts, outside);
  const changes = changed.map(({ draft }) => draft);
  const after = changes.length === 0 ? [] : await storeDrafts(changing(call, changeable), changes);
  await storeTargets(
    call,
    [
      ...fresh.map(({ place }, index) => ({ place, certificate: drafts[index]?.id as number })),
      ...changed.map(({ place, draft }) => ({ place, certificate: draft.id })),
      ...unchanged.map(({ place, id }) => ({ place, certificate: id })),
    ].map(({ place, certificate }) => ({ certificate, targets: targets.get(place) ?? [] })),
  );
  const isUpdate = (index: number): boolean =>
    (after[index]?.last_updated as string) !== formatDatetime(changes[index]?.before?.last_updated as number);
  const written = stored(changed, after);
  return {
    created: stored(fresh, objects),
    updated: written.filter((_, index) => isUpdate(index)),
    unchanged: [...unchanged, ...written.filter((_, index) => !isUpdate(index)).map(unchangedOf)],
    skipped,
    updates: changeable !== undefined,
  };
}

/** Returns the call for changes. Without updates there are none. */
function changing(call: WriteCall, changeable: ImportPlan["changeable"]): WriteCall {
  return { ...call, allowed: changeable ?? NOTHING };
}

function stored(rows: readonly PlannedRow[], objects: readonly Record<string, unknown>[]): StoredRow[] {
  return rows.map(({ place }, index) => ({ place, object: objects[index] as Record<string, unknown> }));
}

function unchangedOf({ place, object }: StoredRow): UnchangedRow {
  const { id, common_name, serial_number } = object as unknown as UnchangedRow;
  return { place, id, common_name, serial_number };
}

async function storeBriefly(
  call: WriteCall,
  drafts: readonly Draft[],
  outside: string,
): Promise<Record<string, unknown>[]> {
  const { ctx, resource } = call;
  const read = rowReader(resource, { brief: false, fields: IMPORTED_FIELDS, omit: [], long: false }, ctx);
  return (await storeNew(call, drafts, { outside })).map(read);
}

/** Error of a row that does not match the caller's constraints. */
export const OUTSIDE_MESSAGE = "Your permissions do not allow importing this certificate.";

/**
 * Returns the numbers of planned rows that the caller may not import. May store rows to find out, so the
 * transaction must be rolled back.
 */
export async function placesOutside(
  call: WriteCall,
  { fresh, changed, changeable }: ImportPlan,
): Promise<ReadonlySet<number>> {
  const drafts = fresh.length === 0 ? [] : await withIds(call, fresh);
  const changes = changed.map(({ draft }) => draft);
  const outside = new Set([
    ...await draftsOutside(call, drafts),
    ...await draftsOutside(changing(call, changeable), changes),
  ]);
  return new Set(
    [...fresh, ...changed].flatMap(({ place }, index) =>
      outside.has([...drafts, ...changes][index] as Draft) ? [place] : []
    ),
  );
}

/** Returns the drafts of new rows with ids. */
export async function withIds({ tx, resource }: WriteCall, fresh: ImportPlan["fresh"]): Promise<Draft[]> {
  const first = await nextIds(tx, resource.table, fresh.length);
  return fresh.map(({ draft }, index) => ({ ...draft, id: first + index }));
}

/** Returns the result of `work`, and rolls back everything that it stores. */
export async function withRollback<T>(database: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const results: T[] = [];
  const rollback = new Error("Rolls back the transaction");
  try {
    await database.write(async (tx) => {
      results.push(await work(tx));
      throw rollback;
    });
  } catch (error) {
    if (error !== rollback) throw error;
  }
  // If the transaction was retried, the last result is the valid one.
  return results.at(-1) as T;
}
