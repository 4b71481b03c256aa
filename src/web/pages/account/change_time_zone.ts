/** Changes the time zone in which pages show times. */

import { AppError } from "../../../base/errors.ts";
import { saveTimeZone } from "../../../domain/accounts/preferences/mod.ts";
import type { Call } from "../../call.ts";
import { textOf } from "../../forms.ts";
import { fieldErrorsOf } from "../../messages.ts";
import { done } from "../../responses.ts";
import { profilePage } from "./profile.tsx";
import { TIME_ZONE_FIELD } from "./time_zone.tsx";

/** Stores the time zone. */
export async function changeTimeZone(call: Call): Promise<Response> {
  try {
    await saveTimeZone({ ctx: call.ctx, timeZone: textOf(call.form, TIME_ZONE_FIELD) });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return await profilePage(call, { timeZone: fieldErrorsOf(error) });
  }
  return done(call, "/profile/", "Time zone saved.");
}
