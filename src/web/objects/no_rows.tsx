/** The content of a list without rows. */

import type { Call } from "../call.ts";
import { EmptyState, type Html } from "../components/mod.ts";
import { listPath } from "../paths.ts";
import { isFirstTab, SCOPE, unfilteredPath } from "./list_defaults.ts";
import type { Listing } from "./read_list.ts";
import { may } from "./permitted_actions.ts";
import { titleOf, type View } from "./view.ts";
import { nounOf, pluralOf } from "../type_label.ts";

/** Returns whether nothing is listed although nothing is filtered and nothing is left out. */
export function isEmpty({ scope }: View, { url, count }: Listing): boolean {
  if (scope !== undefined && !url.searchParams.has(SCOPE)) return false;
  return count === 0 && [...url.searchParams.keys()].every((name) => ["show", SCOPE].includes(name));
}

/** Renders why there are no rows, and what to do next. */
export function NoRows(
  { call, view, listing, empty }: {
    call: Call;
    view: View;
    listing: Listing; /** Whether nothing would be listed without filters either. */
    empty: boolean;
  },
): Html {
  const { resource } = view;
  const { count } = listing;
  if (count > 0) {
    return (
      <EmptyState text="No entries on this page.">
        <a href={unfilteredPath(view)}>Go to the first page</a>
      </EmptyState>
    );
  }
  if (!empty) {
    const [first] = view.tabs ?? [];
    const only = first !== undefined && isFirstTab(view, call.url);
    return (
      <EmptyState
        text={only
          ? `No ${first[0].toLowerCase()} ${titleOf(view).toLowerCase()}.`
          : `No ${pluralOf(resource)} match these filters.`}
      >
        <a href={unfilteredPath(view)}>Show all {pluralOf(resource)}</a>
      </EmptyState>
    );
  }
  return (
    <EmptyState text={view.empty}>
      {may(call, resource, "add")
        ? <a role="button" href={`${listPath(resource)}new/`}>New {nounOf(resource)}</a>
        : null}
    </EmptyState>
  );
}
