/** Scheduled job: deletes expired previews. */

import { lte } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { deleteFrom } from "../../../db/mod.ts";
import { import_previews } from "../../../db/schema/mod.ts";

/** Deletes expired previews. Returns their number. */
export async function prunePreviews({ ctx }: { ctx: Context }): Promise<{ previews_deleted: number }> {
  const deleted = await ctx.database.write((tx) =>
    tx.run(deleteFrom(import_previews).where(lte(import_previews.expires, ctx.clock.now())))
  );
  return { previews_deleted: deleted };
}
