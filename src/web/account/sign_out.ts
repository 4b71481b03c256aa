/** Ends the session of this browser. */

import { endSession } from "../../domain/accounts/sessions/mod.ts";
import type { Call } from "../call.ts";
import { noSessionCookie } from "../cookies.ts";
import { seeOther } from "../responses.ts";

/** Signs out. */
export async function signOut(call: Call): Promise<Response> {
  await endSession({ ctx: call.ctx, id: call.session.id });
  return seeOther(call, "/sign-in/", {
    flash: { kind: "success", text: "You have signed out." },
    cookies: [noSessionCookie(call.client)],
  });
}
