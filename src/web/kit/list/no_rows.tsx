/** The content of a list without rows. */

import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { EmptyState, type Html, truncate } from "../components/mod.ts";
import { listPath } from "../../paths.ts";
import { UNFILTERED } from "../filters/filter_form.tsx";
import { isFirstTab, SCOPE, unfilteredPath } from "./list_defaults.ts";
import type { Listing } from "./read_list.ts";
import { may } from "../detail/permitted_actions.ts";
import { titleOf, type View } from "../view.ts";
import { nounOf, pluralOf } from "../../type_label.ts";

/** Returns whether nothing is listed although nothing is filtered and nothing is left out. */
export function isEmpty({ scope }: View, { url, count }: Listing): boolean {
  if (scope !== undefined && !url.searchParams.has(SCOPE)) return false;
  return count === 0 && [...url.searchParams.keys()].every((name) => ["show", SCOPE].includes(name));
}

/** Returns that nothing matches, with the text that was searched: 'No tenants match "acme" and these filters.' */
export function noMatchText(resource: Resource, { searchParams }: URL): string {
  const text = searchParams.get("q") ?? "";
  const filtered = [...searchParams.keys()].some((name) => !UNFILTERED.includes(name));
  const parts = [
    ...text === "" ? [] : [`"${truncate(text)}"`],
    ...filtered || text === "" ? ["these filters"] : [],
  ];
  return `No ${pluralOf(resource)} match ${parts.join(" and ")}.`;
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
          : noMatchText(resource, listing.url)}
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
