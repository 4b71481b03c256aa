/** The tabs of a list. */

import { type Html, withQuery } from "../components/mod.ts";
import { SCOPE } from "./list_defaults.ts";
import { titleOf, type View } from "./view.ts";

/** Returns the names of the filters of the current tab; none for the tab "All". */
export function tabFilters({ tabs = [] }: View, url: URL): readonly string[] {
  const shown = tabs.find(([, filters]) =>
    Object.entries(filters).every(([name, value]) => url.searchParams.getAll(name).join() === String(value))
  );
  return Object.keys(shown?.[1] ?? {});
}

/** Renders the switch for objects that the list leaves out by default; nothing if the URL selects them itself. */
function ScopeSwitch({ view: { scope }, url }: { view: View; url: URL }): Html | null {
  const on = url.searchParams.has(SCOPE);
  if (scope === undefined || !on && !scope.add(new URLSearchParams(url.search))) return null;
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

/** Renders links to the parts of the list; other filters stay. */
export function ListTabs({ view, url }: { view: View; url: URL }): Html | null {
  const { tabs } = view;
  if (tabs === undefined) return null;
  const names = tabs.flatMap(([, filters]) => Object.keys(filters));
  const none = Object.fromEntries(names.map((name) => [name, null]));
  const first = { offset: null, start: null };
  // Without it, the URL of "All" would be that of a list that opens with its first tab.
  const all = { ...none, ...(view.opensFirstTab ? { show: "all" } : {}) };
  const isShown = (filters: Readonly<Record<string, string | readonly string[] | null>>): boolean =>
    names.every((name) => url.searchParams.getAll(name).join() === String(filters[name] ?? ""));
  return (
    <>
      <nav class="choice" aria-label={`${titleOf(view)} shown`}>
        {[...tabs, ["All", all] as const].map(([label, filters]) => (
          <a
            href={withQuery(url, { ...first, ...all, ...filters })}
            aria-current={isShown(filters) ? "page" : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
      <ScopeSwitch view={view} url={url} />
    </>
  );
}
