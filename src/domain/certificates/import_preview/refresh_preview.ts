/** Validates the document of a preview again, because objects to which it refers may have changed. */

import { eq } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { update } from "../../../db/mod.ts";
import { import_previews } from "../../../db/schema/mod.ts";
import type { Condition } from "../../../filters/mod.ts";
import { authorizeBulkImport, type DataDocument } from "../import/mod.ts";
import { findDocument, findPreview } from "./find_preview.ts";
import { checkDocument } from "./check_document.ts";
import type { PreviewHead } from "./preview.ts";
import { readStored } from "./read_content.ts";
import { replaceRows, shownColumns } from "./stored_rows.ts";

/** Updates a preview unless it is confirmed. Errors: forbidden, not_found. */
export async function refreshPreview({ ctx, key }: { ctx: Context; key: string }): Promise<PreviewHead> {
  const allowed = authorizeBulkImport(ctx);
  const document = await readStored(ctx, await findDocument({ ctx, key }));
  return await refresh({ ctx, allowed, key, document });
}

/** Updates a preview from its parsed document. */
export async function refresh(
  { ctx, allowed, key, document }: {
    ctx: Context;
    allowed: Condition;
    key: string;
    document: DataDocument;
  },
): Promise<PreviewHead> {
  const { head: options } = await findPreview({ ctx }, key);
  const checked = await checkDocument({ ctx, allowed, document, options });
  return await ctx.database.write(async (tx) => {
    const { id, head } = await findPreview({ ctx, reader: tx }, key);
    // Confirmed in the meantime, for example in another tab.
    if (head.confirmed !== null) return head;
    await tx.runAll([
      update(import_previews).set(shownColumns(document, checked, options.headings))
        .where(eq(import_previews.id, id)),
      ...replaceRows(id, checked),
    ]);
    return (await findPreview({ ctx, reader: tx }, key)).head;
  });
}
