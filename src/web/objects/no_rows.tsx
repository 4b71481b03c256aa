/** What a list without rows shows in their place. */

import type { Call } from "../call.ts";
import { EmptyState, type Html } from "../components/mod.ts";
import { listPath } from "../paths.ts";
import type { Listing } from "./listing.ts";
import { may } from "./permitted_actions.ts";
import type { View } from "./view.ts";

/** Whether nothing is listed although nothing is filtered. */
export function isEmpty({ url, count }: Listing): boolean {
  return count === 0 && url.search === "";
}

/** Says why there are none, and what to do next. */
export function NoRows({ call, view, listing }: { call: Call; view: View; listing: Listing }): Html {
  const { resource } = view;
  const { count } = listing;
  if (count > 0) {
    return (
      <EmptyState text="No entries on this page.">
        <a href={listPath(resource)}>Go to the first page</a>
      </EmptyState>
    );
  }
  if (!isEmpty(listing)) {
    return (
      <EmptyState text={`No ${resource.labelPlural} match these filters.`}>
        <a href={listPath(resource)}>Show all {resource.labelPlural}</a>
      </EmptyState>
    );
  }
  return (
    <EmptyState text={view.empty}>
      {may(call, resource, "add")
        ? <a role="button" href={`${listPath(resource)}new/`}>New {resource.label}</a>
        : null}
    </EmptyState>
  );
}
