/** Imports all rows or none: read → plan → apply. A preview plans in the same way. */

import type { Context } from "../../../auth/mod.ts";
import { formatDatetime } from "../../../base/clock.ts";
import type { AppError } from "../../../base/errors.ts";
import { nextIds } from "../../../db/mod.ts";
import { type Condition, NOTHING } from "../../../filters/mod.ts";
import { type Draft, draftsOutside, rowReader, storeDrafts, storeNew } from "../../../resource/mod.ts";
import { type Certificate, type CertificateCall, certificates } from "../mod.ts";
import { IMPORTED_FIELDS } from "./responses.ts";
import { planRows } from "./plan.ts";
import { storeTargets } from "./row_assignments.ts";
import type {
  DuplicateRule,
  ImportedRow,
  ImportOutcome,
  ImportPlan,
  ImportRow,
  Inherited,
  PlannedRow,
} from "./rows.ts";

/** Returns the error of a refused import, of which at least one row has errors. */
export type Refusal = (rows: readonly PlannedRow[]) => AppError;

/** Rows to import. */
interface Rows {
  readonly ctx: Context;
  readonly allowed: Condition;
  readonly rows: readonly ImportRow[];
  readonly rule: DuplicateRule;
}

/**
 * Imports rows in a separate transaction. Errors: those of `refusal`; forbidden (a certificate does not match
 * `allowed` afterwards).
 * @param refused True if the import is refused in any case, and only the errors of the rows are needed.
 * @param allFields True to return all fields instead of {@link IMPORTED_FIELDS}.
 */
export async function importRows(
  { ctx, allowed, rows, ...rest }: Rows & { refused?: boolean; allFields?: boolean },
  refusal: Refusal,
): Promise<ImportOutcome> {
  const outcome = await ctx.database.write(
    (tx) => applyRows({ ctx, tx, resource: certificates, allowed }, rows, { ...rest, refusal }),
    { short: rows.length === 1 },
  );
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
  if (refused || plan.rows.some(({ status }) => status === "error")) throw refusal(plan.rows);
  return await storePlan(call, plan, how);
}

/** Error of a row that does not match the caller's constraints. */
const OUTSIDE_MESSAGE = "Your permissions do not allow importing this certificate.";

/**
 * Plans an import and stores nothing. Rows that the caller may not import have errors: the database finds them, in a
 * transaction that is rolled back.
 */
export async function previewRows({ ctx, allowed, rows, rule }: Rows): Promise<ImportPlan> {
  const plans: ImportPlan[] = [];
  const rollback = new Error("Rolls back the transaction");
  try {
    await ctx.database.write(async (tx) => {
      const call: CertificateCall = { ctx, tx, resource: certificates, allowed };
      const plan = await planRows(call, rows, rule);
      const [fresh, changed] = [await withIds(call, plan), draftsWith(plan, "update")];
      const outside = new Set([
        ...await draftsOutside(call, fresh.map(({ draft }) => draft)),
        ...await draftsOutside(changing(call, plan), changed.map(({ draft }) => draft)),
      ]);
      const refused = new Set(
        [...fresh, ...changed].flatMap(({ place, draft }) => outside.has(draft) ? [place] : []),
      );
      const errors = { __all__: [OUTSIDE_MESSAGE] };
      plans.push({
        ...plan,
        rows: plan.rows.map((row) => refused.has(row.place) ? { ...row, status: "error", errors } : row),
      });
      throw rollback;
    });
  } catch (error) {
    if (error !== rollback) throw error;
  }
  // If the transaction was retried, the last plan is the valid one.
  return plans.at(-1) as ImportPlan;
}

/** Options of {@link storePlan}. */
interface Storing {
  /** What new certificates get from others, by the place of their rows. */
  readonly inherited?: ReadonlyMap<number, Inherited>;
  readonly allFields?: boolean;
  /** Error of a new certificate that does not match the caller's constraints. */
  readonly outside?: string;
}

/** Stores the certificates of a plan; rows with errors are left out. */
export async function storePlan(
  call: CertificateCall,
  plan: ImportPlan,
  { inherited, allFields = false, outside = OUTSIDE_MESSAGE }: Storing = {},
): Promise<ImportOutcome> {
  const [fresh, changed] = [await withIds(call, plan), draftsWith(plan, "update")];
  for (const { place, draft } of fresh) {
    const own = inherited?.get(place);
    Object.assign(draft.row, own?.row);
    Object.assign(draft.input, own?.input);
  }
  const drafts = fresh.map(({ draft }) => draft);
  const changes = changed.map(({ draft }) => draft);
  const objects = drafts.length === 0
    ? []
    : allFields
    ? await storeDrafts(call, drafts)
    : await storeBriefly(call, drafts, outside);
  const after = changes.length === 0 ? [] : await storeDrafts(changing(call, plan), changes);
  const stored = new Map([
    ...fresh.map(({ place }, index) => [place, objects[index]] as const),
    ...changed.map(({ place }, index) => [place, after[index]] as const),
  ]);
  const rows = plan.rows.filter(({ status }) => status !== "error").map(
    ({ draft, errors: _, targets: __, ...row }): ImportedRow => {
      const object = stored.get(row.place);
      if (object === undefined) {
        return { ...row, ...(row.existing === undefined ? {} : { id: row.existing }) };
      }
      // A change that has no effect is not stored.
      const isSame = row.status === "update" &&
        object.last_updated === formatDatetime(Number(draft?.before?.last_updated));
      return {
        ...row,
        status: isSame ? "unchanged" : row.status,
        id: object.id,
        common_name: object.common_name,
        serial_number: object.serial_number,
        object,
      };
    },
  );
  const ids = new Map(rows.map(({ place, id }) => [place, id]));
  await storeTargets(
    call,
    plan.rows.filter(({ status, targets }) => status !== "error" && targets.length > 0)
      .map(({ place, targets }) => ({ certificate: ids.get(place) as number, targets })),
  );
  return { rows, updates: plan.changeable !== undefined };
}

/** Returns the call for changes. Without updates there are none. */
function changing(call: CertificateCall, { changeable }: ImportPlan): CertificateCall {
  return { ...call, allowed: changeable ?? NOTHING };
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

/** A row that is stored. */
interface DraftAt {
  readonly place: number;
  readonly draft: Draft;
}

/** Returns the drafts of rows that are created, or of those that are updated. */
export function draftsWith({ rows }: ImportPlan, status: "create" | "update"): DraftAt[] {
  return rows.flatMap((row) =>
    row.status === status && row.draft !== undefined ? [{ place: row.place, draft: row.draft }] : []
  );
}

/** Returns the drafts of new rows with ids. */
export async function withIds({ tx, resource }: CertificateCall, plan: ImportPlan): Promise<DraftAt[]> {
  const fresh = draftsWith(plan, "create");
  if (fresh.length === 0) return [];
  const first = await nextIds(tx, resource.table, fresh.length);
  return fresh.map(({ place, draft }, index) => ({ place, draft: { ...draft, id: first + index } }));
}
