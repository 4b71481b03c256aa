/** Imports all rows of a preview or none, exactly once. */

import { eq, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { jsonText, type Transaction, update } from "../../../db/mod.ts";
import { import_preview_rows, import_previews } from "../../../db/schema/mod.ts";
import type { Condition } from "../../../filters/mod.ts";
import { certificates } from "../mod.ts";
import {
  authorizeBulkImport,
  type DataDocument,
  type ImportedRow,
  messagesOf,
  planRows,
  storePlan,
} from "../import/mod.ts";
import { findDocument, findPreview } from "./find_preview.ts";
import { checkDocument, planOf } from "./check_document.ts";
import { hasValidRows, isReady, type PreviewHead } from "./preview.ts";
import { readStored } from "./read_content.ts";
import { refresh } from "./refresh_preview.ts";

/** A preview to confirm. */
export interface Confirmation {
  readonly ctx: Context;
  readonly key: string;
  /** Leaves out rows with errors. Otherwise a preview with errors imports nothing. */
  readonly validOnly?: boolean;
}

/**
 * Plans the import again and applies it, in the transaction that marks the preview as confirmed. A second
 * confirmation returns the result of the first. Without `validOnly`, a preview with errors imports nothing and
 * is updated instead. Returns the preview; `confirmed` shows whether the import was done. Errors: forbidden,
 * not_found.
 */
export async function confirmPreview({ ctx, key, validOnly = false }: Confirmation): Promise<PreviewHead> {
  const allowed = authorizeBulkImport(ctx);
  const { head } = await findPreview({ ctx }, key);
  if (head.confirmed !== null) return head;
  const document = await readStored(ctx, await findDocument({ ctx, key }));
  if (!(validOnly ? hasValidRows(head) : isReady(head))) {
    return await refresh({ ctx, allowed, key, document });
  }
  try {
    const excluded = validOnly ? await placesWithErrors({ ctx, allowed }, { head, document }) : undefined;
    const after = await ctx.database.write((tx) =>
      applyPreview({ ctx, tx, allowed }, { key, document, excluded })
    );
    if (after === undefined) return await refresh({ ctx, allowed, key, document });
    certificates.afterCommit?.(ctx);
    return after;
  } catch (error) {
    if (!(error instanceof AppError && error.code === "forbidden")) throw error;
    // The caller may no longer import some row. The updated preview shows which one.
    const after = await refresh({ ctx, allowed, key, document });
    if (isReady(after)) throw error;
    return after;
  }
}

/** Returns the numbers of the rows that have errors now. */
async function placesWithErrors(
  { ctx, allowed }: { ctx: Context; allowed: Condition },
  { head, document }: { head: PreviewHead; document: DataDocument },
): Promise<ReadonlySet<number>> {
  const { rows } = await checkDocument({ ctx, allowed, document, options: head });
  return new Set(rows.filter(({ status }) => status === "error").map(({ place }) => place));
}

/** Imports a preview and returns it; undefined if it has errors. The rows in `excluded` are left out. */
async function applyPreview(
  { ctx, tx, allowed }: { ctx: Context; tx: Transaction; allowed: Condition },
  { key, document, excluded }: {
    key: string;
    document: DataDocument;
    excluded: ReadonlySet<number> | undefined;
  },
): Promise<PreviewHead | undefined> {
  const { id, head } = await findPreview({ ctx, reader: tx }, key);
  // Confirmed already, for example in another tab.
  if (head.confirmed !== null) return head;
  const call = { ctx, tx, resource: certificates, allowed };
  const { rows, rule } = planOf({ document, options: head });
  const all = await planRows(call, rows, rule);
  const plan = { ...all, rows: all.rows.filter(({ place }) => excluded?.has(place) !== true) };
  // A row may have become invalid in the meantime.
  const isValid = plan.rows.every(({ status }) => status !== "error") &&
    (excluded === undefined
      ? document.errors.length === 0
      : plan.rows.some(({ draft }) => draft !== undefined));
  if (!isValid) return undefined;
  const outcome = await storePlan(call, plan);
  await tx.runAll([
    update(import_previews).set({ confirmed: ctx.clock.now() }).where(eq(import_previews.id, id)),
    storeOutcome(id, outcome.rows),
  ]);
  return (await findPreview({ ctx, reader: tx }, key)).head;
}

/**
 * Stores the result of each row. The rows exist: an upsert finds each by its key, while a join would scan all
 * of them.
 */
function storeOutcome(previewId: number, rows: readonly ImportedRow[]): SQL {
  const stored = rows.map(({ place, id, status, reason }) => ({
    place,
    id,
    status,
    messages: messagesOf({ errors: {}, reason }),
  }));
  return sql`INSERT INTO ${import_preview_rows} (preview_id, place, status, cells, messages, certificate_id)
    SELECT ${previewId}, value ->> 'place', value ->> 'status', '[]', value -> 'messages', value ->> 'id'
    FROM json_each(${jsonText(stored)}) WHERE true
    ON CONFLICT (preview_id, place) DO UPDATE
    SET status = excluded.status, messages = excluded.messages, certificate_id = excluded.certificate_id`;
}
