/** Changes a user's own password. */

import { revokeTokens } from "../../../domain/accounts/tokens/mod.ts";
import { changePassword } from "../../../domain/accounts/users/mod.ts";
import type { Call } from "../../call.ts";
import { textOf } from "../../forms.ts";
import { fieldErrorsOf } from "../../messages.ts";
import { done } from "../../responses.ts";
import { profilePage } from "./profile.tsx";

/** Changes the password and revokes all other sessions. */
export async function changeOwnPassword(call: Call): Promise<Response> {
  const { form, ctx, session } = call;
  const password = textOf(form, "password");
  const revoke = form.has("revoke_tokens");
  const userId = session.actor.userId as number;
  try {
    if (password !== textOf(form, "again")) {
      return await profilePage(call, { password: { again: ["Passwords do not match."] } });
    }
    await changePassword({
      ctx,
      input: {
        userId,
        password,
        current: textOf(form, "current"),
        address: call.client.address,
        keepSession: session.id,
        ...(revoke ? { also: (tx) => revokeTokens({ ctx, tx }, userId) } : {}),
      },
    });
  } catch (error) {
    return await profilePage(call, { password: fieldErrorsOf(error) });
  }
  return done(
    call,
    "/profile/",
    revoke ? "Password changed and API tokens revoked." : "Password changed.",
  );
}
