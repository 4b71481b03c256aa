/** The content of a list without rows. */

import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { type Content, EmptyState, type Html, truncate } from "../components/mod.ts";
import { UNFILTERED } from "../filters/filter_form.tsx";
import { isFirstTab, SCOPE, unfilteredPath } from "./defaults.ts";
import { countRows, type Listing } from "./read_list.ts";
import { titleOf, type View } from "../view.ts";
import { pluralOf } from "../../type_label.ts";

/** Parameters with which a list still shows all that it shows by default. */
const SHOWING_ALL = ["show", "columns", SCOPE];

/** Returns whether the list would be empty without filters, too. At most one statement, for a list that leaves some out. */
export async function isEmpty(call: Call, view: View, { url, count }: Listing): Promise<boolean> {
  if (count > 0) return false;
  const isFirst = isFirstTab(view, url);
  if (!isFirst && [...url.searchParams.keys()].some((name) => !SHOWING_ALL.includes(name))) return false;
  return !isFirst && view.scope === undefined || await countRows(call, view.resource, {}) === 0;
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
  { view, listing: { url, count }, empty, add, unmatched }: {
    view: View;
    listing: Listing;
    /** Whether nothing would be listed without filters either. */
    empty: boolean;
    /** The button that adds an object. */
    add: Content;
    /** Links for filters without matches. */
    unmatched: Content | undefined;
  },
): Html {
  if (empty) return <EmptyState text={view.empty}>{add}</EmptyState>;
  const all = unfilteredPath(view);
  if (count > 0) {
    return (
      <EmptyState text="No entries on this page.">
        <a href={all}>Go to the first page</a>
      </EmptyState>
    );
  }
  const [first] = view.tabs?.parts ?? [];
  const text = first !== undefined && isFirstTab(view, url)
    ? `No ${first[0].toLowerCase()} ${titleOf(view).toLowerCase()}.`
    : noMatchText(view.resource, url);
  return (
    <EmptyState text={text}>
      {unmatched ?? <a href={all}>Show all {pluralOf(view.resource)}</a>}
    </EmptyState>
  );
}
