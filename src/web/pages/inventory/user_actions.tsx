/** Buttons on the page of a user. */

import { type User, users } from "../../../domain/accounts/users/mod.ts";
import type { Call } from "../../call.ts";
import { Form, type Html } from "../../kit/components/mod.ts";
import { objectPath } from "../../paths.ts";
import { mayActOn } from "../../kit/detail/permitted_actions.ts";

/** Removes the second factors of another user, who has lost their devices. */
export async function resetButton(call: Call, user: User): Promise<Html | null> {
  if (user.has_second_factor !== true || user.id === call.ctx.actor.userId) return null;
  if (!await mayActOn(call, users, { action: "change", id: user.id })) return null;
  return (
    <Form call={call} action={`${objectPath(users, user.id)}reset-second-factor/`} class="inline">
      <button type="submit" class="secondary">Reset second factor</button>
    </Form>
  );
}
