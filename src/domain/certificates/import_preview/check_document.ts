/** Validates a document as an import would, but stores nothing. */

import type { Context } from "../../../auth/mod.ts";
import { addError, type FieldErrors } from "../../../base/errors.ts";
import type { Transaction } from "../../../db/mod.ts";
import type { Condition } from "../../../filters/mod.ts";
import { type CertificateCall, certificates } from "../mod.ts";
import {
  type DataDocument,
  type ImportPlan,
  type ImportRow,
  OUTSIDE_MESSAGE,
  placesOutside,
  planRows,
  withoutColumns,
  withRollback,
} from "../import/mod.ts";
import type { DocumentError, PreviewOptions, RowStatus } from "./preview.ts";

/** A row with the result that an import would have. */
export interface CheckedRow {
  readonly place: number;
  readonly status: RowStatus;
  readonly cells: Readonly<Record<string, unknown>>;
  readonly messages: FieldErrors;
  readonly existing: number | null;
}

export interface CheckedDocument {
  readonly errors: readonly DocumentError[];
  readonly rows: readonly CheckedRow[];
}

/** Plans the import of a document. The number of statements does not depend on the number of rows. */
export async function checkDocument(
  { ctx, allowed, document, options }: {
    ctx: Context;
    allowed: Condition;
    document: DataDocument;
    options: PreviewOptions;
  },
): Promise<CheckedDocument> {
  const { plan, outside } = await withRollback(ctx.database, async (tx) => {
    const call = callOf(ctx, { tx, allowed });
    const plan = await planDocument(call, { document, options });
    return { plan, outside: await placesOutside(call, plan) };
  });
  return checkedDocument(document, { plan, outside });
}

/** Returns the call with which the rows of a preview are planned and stored. */
export function callOf(
  ctx: Context,
  { tx, allowed }: { tx: Transaction; allowed: Condition },
): CertificateCall {
  return { ctx, tx, resource: certificates, allowed };
}

/** Returns the plan of an import. */
export async function planDocument(
  call: CertificateCall,
  { document, options }: { document: DataDocument; options: PreviewOptions },
): Promise<ImportPlan> {
  const { onDuplicate, overwrite } = options;
  const rule = { onDuplicate, overwrite, noun: "row", field: "serial_number" } as const;
  const plan = await planRows(call, document.rows.map((row) => withTenant(row, options.tenant)), rule);
  return { ...plan, failed: withoutColumns(plan.failed, document.errors) };
}

/** Returns whether neither the document nor the plan has errors. */
export function isImportable({ errors }: DataDocument, { failed }: ImportPlan): boolean {
  return errors.length === 0 && failed.length === 0;
}

/** Sets the tenant of a row that has none. */
function withTenant(row: ImportRow, tenant: string): ImportRow {
  const own = row.named?.tenant !== undefined || row.body.tenant !== undefined ||
    row.errors.tenant !== undefined;
  return own || tenant === "" ? row : { ...row, named: { ...row.named, tenant: [tenant] } };
}

function checkedDocument(
  document: DataDocument,
  { plan, outside }: { plan: ImportPlan; outside: ReadonlySet<number> },
): CheckedDocument {
  const messages = new Map<number, FieldErrors>();
  const add = (place: number, field: string, message: string): void => {
    const known = messages.get(place) ?? {};
    if (!known[field]?.includes(message)) addError(known, field, message);
    messages.set(place, known);
  };
  for (const { row, field, message } of document.errors) if (row > 0) add(row, field, message);
  for (const { place, errors } of plan.failed) {
    for (const [field, all] of Object.entries(errors)) for (const one of all) add(place, field, one);
  }
  for (const place of outside) add(place, "__all__", OUTSIDE_MESSAGE);
  return {
    errors: document.errors.filter(({ row }) => row === 0).map(({ field, message }) => ({ field, message })),
    rows: checkedRows(document, { plan, messages }),
  };
}

/** Returns all rows. Unreadable ones have messages but no cells. */
function checkedRows(
  { rows }: DataDocument,
  { plan, messages }: { plan: ImportPlan; messages: ReadonlyMap<number, FieldErrors> },
): CheckedRow[] {
  const cells = new Map(rows.map((row) => [row.place, row.cells ?? {}]));
  const skipped = new Map(plan.skipped.map((row) => [row.place, row]));
  const existing = new Map([
    ...[...plan.skipped, ...plan.failed].map((row) => [row.place, row.existing] as const),
    ...plan.changed.map(({ place, draft }) => [place, draft.id] as const),
    ...plan.unchanged.map(({ place, id }) => [place, id] as const),
  ]);
  const planned = new Map<number, RowStatus>([
    ...plan.changed.map(({ place }) => [place, "update"] as const),
    ...plan.unchanged.map(({ place }) => [place, "unchanged"] as const),
    ...plan.skipped.map(({ place }) => [place, "skip"] as const),
  ]);
  const places = [...new Set([...cells.keys(), ...messages.keys()])].sort((a, b) => a - b);
  return places.map((place) => {
    const wrong = messages.get(place);
    const reason = skipped.get(place)?.reason;
    return {
      place,
      status: wrong !== undefined ? "error" : planned.get(place) ?? "create",
      cells: cells.get(place) ?? {},
      messages: wrong ?? (reason === undefined ? {} : { __all__: [reason] }),
      existing: existing.get(place) ?? null,
    };
  });
}
