/** Inputs of a response to a notice. */

import { DAY_MS, formatDate, type Millis } from "../../../base/clock.ts";
import { type Html, TextField } from "../../kit/components/mod.ts";

/** Days until a reminder, by default. */
const SNOOZE_DAYS = 7;

/**
 * Returns the day of the next reminder that is proposed: in a week, at the latest the day before the expiry. Undefined
 * if that is not after today.
 */
export function proposedReminder({ now, validTo }: { now: Millis; validTo: Millis }): string | undefined {
  const day = formatDate(Math.min(now + SNOOZE_DAYS * DAY_MS, validTo - DAY_MS));
  return day > formatDate(now) ? day : undefined;
}

/** Renders the note and the buttons of both responses; reminders of an expiry that is too near cannot be postponed. */
export function ResponseFields({ now, validTo }: { now: Millis; validTo: Millis }): Html {
  const proposed = proposedReminder({ now, validTo });
  return (
    <>
      <TextField name="reason" label="Note" help="Optional, for example who renews it." />
      <div class="responses">
        <div>
          <p class="faint">Stop the reminders for this certificate.</p>
          <button type="submit" name="action" value="acknowledge">Acknowledge</button>
        </div>
        {proposed === undefined ? null : (
          <div>
            <TextField name="until" label="Remind again on" type="date" value={proposed} />
            <button type="submit" name="action" value="snooze" class="secondary">Snooze</button>
          </div>
        )}
      </div>
    </>
  );
}
