/** Deletes previews: one that its user discards, or expired ones. */

import { lte } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { notFound } from "../../../base/errors.ts";
import { deleteFrom } from "../../../db/mod.ts";
import { import_previews } from "../../../db/schema/mod.ts";
import { deletePreview } from "./find_preview.ts";

/** Deletes a preview and its document; imported certificates stay. Errors: forbidden, not_found. */
export async function discardPreview({ ctx, key }: { ctx: Context; key: string }): Promise<void> {
  if (!await deletePreview({ ctx, key })) throw notFound();
}

/** Scheduled job: deletes expired previews. Returns their number. */
export async function prunePreviews({ ctx }: { ctx: Context }): Promise<{ previews_deleted: number }> {
  const deleted = await ctx.database.write((tx) =>
    tx.run(deleteFrom(import_previews).where(lte(import_previews.expires, ctx.clock.now())))
  );
  return { previews_deleted: deleted };
}
