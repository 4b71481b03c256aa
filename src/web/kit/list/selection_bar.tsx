/** The actions on selected objects of a list. */

import { numberText } from "../../../base/amounts.ts";
import { MAX_BULK_OBJECTS } from "../../../base/limits.ts";
import type { Call } from "../../call.ts";
import { type Content, Form, type Html, Icon } from "../components/mod.ts";
import type { Listing } from "./read_list.ts";

/** Id of the form to which the checkboxes of the rows belong. */
export const BULK = "bulk";

/**
 * Renders one form, whose buttons have the actions. A script shows it in place of the bar while rows are selected. On a
 * phone it is at the lower edge, and a button opens all actions as a sheet, which needs no script.
 */
export function SelectionBar(
  { call, listing: { url, rows, count }, labelPlural, action, deletePath, more, children }: {
    call: Call;
    listing: Listing;
    /** Label of the listed objects: "certificates". */
    labelPlural: string;
    /** Action of the form, for buttons without a separate one. */
    action: string;
    /** Path of the list, if the user may delete some of its objects. */
    deletePath?: string | undefined;
    /** Further actions in a menu, which a phone shows expanded. */
    more?: Content;
    /** Buttons of the usual actions, with their inputs. */
    children: Content;
  },
): Html {
  const all = count > rows.length && count <= MAX_BULK_OBJECTS;
  return (
    <div class="selection" data-selection>
      <strong data-selected-text>Selected {labelPlural}</strong>
      <button type="button" class="open-actions" popovertarget="bulk-actions">Actions</button>
      <div id="bulk-actions" popover="auto">
        <div class="sheet-head">
          <h2 data-selected-text>Selected {labelPlural}</h2>
          <button type="button" class="secondary" popovertarget="bulk-actions" popovertargetaction="hide">
            Close
          </button>
        </div>
        <Form call={call} action={action} id={BULK}>
          <input type="hidden" name="back" value={`${url.pathname}${url.search}`} />
          {all
            ? (
              <label class="select-all">
                <input type="checkbox" name="all" value="true" data-select-list={String(count)} /> Select all
                {" "}
                {numberText(count)} that match
              </label>
            )
            : null}
          {children}
          {more === undefined ? null : (
            <details class="menu more-actions">
              <summary role="button" class="secondary">More</summary>
              <div>{more}</div>
            </details>
          )}
          {deletePath === undefined ? null : <DeleteButton path={deletePath} />}
        </Form>
      </div>
      <button type="button" class="plain" data-clear-selection hidden aria-label="Clear the selection">
        <Icon name="cross" />
      </button>
    </div>
  );
}

/** Renders the button that asks for confirmation to delete the selected objects. */
function DeleteButton({ path }: { path: string }): Html {
  return (
    <button type="submit" formaction={`${path}delete/`} class="secondary delete">
      <Icon name="trash" />Delete…
    </button>
  );
}
