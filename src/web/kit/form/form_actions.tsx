/** The buttons of the form of an object. */

import type { Html } from "../components/mod.ts";
import { nounOf } from "../../type_label.ts";
import { TrialButton } from "./trial.tsx";
import type { View } from "../view.ts";

/** Name of the button that shows a new object before it is created. */
export const PREVIEW = "preview";

/** Renders the buttons; that of the expected step comes first. */
export function FormActions(
  { view, changing, conflict, shown, back, preview }: {
    view: View;
    /** Label of the button that shows a new object before it is created, if there is one. */
    preview: string | undefined;
    /** Whether the object exists. */
    changing: boolean;
    /** Whether another user has changed it since the form was opened. */
    conflict: boolean;
    /** Whether the form shows the preview of a new object, without errors. */
    shown: boolean;
    /** Path of the page that "Cancel" opens. */
    back: string;
  },
): Html {
  return (
    <div class="form-actions">
      <button type="submit">
        {conflict ? "Save my version" : changing ? "Save" : `Create ${nounOf(view.resource)}`}
      </button>
      {preview === undefined || changing || shown
        ? null
        : <button type="submit" name={PREVIEW} value="true" class="secondary">{preview}</button>}
      <TrialButton view={view} changing={changing} />
      <a href={back}>Cancel</a>
    </div>
  );
}

/** Renders the hidden button that Enter in a field activates, for forms whose first visible button is a search. */
export function FirstButton(): Html {
  return <button type="submit" class="hidden" tabindex={-1} aria-hidden="true">Save</button>;
}
