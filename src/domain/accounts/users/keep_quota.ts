import { count, inArray } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { ALL_FIELDS, finding } from "../../../base/findings.ts";
import { idsIn, select } from "../../../db/mod.ts";
import { refuse, type WriteStep } from "../../../resource/mod.ts";

export interface Quota {
  readonly table: SQLiteTable & { readonly user_id: SQLiteColumn };
  readonly most: number;
  /** The objects in messages: `tokens`. */
  readonly noun: string;
  /** The setting for `most`, if there is one. */
  readonly setting?: string;
}

/**
 * Refuses new objects above the quota of their user. They are counted in the write transaction, so that
 * concurrent requests cannot exceed the quota together. The service itself (command line, first start) is not
 * limited, so that operators can always get access. One statement if something is created.
 */
export async function keepQuota(
  { ctx, tx, drafts }: WriteStep,
  { table, most, noun, setting }: Quota,
): Promise<void> {
  if (ctx.actor.userId === null) return;
  const created = drafts.flatMap((draft) => {
    const user = draft.row.user_id ?? draft.input.user;
    return draft.before === undefined && typeof user === "number" ? [{ draft, user }] : [];
  });
  if (created.length === 0) return;
  const { user_id } = table;
  const rows = await tx.all(
    select({ user_id, n: count() })
      .from(table)
      .where(inArray(user_id, idsIn(created.map(({ user }) => user))))
      .groupBy(user_id),
  );
  const counts = new Map(rows.map((row) => [row.user_id, row.n]));
  for (const { draft, user } of created) {
    const held = counts.get(user) ?? 0;
    counts.set(user, held + 1);
    if (held < most) continue;
    refuse(draft, ALL_FIELDS, finding("quota_reached", { count: held, things: noun, max: most, setting }));
  }
}
