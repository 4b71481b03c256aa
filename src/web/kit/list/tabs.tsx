/** The tabs of a list. */

import { numberText } from "../../../base/amounts.ts";
import type { Call } from "../../call.ts";
import { type Html, withQuery } from "../components/mod.ts";
import { defaultsOf, SCOPE } from "./defaults.ts";
import { countRows, listedParams, type Listing } from "./read_list.ts";
import { titleOf, type View } from "../view.ts";

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
      <nav class="choice" aria-label={`${titleOf(view)} shown`}>
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
