/**
 * Requires the caller's password again before their credentials change, because an open browser is not
 * sufficient proof.
 */

import { finding } from "../../../base/findings.ts";
import { eq } from "drizzle-orm";
import { beginAttempt, type Context, refuseReadOnlyToken, verifyPassword } from "../../../auth/mod.ts";
import { AppError, invalid } from "../../../base/errors.ts";
import { select } from "../../../db/mod.ts";
import { users as table } from "../../../db/schema/mod.ts";
import { recordAudit } from "../../system/audit_events/record_audit.ts";

/**
 * Verifies the caller's current password. Counts as a sign-in attempt, so that an open session cannot be used
 * to guess the password. Errors: invalid (`field`), forbidden (no password), rate_limited, unavailable.
 */
export async function confirmPassword(
  ctx: Context,
  { current, address, field = "current" }: { current: string; address: string | null; field?: string },
): Promise<void> {
  const { actor: { userId, username }, database, clock } = ctx;
  refuseReadOnlyToken(ctx, "change");
  const attempt = beginAttempt({ database, now: clock.now() }, { username, address });
  await attempt.wait();
  const [user] = await database.all(
    select({ password_hash: table.password_hash }).from(table).where(eq(table.id, userId ?? 0)),
  );
  if (user === undefined || user.password_hash === null) {
    attempt.withdraw();
    throw new AppError("forbidden", "This account has no password. Its sign-in is managed elsewhere.");
  }
  const known = await verifyPassword(current, user.password_hash).catch((error) => {
    attempt.withdraw();
    throw error;
  });
  if (!known) {
    await database.write((tx) =>
      recordAudit(tx, ctx, [{ event: "sign_in_failed", userId, username, detail: "current password" }])
    );
    throw invalid([{ ...finding("wrong_password"), field }]);
  }
  attempt.succeed();
}
