/** Saves an object and tests it in one step: a webhook or a channel sends a test message. */

import { AppError } from "../../../base/errors.ts";
import type { Call } from "../../call.ts";
import type { Html } from "../components/mod.ts";
import { messagesOf } from "../../messages.ts";
import type { View } from "../view.ts";

/** Name of the button that saves the form and tests the object. */
const THEN = "then";

/** Renders the button, if objects of the view can be tested. */
export function TrialButton({ view, changing }: { view: View; changing: boolean }): Html | null {
  if (view.trial === undefined) return null;
  return (
    <button type="submit" name={THEN} value="trial" class="secondary">
      {changing ? "Save" : "Create"} and {view.trial.label}
    </button>
  );
}

/** Tests a saved object, if the form requests it, and returns a sentence for the message on the next page. */
export async function tried(call: Call, { trial }: View, id: number): Promise<string> {
  if (trial === undefined || !call.form.has(THEN)) return "";
  try {
    return ` ${await trial.run(call, id)}`;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // The object is saved; only the test has failed.
    return ` No test message was sent: ${messagesOf(error.public).join(" ")}`;
  }
}
