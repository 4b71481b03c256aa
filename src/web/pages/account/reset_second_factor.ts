/** Resets the second factors of another user. */

import { resetSecondFactor } from "../../../domain/accounts/second_factors/reset/mod.ts";
import { users } from "../../../domain/accounts/users/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { objectPath } from "../../paths.ts";
import { attempt, done } from "../../responses.ts";

/** Removes passkeys, app and codes of the user, and returns to the user's page. */
export async function resetUserSecondFactor(call: Call): Promise<Response> {
  const user = objectPath(users, idOf(call));
  return await attempt({ call, back: user, codes: ["conflict"] }, async () => {
    await resetSecondFactor({ ctx: call.ctx, id: idOf(call) });
    return done(
      call,
      user,
      "Second factor reset. The user signs in with the password and can add a new one.",
    );
  });
}
