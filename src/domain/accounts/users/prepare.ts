/** Judges changes of accounts. */

import { sql } from "drizzle-orm";
import { idsIn } from "../../../db/mod.ts";
import type { WriteStep } from "../../../resource/mod.ts";
import { guardMembership } from "./membership.ts";
import { guardAccounts, keepSuperuser } from "./superusers.ts";

/** Keeps rights where they belong, and ends the sessions of accounts that get another password or are deactivated. */
export async function prepareUsers(step: WriteStep): Promise<void> {
  const { ctx, tx, drafts } = step;
  const superusers = drafts.some(({ before, input }) =>
    before?.is_superuser === 1 || input.is_superuser === true
  );
  if (superusers) guardAccounts(ctx);
  await keepSuperuser(step);
  await guardMembership(step);
  const changed = drafts.filter(({ before, input }) =>
    before !== undefined && ("password" in input || input.is_active === false)
  );
  if (changed.length > 0) {
    await tx.run(sql`DELETE FROM sessions WHERE user_id IN ${idsIn(changed.map((draft) => draft.id))}`);
  }
}
