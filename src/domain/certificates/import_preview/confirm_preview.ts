/** Imports the rows of a preview, all or none, exactly once. */

import { eq, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { AppError, type FieldErrors } from "../../../base/errors.ts";
import { jsonText, type Transaction, update } from "../../../db/mod.ts";
import { import_preview_rows, import_previews } from "../../../db/schema/mod.ts";
import type { Condition } from "../../../filters/mod.ts";
import { certificates } from "../mod.ts";
import { authorizeBulkImport, type DataDocument, type ImportPlan, storePlan } from "../import/mod.ts";
import { findDocument, findPreview } from "./find_preview.ts";
import { callOf, checkDocument, isImportable, planDocument } from "./check_document.ts";
import { hasGoodRows, isReady, type PreviewHead, type RowStatus } from "./preview.ts";
import { readStored } from "./read_content.ts";
import { refresh } from "./refresh_preview.ts";

/** A preview to confirm. */
export interface Confirmation {
  readonly ctx: Context;
  readonly key: string;
  /** Whether rows with errors are left out; otherwise all rows are imported or none. */
  readonly goodOnly?: boolean;
}

/**
 * Plans the import again and applies it, in the transaction that marks the preview as confirmed; a second confirmation
 * returns the result of the first. A preview with errors imports nothing and is updated instead, unless `goodOnly`.
 * Returns the preview; its `confirmed` shows whether the import was done.
 * Errors: forbidden, not_found.
 */
export async function confirmPreview({ ctx, key, goodOnly = false }: Confirmation): Promise<PreviewHead> {
  const allowed = authorizeBulkImport(ctx);
  const { head } = await findPreview({ ctx }, key);
  if (head.confirmed !== null) return head;
  const document = await readStored(ctx, await findDocument({ ctx, key }));
  if (!(goodOnly ? hasGoodRows(head) : isReady(head))) return await refresh({ ctx, allowed, key, document });
  try {
    const bad = goodOnly ? await badPlaces({ ctx, allowed }, { head, document }) : undefined;
    const after = await ctx.database.write((tx) => carryOut({ ctx, tx, allowed }, { key, document, bad }));
    if (after === undefined) return await refresh({ ctx, allowed, key, document });
    certificates.afterCommit?.(ctx);
    return after;
  } catch (error) {
    if (!(error instanceof AppError && error.code === "forbidden")) throw error;
    // The caller may no longer import some row; the updated preview shows which.
    const after = await refresh({ ctx, allowed, key, document });
    if (isReady(after)) throw error;
    return after;
  }
}

/** Returns the places of rows with errors, as the preview would show them now. */
async function badPlaces(
  { ctx, allowed }: { ctx: Context; allowed: Condition },
  { head, document }: { head: PreviewHead; document: DataDocument },
): Promise<ReadonlySet<number>> {
  const { rows } = await checkDocument({ ctx, allowed, document, options: head });
  return new Set(rows.filter(({ status }) => status === "error").map(({ place }) => place));
}

/** Returns the plan without the rows with errors. */
function withoutBad(plan: ImportPlan, bad: ReadonlySet<number>): ImportPlan {
  const isGood = ({ place }: { place: number }): boolean => !bad.has(place);
  return { ...plan, fresh: plan.fresh.filter(isGood), changed: plan.changed.filter(isGood), failed: [] };
}

/** Returns the confirmed preview; undefined if it has errors. With `bad`, these rows are left out. */
async function carryOut(
  { ctx, tx, allowed }: { ctx: Context; tx: Transaction; allowed: Condition },
  { key, document, bad }: { key: string; document: DataDocument; bad: ReadonlySet<number> | undefined },
): Promise<PreviewHead | undefined> {
  const { id, head } = await findPreview({ ctx, reader: tx }, key);
  // Another tab has confirmed it already.
  if (head.confirmed !== null) return head;
  const call = callOf(ctx, { tx, allowed });
  const all = await planDocument(call, { document, options: head });
  const plan = bad === undefined ? all : withoutBad(all, bad);
  // A row may have become invalid since.
  const isAsShown = bad === undefined
    ? isImportable(document, plan)
    : all.failed.every(({ place }) => bad.has(place)) && plan.fresh.length + plan.changed.length > 0;
  if (!isAsShown) return undefined;
  const { created, updated, unchanged, skipped } = await storePlan(call, plan);
  await tx.runAll([
    update(import_previews).set({ confirmed: ctx.clock.now() }).where(eq(import_previews.id, id)),
    noteOutcome(id, [
      ...created.map(({ place, object }) => ({
        place,
        id: object.id,
        status: "create" as const,
        messages: {},
      })),
      ...updated.map(({ place, object }) => ({
        place,
        id: object.id,
        status: "update" as const,
        messages: {},
      })),
      ...unchanged.map(({ place, id: certificate }) => ({
        place,
        id: certificate,
        status: "unchanged" as const,
        messages: {},
      })),
      ...skipped.map(({ place, existing = null, reason }) => ({
        place,
        id: existing,
        status: "skip" as const,
        messages: { __all__: [reason] },
      })),
    ]),
  ]);
  return (await findPreview({ ctx, reader: tx }, key)).head;
}

/** Stores the result of each row. The rows exist; an upsert finds each by its key, where a join would scan all. */
function noteOutcome(
  previewId: number,
  rows: readonly { place: number; id: unknown; status: RowStatus; messages: FieldErrors }[],
): SQL {
  return sql`INSERT INTO ${import_preview_rows} (preview_id, place, status, cells, messages, certificate_id)
    SELECT ${previewId}, value ->> 'place', value ->> 'status', '[]', value -> 'messages', value ->> 'id'
    FROM json_each(${jsonText(rows)}) WHERE true
    ON CONFLICT (preview_id, place) DO UPDATE
    SET status = excluded.status, messages = excluded.messages, certificate_id = excluded.certificate_id`;
}
