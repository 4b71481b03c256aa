/** Inputs of a response to a notice. */

import type { Millis } from "../../../base/clock.ts";
import { proposedReminder } from "../../../domain/notices/mod.ts";
import { type Html, TextField } from "../../kit/components/mod.ts";

/** Renders the note and the buttons of both responses; reminders of an expiry that is too near cannot be postponed. */
export function ResponseFields({ now, validTo }: { now: Millis; validTo: string }): Html {
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
