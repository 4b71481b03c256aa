/** The form with the time zone in which pages show times. */

import type { FieldErrors } from "../../../base/errors.ts";
import type { Call } from "../../call.ts";
import { FieldError, Form, type Html } from "../../kit/components/mod.ts";
import { textOf } from "../../forms.ts";

/** Path of the form's action. */
export const TIME_ZONE_PATH = "/profile/time-zone/";
/** Name of the field. */
export const TIME_ZONE_FIELD = "time_zone";

/** Renders the form; a script offers the names. */
export function TimeZoneForm({ call, errors }: { call: Call; errors?: FieldErrors | undefined }): Html {
  const value = call.form.has(TIME_ZONE_FIELD)
    ? textOf(call.form, TIME_ZONE_FIELD)
    : call.session.preferences.timeZone;
  return (
    <Form call={call} action={TIME_ZONE_PATH} class="box">
      <div class="field">
        <label for="f-time_zone">Time zone</label>
        <input
          id="f-time_zone"
          name={TIME_ZONE_FIELD}
          value={value}
          maxlength={60}
          autocomplete="off"
          aria-describedby="f-time_zone-help"
          aria-invalid={errors === undefined ? undefined : "true"}
          data-time-zones="own"
        />
        <small id="f-time_zone-help">
          Such as Europe/Berlin. Empty: that of your browser. Without scripts, times are in UTC.
        </small>
        <FieldError name={TIME_ZONE_FIELD} errors={errors} />
      </div>
      <div class="form-actions">
        <button type="submit">Save time zone</button>
      </div>
    </Form>
  );
}
