/** Imports all rows or none: read → plan → apply. */

import type { Context } from "../../../auth/mod.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { AppError } from "../../../base/errors.ts";
import { type Database, nextIds, type Transaction } from "../../../db/mod.ts";
import { type Condition, NOTHING } from "../../../filters/mod.ts";
import { type Draft, draftsOutside, rowReader, storeDrafts, storeNew } from "../../../resource/mod.ts";
import { type Certificate, type CertificateCall, certificates } from "../mod.ts";
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
    const call = { ctx, tx, resource: certificates, allowed };
    return applyRows(call, rows, { ...rest, refusal });
  }, { short: rows.length === 1 });
  certificates.afterCommit?.(ctx);
  return outcome;
}

/** Imports rows in the caller's transaction. The number of statements does not depend on the number of rows. */
export async function applyRows(
  call: CertificateCall,
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
  call: CertificateCall,
  { fresh, changed, changeable, unchanged, targets, skipped }: Omit<ImportPlan, "failed">,
  { inherited, allFields = false, outside = OUTSIDE_MESSAGE }: Storing = {},
): Promise<ImportOutcome> {
  const drafts = fresh.length === 0 ? [] : await withIds(call, fresh);
  const created = drafts.map(({ draft }) => draft);
  for (const { place, draft } of drafts) {
    const own = inherited?.get(place);
    Object.assign(draft.row, own?.row);
    Object.assign(draft.input, own?.input);
  }
  const objects = drafts.length === 0
    ? []
    : allFields
    ? await storeDrafts(call, created)
    : await storeBriefly(call, created, outside);
  const changes = changed.map(({ draft }) => draft);
  const after = changes.length === 0 ? [] : await storeDrafts(changing(call, changeable), changes);
  await storeTargets(
    call,
    [
      ...[...drafts, ...changed].map(({ place, draft }) => ({ place, certificate: draft.id })),
      ...unchanged.map(({ place, id }) => ({ place, certificate: id })),
    ].map(({ place, certificate }) => ({ certificate, targets: targets.get(place) ?? [] })),
  );
  const isUpdate = (index: number): boolean =>
    after[index]?.last_updated !== formatDatetime(Number(changes[index]?.before?.last_updated));
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
function changing(call: CertificateCall, changeable: ImportPlan["changeable"]): CertificateCall {
  return { ...call, allowed: changeable ?? NOTHING };
}

function stored(rows: readonly PlannedRow[], objects: readonly Certificate[]): StoredRow[] {
  return objects.map((object, index) => ({ place: rows[index]?.place ?? 0, object }));
}

function unchangedOf({ place, object: { id, common_name, serial_number } }: StoredRow): UnchangedRow {
  return { place, id, common_name, serial_number };
}

async function storeBriefly(
  call: CertificateCall,
  drafts: readonly Draft[],
  outside: string,
): Promise<Certificate[]> {
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
  call: CertificateCall,
  { fresh, changed, changeable }: ImportPlan,
): Promise<ReadonlySet<number>> {
  const drafts = fresh.length === 0 ? [] : await withIds(call, fresh);
  const outside = new Set([
    ...await draftsOutside(call, drafts.map(({ draft }) => draft)),
    ...await draftsOutside(changing(call, changeable), changed.map(({ draft }) => draft)),
  ]);
  return new Set(
    [...drafts, ...changed].filter(({ draft }) => outside.has(draft)).map(({ place }) => place),
  );
}

/** Returns new rows whose drafts have ids. */
export async function withIds(
  { tx, resource }: CertificateCall,
  fresh: ImportPlan["fresh"],
): Promise<PlannedRow[]> {
  const first = await nextIds(tx, resource.table, fresh.length);
  return fresh.map(({ place, draft }, index) => ({ place, draft: { ...draft, id: first + index } }));
}

/** Returns the result of `work`, and rolls back everything that it stores. */
export async function withRollback<T>(database: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const rollback: { done?: { readonly result: T } } = {};
  try {
    return await database.write(async (tx) => {
      // If the transaction is retried, the last result is the valid one.
      rollback.done = { result: await work(tx) };
      throw rollback;
    });
  } catch (error) {
    if (error !== rollback || rollback.done === undefined) throw error;
    return rollback.done.result;
  }
}
