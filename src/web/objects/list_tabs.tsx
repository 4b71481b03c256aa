/** The tabs of a list. */

import { type Html, withQuery } from "../components/mod.ts";
import { titleOf, type View } from "./view.ts";

/** Renders links to the parts of the list; other filters stay. */
export function ListTabs({ view, url }: { view: View; url: URL }): Html | null {
  const { tabs } = view;
  if (tabs === undefined) return null;
  const none = Object.fromEntries(
    tabs.flatMap(([, filters]) => Object.keys(filters)).map((name) => [name, null]),
  );
  const all = { ...none, offset: null, start: null };
  const isShown = (filters: Readonly<Record<string, string | null>>): boolean =>
    Object.entries(filters).every(([name, value]) => url.searchParams.getAll(name).join() === (value ?? ""));
  return (
    <nav class="choice" aria-label={`${titleOf(view)} shown`}>
      {[...tabs, ["All", none] as const].map(([label, filters]) => (
        <a href={withQuery(url, { ...all, ...filters })} aria-current={isShown(filters) ? "page" : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
