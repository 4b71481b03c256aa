/** Replaces the caller's recovery codes. */

import type { Context } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { confirmPassword } from "../users/mod.ts";
import { secondFactorsOf } from "./factors.ts";
import { createRecoveryCodes } from "./recovery_codes.ts";
import type { WithPassword } from "./setup.ts";
import { ownUser } from "./own_user.ts";

/**
 * Returns new codes; the old ones no longer work. Errors: invalid (`current`), conflict (the user has no
 * second factor), rate_limited.
 */
export async function renewRecoveryCodes(ctx: Context, given: WithPassword): Promise<readonly string[]> {
  await confirmPassword(ctx, given);
  const { passkeys, app } = await secondFactorsOf(ctx, ownUser(ctx).userId);
  if (passkeys.length === 0 && app === null) {
    throw new AppError(
      "conflict",
      "Recovery codes belong to a second factor. Add a passkey or an app first.",
    );
  }
  return await ctx.database.write((tx) => createRecoveryCodes({ ctx, tx }));
}
