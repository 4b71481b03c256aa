/** What would become of each row of a document, were it imported now: the import's own plan, and nothing stored. */

import type { Context } from "../../../auth/mod.ts";
import { addError, type FieldErrors } from "../../../base/errors.ts";
import type { Transaction } from "../../../db/mod.ts";
import type { Condition } from "../../../filters/mod.ts";
import type { WriteCall } from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";
import {
  type DataDocument,
  type ImportRow,
  OUTSIDE_MESSAGE,
  placesOutside,
  type Plan,
  planRows,
  rehearse,
  withoutColumns,
} from "../import/mod.ts";
import type { DocumentError, PreviewOptions, RowStatus } from "./preview.ts";

/** A row, judged. */
export interface JudgedRow {
  readonly place: number;
  readonly status: RowStatus;
  readonly cells: Readonly<Record<string, unknown>>;
  readonly messages: FieldErrors;
  readonly existing: number | null;
}

/** A document, judged. */
export interface Judgement {
  readonly errors: readonly DocumentError[];
  readonly rows: readonly JudgedRow[];
}

/** Judges a document. Nothing is stored; the number of statements does not depend on how many rows there are. */
export async function judgeDocument(
  { ctx, allowed, document, options }: {
    ctx: Context;
    allowed: Condition;
    document: DataDocument;
    options: PreviewOptions;
  },
): Promise<Judgement> {
  const { plan, outside } = await rehearse(ctx.database, async (tx) => {
    const call = callOf(ctx, { tx, allowed });
    const plan = await planDocument(call, { document, options });
    return { plan, outside: await placesOutside(call, plan) };
  });
  return judgementOf(document, { plan, outside });
}

/** The call in which a preview's rows are planned and stored. */
export function callOf(ctx: Context, { tx, allowed }: { tx: Transaction; allowed: Condition }): WriteCall {
  return { ctx, tx, resource: certificates, allowed };
}

/** The import's plan for a document. */
export async function planDocument(
  call: WriteCall,
  { document, options }: { document: DataDocument; options: PreviewOptions },
): Promise<Plan> {
  const rule = { onDuplicate: options.onDuplicate, noun: "row", field: "serial_number" } as const;
  const plan = await planRows(call, document.rows.map((row) => withTenant(row, options.tenant)), rule);
  return { ...plan, failed: withoutColumns(plan.failed, document.errors) };
}

/** Whether a plan can be carried out. */
export function isFaultless({ errors }: DataDocument, { failed }: Plan): boolean {
  return errors.length === 0 && failed.length === 0;
}

/** The tenant of the call is for rows that say nothing of one. */
function withTenant(row: ImportRow, tenant: string): ImportRow {
  const own = row.tenantText !== undefined || row.body.tenant !== undefined ||
    row.errors.tenant !== undefined;
  return own || tenant === "" ? row : { ...row, tenantText: tenant };
}

function judgementOf(
  document: DataDocument,
  { plan, outside }: { plan: Plan; outside: ReadonlySet<number> },
): Judgement {
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
    rows: judgedRows(document, { plan, messages }),
  };
}

/** Rows that could not be read have messages only. */
function judgedRows(
  { rows }: DataDocument,
  { plan, messages }: { plan: Plan; messages: ReadonlyMap<number, FieldErrors> },
): JudgedRow[] {
  const cells = new Map(rows.map((row) => [row.place, row.cells ?? {}]));
  const skipped = new Map(plan.skipped.map((row) => [row.place, row]));
  const existing = new Map([...plan.skipped, ...plan.failed].map((row) => [row.place, row.existing]));
  const places = [...new Set([...cells.keys(), ...messages.keys()])].sort((a, b) => a - b);
  return places.map((place) => {
    const wrong = messages.get(place);
    const reason = skipped.get(place)?.reason;
    return {
      place,
      status: wrong !== undefined ? "error" : reason === undefined ? "create" : "skip",
      cells: cells.get(place) ?? {},
      messages: wrong ?? (reason === undefined ? {} : { __all__: [reason] }),
      existing: existing.get(place) ?? null,
    };
  });
}
