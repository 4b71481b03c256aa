/** Judges a preview's document once more: what it refers to may have come or gone since. */

import { sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { jsonText } from "../../../db/mod.ts";
import { import_previews } from "../../../db/schema/mod.ts";
import type { Condition } from "../../../filters/mod.ts";
import { authorizeBulkImport, type DataDocument } from "../import/mod.ts";
import { findContent, findPreview } from "./find_preview.ts";
import { judgeDocument } from "./judge_document.ts";
import type { PreviewHead } from "./preview.ts";
import { readKept } from "./read_content.ts";
import { columnsOf, replaceRows } from "./stored_rows.ts";

/** Brings a preview up to date; one that is confirmed stays as it is. Errors: forbidden, not_found. */
export async function refreshPreview({ ctx, key }: { ctx: Context; key: string }): Promise<PreviewHead> {
  const allowed = authorizeBulkImport(ctx);
  const { head } = await findPreview({ ctx }, key);
  const document = await readKept(ctx, { text: await findContent({ ctx, key }), format: head.format });
  return await refresh({ ctx, allowed, key, document });
}

/** The same for a document that was read already. */
export async function refresh(
  { ctx, allowed, key, document }: {
    ctx: Context;
    allowed: Condition;
    key: string;
    document: DataDocument;
  },
): Promise<PreviewHead> {
  const { head: options } = await findPreview({ ctx }, key);
  const judgement = await judgeDocument({ ctx, allowed, document, options });
  const columns = columnsOf(judgement);
  return await ctx.database.write(async (tx) => {
    const { id, head } = await findPreview({ ctx, reader: tx }, key);
    // Another tab has confirmed it meanwhile.
    if (head.confirmed !== null) return head;
    await tx.runAll([
      sql`UPDATE ${import_previews} SET columns = ${jsonText(columns)}, errors = ${jsonText(judgement.errors)}
        WHERE id = ${id}`,
      ...replaceRows(id, judgement, columns),
    ]);
    return (await findPreview({ ctx, reader: tx }, key)).head;
  });
}
