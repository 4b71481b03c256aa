/** Checks the code that a user enters when signing in: of the authenticator app, or a recovery code. */

import { eq } from "drizzle-orm";
import { type Context, matchingStep } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { SIGN_IN_FAILURES_PER_ACCOUNT, SIGN_IN_WINDOW_MS } from "../../../base/limits.ts";
import { deleteFrom, insertInto, select, type Transaction, update } from "../../../db/mod.ts";
import { authenticator_apps, code_failures } from "../../../db/schema/mod.ts";
import { recordAudit } from "../../system/audit_events/mod.ts";
import { useRecoveryCode } from "./recovery_codes.ts";

/** Maximum length of a code that is read. */
const MAX_CODE_CHARS = 40;

/**
 * Checks a code, which can be used only once. Returns its kind, or undefined if it is wrong. After ten wrong
 * codes, all are refused for a while, from any address, because only someone who knows the password gets this
 * far. Errors: rate_limited.
 */
export async function checkCode(
  deps: Omit<Context, "actor">,
  { userId, username, code }: { userId: number; username: string; code: string },
): Promise<"authenticator app" | "recovery code" | undefined> {
  const now = deps.clock.now();
  const text = code.slice(0, MAX_CODE_CHARS).trim();
  // One transaction, so that concurrent attempts are counted and no code is accepted twice.
  return await deps.database.write(async (tx) => {
    const [failures] = await tx.all(
      select({ count: code_failures.count, until: code_failures.until }).from(code_failures)
        .where(eq(code_failures.user_id, userId)),
    );
    const recent = failures !== undefined && failures.until > now
      ? failures
      : { count: 0, until: now + SIGN_IN_WINDOW_MS };
    if (recent.count >= SIGN_IN_FAILURES_PER_ACCOUNT) throw tooMany(recent.until - now);
    const kind = await kindOf(tx, { userId, text, now });
    await tx.run(deleteFrom(code_failures).where(eq(code_failures.user_id, userId)));
    if (kind === undefined) {
      await tx.run(
        insertInto(code_failures).values({ user_id: userId, count: recent.count + 1, until: recent.until }),
      );
    }
    if (kind === "recovery code") {
      await recordAudit(tx, deps, [{ event: "recovery_code_used", userId, username }]);
    }
    return kind;
  });
}

async function kindOf(
  tx: Transaction,
  { userId, text, now }: { userId: number; text: string; now: number },
): Promise<"authenticator app" | "recovery code" | undefined> {
  const [app] = await tx.all(
    select({ secret: authenticator_apps.secret, after: authenticator_apps.last_step }).from(
      authenticator_apps,
    )
      .where(eq(authenticator_apps.user_id, userId)),
  );
  const step = app === undefined
    ? undefined
    : matchingStep(app.secret, { code: text.replaceAll(" ", ""), now, after: app.after });
  if (step === undefined) {
    return await useRecoveryCode(tx, { userId, code: text }) ? "recovery code" : undefined;
  }
  await tx.run(
    update(authenticator_apps).set({ last_step: step }).where(eq(authenticator_apps.user_id, userId)),
  );
  return "authenticator app";
}

function tooMany(ms: number): AppError {
  const seconds = Math.ceil(ms / 1000);
  return new AppError("rate_limited", `Too many wrong codes. Try again in ${seconds} seconds.`, {
    headers: { "Retry-After": String(seconds) },
  });
}
