/** The form with the time zone in which pages show times. */

import type { FieldErrors } from "../../base/errors.ts";
import { AppError } from "../../base/errors.ts";
import { saveTimeZone } from "../../domain/accounts/preferences/mod.ts";
import type { Call } from "../call.ts";
import { FieldError, Form, type Html } from "../components/mod.ts";
import { textOf } from "../forms.ts";
import { fieldErrorsOf } from "../messages.ts";
import { done } from "../responses.ts";
import { profilePage } from "./profile.tsx";

/** Where the form goes. */
export const TIME_ZONE_PATH = "/profile/time-zone/";
const NAME = "time_zone";

/** Renders the form; a script offers the names. */
export function TimeZoneForm({ call, errors }: { call: Call; errors?: FieldErrors | undefined }): Html {
  const value = call.form.has(NAME) ? textOf(call.form, NAME) : call.session.preferences.timeZone;
  return (
    <section aria-labelledby="time-zone">
      <h2 id="time-zone">Times</h2>
      <Form call={call} action={TIME_ZONE_PATH} class="box">
        <div class="field">
          <label for="f-time_zone">Time zone</label>
          <input
            id="f-time_zone"
            name={NAME}
            value={value}
            maxlength={60}
            autocomplete="off"
            aria-describedby="f-time_zone-help"
            aria-invalid={errors === undefined ? undefined : "true"}
            data-time-zones=""
          />
          <small id="f-time_zone-help">
            Such as Europe/Berlin. Empty: that of your browser. Without scripts, times are in UTC.
          </small>
          <FieldError name={NAME} errors={errors} />
        </div>
        <button type="submit">Save time zone</button>
      </Form>
    </section>
  );
}

/** Stores the time zone. */
export async function changeTimeZone(call: Call): Promise<Response> {
  try {
    await saveTimeZone({ ctx: call.ctx, timeZone: textOf(call.form, NAME) });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return await profilePage(call, { timeZone: fieldErrorsOf(error) });
  }
  return done(call, "/profile/", "Time zone saved.");
}
