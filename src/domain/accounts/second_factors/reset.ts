import { eq } from "drizzle-orm";
import { AppError, notFound } from "../../../base/errors.ts";
import { deleteFrom } from "../../../db/mod.ts";
import { sessions } from "../../../db/schema/mod.ts";
import { NO_INPUT, operation, shown } from "../../../operation/mod.ts";
import { loadForChange, readAnswer } from "../../../resource/mod.ts";
import { recordAudit } from "../../system/audit_events/record_audit.ts";
import { guardAccounts } from "../users/superusers.ts";
import { users } from "../users/resource.ts";

/**
 * Removes the passkeys, the authenticator app and the recovery codes of a user who has lost their devices, and revokes
 * their web sessions. The caller's own factors cannot be removed here, because that requires the password. Errors:
 * forbidden, not_found, conflict (the user is the caller).
 */
export const resetSecondFactor = operation({
  needs: [["change", users]],
  input: NO_INPUT,
  output: shown(users),
  run: async ({ ctx, id, allowed }) => {
    // Loaded late, because this is the only part of the API that needs second factors.
    const { changeFactors, removeAll } = await import("./factors.ts");
    await changeFactors(ctx, async (tx) => {
      const call = { ctx, tx, resource: users, allowed: allowed(users) };
      const user = (await loadForChange(call, [id])).get(id);
      if (user === undefined) throw notFound();
      if (id === ctx.actor.userId) {
        throw new AppError("conflict", "Change your own second factor under Sign-in and security.");
      }
      if (user.is_superuser === 1) guardAccounts(ctx);
      await removeAll({ ctx, tx }, id);
      await tx.run(deleteFrom(sessions).where(eq(sessions.user_id, id)));
      const detail = `by ${ctx.actor.username}`;
      await recordAudit(tx, ctx, [
        { event: "second_factor_reset", userId: id, username: String(user.username), detail },
      ]);
    });
    return await readAnswer({ ctx, reader: ctx.database, resource: users }, id);
  },
});
