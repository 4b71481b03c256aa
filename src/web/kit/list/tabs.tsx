/** What a list shows: its canonical URL, defaults, tabs, selected objects, and what it says without rows. */

import { numberText } from "../../../base/amounts.ts";
import { invalidField } from "../../../base/errors.ts";
import { MAX_BULK_OBJECTS } from "../../../base/limits.ts";
import { listObjects, parseListQuery, type Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { idsOf } from "../../forms.ts";
import { listPath } from "../../paths.ts";
import { type Content, EmptyState, type Html, truncate, withQuery } from "../components/mod.ts";
import { ownPath } from "../../responses.ts";
import { countRows, listedParams, type Listing, PAGE_PARAMETERS } from "./read_list.ts";
import type { View } from "../view.ts";
import { listTitle, pluralOf } from "../../type_label.ts";
import { UNFILTERED } from "../filters/filter_words.tsx";

/** The parameter with which a list also shows objects that it leaves out by default. */
const SCOPE = "scope";
/** Parameters with which a list opened from the menu still shows its first tab. */
const NO_CHOICE = ["limit", "offset", "ordering", "columns", SCOPE];

/** Adds default parameters to those of a list. */
export type Defaults = (params: URLSearchParams) => void;

/** Returns the URL with the filters of the first tab, if the list opens with it and nothing else is chosen. */
export function withFirstTab({ tabs }: View, given: URL): URL {
  const [first] = tabs?.parts ?? [];
  if (!tabs?.first || first === undefined) return given;
  if ([...given.searchParams.keys()].some((name) => !NO_CHOICE.includes(name))) return given;
  // Without the filters of the tab, the URL selects everything.
  return new URL(withQuery(given, { ...first[1], show: "all" }), given);
}

/** Returns whether a URL shows the first tab without further filters. */
function isFirstTab(view: View, url: URL): boolean {
  const params = new URLSearchParams(url.search);
  const opened = withFirstTab(view, new URL(url.pathname, url)).searchParams;
  for (const name of NO_CHOICE) params.delete(name);
  return view.tabs?.first === true && String(params) === String(opened);
}

/** Returns the path of the list without any filter. */
export function unfilteredPath({ resource, tabs, scope }: View): string {
  const all = [...tabs?.first ? ["show=all"] : [], ...scope?.label === undefined ? [] : [`${SCOPE}=all`]];
  return [listPath(resource), all.join("&")].filter(Boolean).join("?");
}

/** Returns a function that adds the order and the scope of a view. */
export function defaultsOf({ ordering, scope }: Pick<View, "ordering" | "scope">): Defaults {
  return (params) => {
    // Cursor paging has its own order.
    if (ordering !== undefined && !params.has("ordering") && !params.has("start")) {
      params.set("ordering", typeof ordering === "string" ? ordering : ordering(params));
    }
    if (!params.has(SCOPE)) scope?.add(params);
  };
}

/** Returns the path of the list from which a form came, with its filters, order and page. */
export function backOf({ form }: Call, resource: Resource): string {
  const given = ownPath(form.get("back"));
  return given.startsWith(listPath(resource)) ? given : listPath(resource);
}

/** Returns the ids of the selected rows, or of all rows of the list that the form names. Errors: invalid for too many. */
export async function selectedIds(
  call: Call,
  view: Pick<View, "resource" | "ordering" | "scope">,
): Promise<readonly number[]> {
  const { resource } = view;
  if (!call.form.has("all")) return idsOf(call.form, "ids");
  const params = new URL(backOf(call, resource), call.url).searchParams;
  defaultsOf(view)(params);
  for (const name of [...PAGE_PARAMETERS, "limit", "offset"]) params.delete(name);
  params.set("limit", String(MAX_BULK_OBJECTS));
  const query = parseListQuery(call.ctx, { resource, params });
  const { results, count } = await listObjects({
    ctx: call.ctx,
    resource,
    query: { ...query, selection: { ...query.selection, fields: ["id"] } },
  });
  if ((count ?? 0) > results.length) {
    const [all, most] = [numberText(count ?? 0), numberText(MAX_BULK_OBJECTS)];
    throw invalidField("all", "list_too_long", { all, things: pluralOf(resource), most });
  }
  return results.map(({ id }) => id);
}

/** Returns the names of the filters of the current tab; none for the tab "All". */
export function tabFilters({ tabs }: View, url: URL): readonly string[] {
  const shown = tabs?.parts.find(([, filters]) =>
    Object.entries(filters).every(([name, value]) => url.searchParams.getAll(name).join() === String(value))
  );
  return Object.keys(shown?.[1] ?? {});
}

/** Renders the switch for objects that the list leaves out by default; nothing if the URL selects them itself. */
function ScopeSwitch({ view: { scope }, url }: { view: View; url: URL }): Html | null {
  const on = url.searchParams.has(SCOPE);
  if (scope?.label === undefined || !on && !scope.add(new URLSearchParams(url.search))) return null;
  return (
    <nav class="choice" aria-label="Also shown">
      <a
        href={withQuery(url, { offset: null, start: null, [SCOPE]: on ? null : "all" })}
        aria-current={on ? "true" : undefined}
      >
        {scope.label}
      </a>
    </nav>
  );
}

/** A part of the list, with the path that shows it. */
interface Tab {
  readonly label: string;
  readonly path: string;
  readonly isShown: boolean;
}

/** Returns the parts of the list; other filters stay. */
function tabsOf(view: View, url: URL): readonly Tab[] {
  const { tabs } = view;
  if (tabs === undefined) return [];
  const names = tabs.parts.flatMap(([, filters]) => Object.keys(filters));
  const none = Object.fromEntries(names.map((name) => [name, null]));
  const first = { offset: null, start: null };
  // Without it, the URL of "All" would be that of a list that opens with its first tab.
  const all = { ...none, ...(tabs.first ? { show: "all" } : {}) };
  const isShown = (filters: Readonly<Record<string, string | readonly string[] | null>>): boolean =>
    names.every((name) => url.searchParams.getAll(name).join() === String(filters[name] ?? ""));
  return [...tabs.parts, ["All", all] as const].map(([label, filters]) => ({
    label,
    path: withQuery(url, { ...first, ...all, ...filters }),
    isShown: isShown(filters),
  }));
}

/**
 * Counts the objects of each tab, if the view has counts. One statement for each tab that is not open. Errors:
 * forbidden.
 */
export async function countTabs(
  call: Call,
  view: View,
  { url, count, errors }: Listing,
): Promise<readonly number[]> {
  if (!view.tabs?.counted || Object.keys(errors).length > 0) return [];
  return await Promise.all(
    tabsOf(view, url).map(({ path, isShown }) =>
      isShown ? count : countRows(call, view.resource, listedParams(new URL(path, url), defaultsOf(view)))
    ),
  );
}

/** Renders links to the parts of the list, with their counts. */
export function ListTabs(
  { view, url, counts }: { view: View; url: URL; counts: readonly number[] },
): Html | null {
  const tabs = tabsOf(view, url);
  if (tabs.length === 0) return null;
  return (
    <>
      <nav class="choice" aria-label={`${listTitle(view.resource)} shown`}>
        {tabs.map(({ label, path, isShown }, index) => (
          <a href={path} aria-current={isShown ? "page" : undefined}>
            {label}
            {counts[index] === undefined ? null : <span class="count">{numberText(counts[index])}</span>}
          </a>
        ))}
      </nav>
      <ScopeSwitch view={view} url={url} />
    </>
  );
}

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
    ? `No ${first[0].toLowerCase()} ${listTitle(view.resource).toLowerCase()}.`
    : noMatchText(view.resource, url);
  return (
    <EmptyState text={text}>
      {unmatched ?? <a href={all}>Show all {pluralOf(view.resource)}</a>}
    </EmptyState>
  );
}
