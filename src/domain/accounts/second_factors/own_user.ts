/** The user whose second factors a request is about. */

import type { Context } from "../../../auth/mod.ts";
import { forbidden } from "../../../base/errors.ts";

/** Returns the user who makes the request. Errors: forbidden (it is the service itself). */
export function ownUser({ actor: { userId, username } }: Context): { userId: number; username: string } {
  if (userId === null) throw forbidden();
  return { userId, username };
}
