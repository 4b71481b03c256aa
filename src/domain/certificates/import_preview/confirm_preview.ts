/** Imports what a preview shows: all of it or nothing, and once. */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { AppError, type FieldErrors } from "../../../base/errors.ts";
import { jsonText, type Transaction } from "../../../db/mod.ts";
import { import_preview_rows, import_previews } from "../../../db/schema/mod.ts";
import type { Condition } from "../../../filters/mod.ts";
import { certificates } from "../mod.ts";
import { authorizeBulkImport, type DataDocument, storePlan } from "../import/mod.ts";
import { findContent, findPreview } from "./find_preview.ts";
import { callOf, isFaultless, planDocument } from "./judge_document.ts";
import { isReady, type PreviewHead, type RowStatus } from "./preview.ts";
import { readKept } from "./read_content.ts";
import { refresh } from "./refresh_preview.ts";

/**
 * Plans the import anew and carries it out, in one transaction with the note that it was done: whoever confirms a
 * second time is given what the first one made. A preview in which something is wrong, or has become wrong, imports
 * nothing and is brought up to date instead. Gives the preview as it is now; its `confirmed` tells which it was.
 * Errors: forbidden, not_found.
 */
export async function confirmPreview({ ctx, key }: { ctx: Context; key: string }): Promise<PreviewHead> {
  const allowed = authorizeBulkImport(ctx);
  const { head } = await findPreview({ ctx }, key);
  if (head.confirmed !== null) return head;
  const document = await readKept(ctx, { text: await findContent({ ctx, key }), format: head.format });
  if (!isReady(head)) return await refresh({ ctx, allowed, key, document });
  try {
    const after = await ctx.database.write((tx) => carryOut({ ctx, tx, allowed }, { key, document }));
    if (after === undefined) return await refresh({ ctx, allowed, key, document });
    certificates.afterCommit?.(ctx);
    return after;
  } catch (error) {
    if (!(error instanceof AppError && error.code === "forbidden")) throw error;
    // A row lies where the caller may not import any more; which one, the preview says.
    const after = await refresh({ ctx, allowed, key, document });
    if (isReady(after)) throw error;
    return after;
  }
}

/** Gives the confirmed preview; undefined where something stands against it. */
async function carryOut(
  { ctx, tx, allowed }: { ctx: Context; tx: Transaction; allowed: Condition },
  { key, document }: { key: string; document: DataDocument },
): Promise<PreviewHead | undefined> {
  const { id, head } = await findPreview({ ctx, reader: tx }, key);
  // Another tab was quicker.
  if (head.confirmed !== null) return head;
  const call = callOf(ctx, { tx, allowed });
  const plan = await planDocument(call, { document, options: head });
  if (!isFaultless(document, plan)) return undefined;
  const { created } = await storePlan(call, plan);
  await tx.runAll([
    sql`UPDATE ${import_previews} SET confirmed = ${ctx.clock.now()} WHERE id = ${id}`,
    noteOutcome(id, [
      ...created.map(({ place, object }) => ({
        place,
        id: object.id,
        status: "create" as const,
        messages: {},
      })),
      ...plan.skipped.map(({ place, existing = null, reason }) => ({
        place,
        id: existing,
        status: "skip" as const,
        messages: { __all__: [reason] },
      })),
    ]),
  ]);
  return (await findPreview({ ctx, reader: tx }, key)).head;
}

/** What became of each row. Every row is there; an upsert finds each by its key, where a join would walk them all. */
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
