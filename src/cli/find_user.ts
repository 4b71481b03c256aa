/** Finds users by the name on the command line. */

import type { Context } from "../auth/mod.ts";
import { users } from "../domain/accounts/users/mod.ts";
import { CommandError } from "./failure.ts";
import { listAll } from "./list_all.ts";

/** Returns the user with a name, ignoring case. Errors: {@link CommandError} if there is none. */
export async function userByName(ctx: Context, username: string): Promise<Record<string, unknown>> {
  const [user] = await listAll(ctx, { resource: users, filters: { username__ie: username } });
  if (user === undefined) {
    throw new CommandError(
      `User ${JSON.stringify(username)} does not exist. Run "certmgr user list" to see all users.`,
    );
  }
  return user;
}
