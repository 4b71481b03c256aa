/** Replaces the recovery codes. */

import { renewRecoveryCodes } from "../../../../domain/accounts/second_factors/mod.ts";
import type { Call } from "../../../call.ts";
import { afterChange, type Confirmation, confirmationPage, confirmed } from "./parts.tsx";

const RENEW: Confirmation = {
  title: "Create new recovery codes",
  text: "Your current codes will stop working.",
  button: "Create codes",
};

export function recoveryCodesPage(call: Call): Response {
  return confirmationPage(call, RENEW);
}

export async function recoveryCodesForm(call: Call): Promise<Response> {
  return await confirmed(call, {
    confirmation: RENEW,
    work: async (given) =>
      afterChange(call, { codes: await renewRecoveryCodes(call.ctx, given), text: "New codes created." }),
  });
}
