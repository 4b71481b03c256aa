/** Validates changes of accounts. */

import { inArray } from "drizzle-orm";
import { deleteFrom, idsIn } from "../../../db/mod.ts";
import { sessions } from "../../../db/schema/mod.ts";
import { refuse, type WriteStep } from "../../../resource/mod.ts";
import { recordAudit } from "../../system/audit_events/mod.ts";
import { guardMembership } from "./membership.ts";
import { guardAccounts, keepOwnAccount, keepSuperuser } from "./superusers.ts";

/**
 * Guards superusers and group memberships. Revokes the sessions of accounts whose password changes or that
 * are deactivated. Errors: forbidden.
 */
export async function prepareUsers(step: WriteStep): Promise<void> {
  const { ctx, tx, drafts } = step;
  const superusers = drafts.some(({ before, input }) =>
    before?.is_superuser === 1 || input.is_superuser === true
  );
  if (superusers) guardAccounts(ctx);
  keepOwnAccount(step);
  requireCurrentPassword(step);
  await keepSuperuser(step);
  await guardMembership(step);
  const changed = drafts.filter(({ before, input }) =>
    before !== undefined && ("password" in input || input.is_active === false)
  );
  if (changed.length > 0) {
    const ids = idsIn(changed.map((draft) => draft.id));
    await tx.run(deleteFrom(sessions).where(inArray(sessions.user_id, ids)));
    const passwords = changed.filter(({ input, errors }) =>
      "password" in input && Object.keys(errors).length === 0
    );
    await recordAudit(
      tx,
      ctx,
      passwords.map(({ id, before }) => ({
        event: "password_changed" as const,
        userId: id,
        username: String(before?.username ?? ""),
        detail: `by ${ctx.actor.username}`,
      })),
    );
  }
}

/** Refuses a new password for the caller's own account without the current one: a token alone must not be able to sign in. */
function requireCurrentPassword({ ctx: { actor }, drafts }: WriteStep): void {
  for (const draft of drafts) {
    const isConfirmed = "current_password" in draft.input;
    // It is nothing that is stored.
    delete draft.input.current_password;
    if (isConfirmed || draft.id !== actor.userId || !("password" in draft.input)) continue;
    refuse(
      draft,
      "current_password",
      "Required to change your own password. On the pages, change it on your profile.",
    );
  }
}
