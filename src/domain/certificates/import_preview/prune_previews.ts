/** Sweeps out previews that have expired: a scheduled job. */

import { sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { import_previews } from "../../../db/schema/mod.ts";

/** Deletes them; gives how many there were. */
export async function prunePreviews({ ctx }: { ctx: Context }): Promise<{ previews_deleted: number }> {
  const deleted = await ctx.database.write((tx) =>
    tx.run(sql`DELETE FROM ${import_previews} WHERE expires <= ${ctx.clock.now()}`)
  );
  return { previews_deleted: deleted };
}
