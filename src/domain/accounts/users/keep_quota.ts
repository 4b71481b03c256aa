/** How many objects of a kind one user may have. */

import { sql } from "drizzle-orm";
import { idsIn } from "../../../db/mod.ts";
import { refuse, type WriteStep } from "../../../resource/mod.ts";

/** A limit for each user. */
export interface Quota {
  /** Table with a `user_id`. */
  readonly table: string;
  readonly most: number;
  /** In prose: `tokens`. */
  readonly noun: string;
  /** The setting that sets `most`. */
  readonly setting: string;
}

/**
 * Refuses new objects beyond the quota of their user. The count is read in the write transaction, so that it holds for
 * requests at the same time, too. The service itself (command line, first start) is not limited: it is the way back in.
 * One statement where something is created.
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
  const rows = await tx.all<{ user_id: number; count: number }>(
    sql`SELECT user_id, count(*) AS count FROM ${sql.identifier(table)} WHERE user_id IN ${
      idsIn(created.map(({ user }) => user))
    } GROUP BY user_id`,
  );
  const counts = new Map(rows.map((row) => [row.user_id, row.count]));
  for (const { draft, user } of created) {
    const count = counts.get(user) ?? 0;
    counts.set(user, count + 1);
    if (count < most) continue;
    refuse(
      draft,
      "__all__",
      `The user has ${count} ${noun}, and ${most} are allowed (${setting}). Delete one first.`,
    );
  }
}
