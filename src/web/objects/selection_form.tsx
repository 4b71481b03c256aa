/** The actions on selected objects of a list. */

import type { Resource } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { Form, type Html, Icon } from "../components/mod.ts";
import { listPath } from "../paths.ts";

/** Id of the form to which the checkboxes of the rows belong. */
export const BULK = "bulk";

/** Renders the form whose buttons edit or delete the selected objects. */
export function SelectionForm(
  { call, resource, url, edits, deletes }: {
    call: Call;
    resource: Resource;
    url: URL;
    /** Whether some objects of the list can be edited together. */
    edits: boolean;
    /** Whether some can be deleted. */
    deletes: boolean;
  },
): Html {
  return (
    <Form call={call} action={`${listPath(resource)}delete/`} id={BULK} class="inline">
      <input type="hidden" name="back" value={`${url.pathname}${url.search}`} />
      {edits
        ? (
          <button type="submit" formaction={`${listPath(resource)}bulk-edit/`} class="secondary small">
            Edit selected…
          </button>
        )
        : null}
      {deletes
        ? (
          <button type="submit" class="secondary small">
            <Icon name="trash" />Delete selected
          </button>
        )
        : null}
    </Form>
  );
}
