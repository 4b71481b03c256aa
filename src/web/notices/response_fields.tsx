/** Inputs of a response to a notice. */

import { DAY_MS, formatDate, type Millis } from "../../base/clock.ts";
import { type Html, TextField } from "../components/mod.ts";

/** Days until a reminder, by default. */
const SNOOZE_DAYS = 7;

/** Renders the note, the date of the next reminder, and the buttons of both responses. */
export function ResponseFields({ now }: { now: Millis }): Html {
  return (
    <>
      <TextField name="reason" label="Note" help="Optional, for example who renews it." />
      <div class="responses">
        <div>
          <p class="faint">Stop the reminders for this certificate.</p>
          <button type="submit" name="action" value="acknowledge">Acknowledge</button>
        </div>
        <div>
          <TextField
            name="until"
            label="Remind again on"
            type="date"
            value={formatDate(now + SNOOZE_DAYS * DAY_MS)}
          />
          <button type="submit" name="action" value="snooze" class="secondary">Snooze</button>
        </div>
      </div>
    </>
  );
}
