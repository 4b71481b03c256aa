/**
 * Imports all rows or none: read → plan → apply. A preview plans in the same way. Stores certificates that the service
 * found on servers or in files, too.
 */

import type { Context } from "../../../auth/mod.ts";
import { formatDatetime } from "../../../base/clock.ts";
import type { AppError } from "../../../base/errors.ts";
import { ALL_FIELDS, finding, textOf } from "../../../base/findings.ts";
import { nextIds } from "../../../db/mod.ts";
import { type Condition, NOTHING } from "../../../filters/mod.ts";
import {
  type Draft,
  draftsOutside,
  draftsWithin,
  rowReader,
  storeDrafts,
  storeNew,
} from "../../../resource/mod.ts";
import { type CertificateCall, certificates } from "../mod.ts";
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
import { type Certificate as Parsed, encodePem } from "../../../x509/mod.ts";

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
  );
  certificates.hooks?.afterCommit?.(ctx);
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
const OUTSIDE = finding("not_importable");

/**
 * Plans an import and stores nothing. Rows that the caller may not import have errors: the database finds them, in a
 * transaction that is rolled back.
 */
export async function previewRows({ ctx, allowed, rows, rule }: Rows): Promise<ImportPlan> {
  try {
    return await ctx.database.write(async (tx): Promise<never> => {
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
      const errors = [{ ...OUTSIDE, field: ALL_FIELDS }];
      throw new RolledBack({
        ...plan,
        rows: plan.rows.map((row) => refused.has(row.place) ? { ...row, status: "error", errors } : row),
      });
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.plan;
    throw error;
  }
}

/** Rolls back the transaction in which a plan was made. */
class RolledBack extends Error {
  readonly plan: ImportPlan;

  constructor(plan: ImportPlan) {
    super("Rolls back the transaction");
    this.plan = plan;
  }
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
  { inherited, allFields = false, outside = textOf(OUTSIDE) }: Storing = {},
): Promise<ImportOutcome> {
  const [fresh, changed] = [await withIds(call, plan), draftsWith(plan, "update")];
  for (const { place, draft } of fresh) {
    const own = inherited?.get(place);
    Object.assign(draft.row, own?.row);
    Object.assign(draft.input, own?.input);
  }
  const drafts = fresh.map(({ draft }) => draft);
  const changes = changed.map(({ draft }) => draft);
  const read = rowReader(call.resource, BRIEF);
  const objects = drafts.length === 0
    ? []
    : allFields
    ? await storeDrafts(call, drafts)
    : (await storeNew(call, drafts, { outside })).map((row) => read(row, call.ctx));
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
    plan.rows.flatMap(({ place, targets }) => {
      const certificate = ids.get(place);
      return certificate === undefined || targets.length === 0 ? [] : [{ certificate, targets }];
    }),
  );
  return { rows, updates: plan.updates };
}

/** Returns the call for changes. */
function changing(call: CertificateCall, { changeable }: ImportPlan): CertificateCall {
  return { ...call, allowed: changeable ?? NOTHING };
}

/** What an import returns of a new certificate. */
const BRIEF = { brief: false, fields: IMPORTED_FIELDS, omit: [], long: false };

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

/** A certificate that may be missing from the inventory. */
export interface FoundCertificate {
  readonly certificate: Parsed;
  /** The certificates that were sent with it, in DER. */
  readonly chain: readonly Uint8Array[];
  readonly tenantId: number | null;
  readonly status: "active" | "pending";
  /** Where it was found. */
  readonly via: string;
  /** The id of the endpoint, if it was found at one. */
  readonly endpointId: number | null;
}

const FOUND_RULE = { onDuplicate: "skip", field: "pem_content", noun: "certificate" } as const;

/**
 * Stores the certificates that are missing from the inventory, in the caller's transaction. Returns the ids
 * of all of them by fingerprint, without those that cannot be stored, or that the rights of the finder exclude. The
 * number of statements does not depend on their number.
 */
export async function storeFound(
  call: CertificateCall,
  found: readonly FoundCertificate[],
  finder: Pick<CertificateCall, "ctx" | "allowed"> = call,
): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  if (found.length === 0) return ids;
  const rows = found.map(({ certificate, chain, status }, place) => ({
    place,
    body: {
      pem_content: encodePem(certificate.der),
      issuer_chain: chain.map((der) => encodePem(der)).join(""),
      status,
    },
    certificate,
    errors: [],
  }));
  const plan = await planRows(call, rows, FOUND_RULE, finder);
  for (const { place, draft } of draftsWith(plan, "create")) {
    const { tenantId, via, endpointId } = found[place] ?? {};
    Object.assign(draft.row, { tenant_id: tenantId, discovered_via: via, discovered_at_id: endpointId });
  }
  const drafts = finder === call ? [] : await withIds(call, plan);
  const within = new Set(await draftsWithin({ ...call, ...finder }, drafts.map(({ draft }) => draft)));
  const outside = new Set(drafts.filter(({ draft }) => !within.has(draft)).map(({ place }) => place));
  const kept = plan.rows.filter(({ place }) => !outside.has(place));
  for (const { place, status, id } of (await storePlan(call, { ...plan, rows: kept })).rows) {
    const { certificate } = found[place] ?? {};
    if (status === "skip" || certificate === undefined || id === undefined) continue;
    ids.set(certificate.fingerprintSha256, id);
  }
  return ids;
}
