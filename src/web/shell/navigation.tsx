/** The navigation: places with pages that the user may view, and the pages of the current one as tabs. */

import { type Context, isGranted } from "../../auth/mod.ts";
import { memoize } from "../../base/memoize.ts";
import { mayImport } from "../../domain/certificates/import/mod.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import { resourceOf } from "../../domain/registry.ts";
import type { Call } from "../call.ts";
import type { Html } from "../kit/components/html.ts";
import { Icon, type IconName } from "../kit/components/icon.tsx";
import { listPath } from "../paths.ts";
import { type Member, PLACES } from "../places.ts";
import { listTitle } from "../type_label.ts";

interface Entry {
  readonly label: string;
  readonly path: string;
  readonly icon: IconName;
  /** Shown only to users who may view this type; by default to all users. */
  readonly type?: string;
}

/** A page of a place. */
interface Page extends Entry {
  readonly place: string;
  readonly tab: string;
  /** The title that the page of a list has without the filters of this one. */
  readonly unfiltered?: string;
}

/** The first place has no tabs. */
const OVERVIEW: Page = {
  label: "Overview",
  path: "/",
  icon: "dashboard",
  place: "Overview",
  tab: "Overview",
};

const MENU: readonly { readonly title: string; readonly icon: IconName; readonly pages: readonly Page[] }[] =
  [
    { title: OVERVIEW.place, icon: OVERVIEW.icon, pages: [OVERVIEW] },
    ...PLACES.map(({ title, icon, members }) => ({
      title,
      icon,
      pages: members.flatMap((member) => pageOf(member, title) ?? []),
    })),
  ];

const PAGES = MENU.flatMap(({ pages }) => pages);

function pageOf(
  { type, icon, label, path, tab }: Member,
  place: string,
): Page | undefined {
  const resource = resourceOf(type);
  if (icon === undefined || resource === undefined) return undefined;
  const title = listTitle(resource);
  return {
    label: label ?? title,
    path: path ?? listPath(resource),
    icon,
    type,
    place,
    tab: tab ?? label ?? title,
    ...(path === undefined ? {} : { unfiltered: title }),
  };
}

/** Actions that the search offers by name, in addition to pages, and who may perform them. */
const ACTIONS: readonly (Entry & { readonly may: (ctx: Context) => boolean })[] = [
  { label: "Add or import certificates", path: "/certificates/add/", icon: "upload", may: mayImport },
  {
    label: "Enter a certificate manually",
    path: "/certificates/new/",
    icon: "edit",
    may: (ctx) => isGranted(ctx, "add", certificates.objectType),
  },
  { label: "Profile, password and tokens", path: "/profile/", icon: "user", may: () => true },
];

/** Returns pages and actions that the user may open. */
export function entriesFor(
  { ctx }: Call,
): readonly (Entry & { readonly action?: boolean; readonly place?: string })[] {
  return [
    ...seenOf(ctx, PAGES),
    ...ACTIONS.filter(({ may }) => may(ctx)).map((entry) => ({ ...entry, action: true })),
  ];
}

function seenOf(ctx: Context, pages: readonly Page[]): readonly Page[] {
  return pages.filter(({ type }) => type === undefined || isGranted(ctx, "view", type));
}

/** Returns the page to which a URL belongs: the longest path that it starts with, or has with these filters. */
function currentOf({ pathname, searchParams }: URL): Page | undefined {
  const found = PAGES.filter(({ path }) => {
    const [list = "", query] = path.split("?");
    if (query === undefined) return path === "/" ? pathname === path : pathname.startsWith(path);
    return pathname === list &&
      [...new URLSearchParams(query)].every(([name, value]) => searchParams.has(name, value));
  });
  return found.toSorted((one, other) => other.path.length - one.path.length)[0];
}

/** Returns the title of a page, which for a list with the filters of a tab is that of the tab. */
export function titleOf({ url }: Call, title: string): string {
  const current = currentOf(url);
  return current?.unfiltered === title ? current.label : title;
}

/** Renders the navigation next to every page; on a phone, a button opens it without a script. */
export function Navigation({ call }: { call: Call }): Html {
  const current = currentOf(call.url);
  return (
    <nav id="menu" class="menu" popover="auto" aria-label="Main">
      <ul>
        {MENU.map(({ title, icon, pages }) => {
          const [first] = seenOf(call.ctx, pages);
          if (first === undefined) return null;
          const { path } = first;
          if (current?.place !== title) return otherPlace(first);
          return PlaceLink({ title, icon, path, current: isAt(call.url, path) ? "page" : "true" });
        })}
      </ul>
    </nav>
  );
}

/** Renders the link to another place, once: most links of each page are of this kind. */
const otherPlace = memoize(({ place, path }: Page): Html => {
  const { icon = OVERVIEW.icon } = MENU.find(({ title }) => title === place) ?? {};
  return PlaceLink({ title: place, icon, path });
});

function PlaceLink(
  { title, icon, path, current }: { title: string; icon: IconName; path: string; current?: "page" | "true" },
): Html {
  return (
    <li>
      <a href={path} aria-current={current} title={title}>
        {Icon({ name: icon })}
        <span>{title}</span>
      </a>
    </li>
  );
}

function isAt({ pathname }: URL, path: string): boolean {
  return pathname === path.split("?")[0];
}

/** Renders the pages of the current place, above each of them; nothing if the user sees only one. */
export function PlaceTabs({ call: { ctx, url } }: { call: Call }): Html | null {
  const current = currentOf(url);
  if (current === undefined || !isAt(url, current.path)) return null;
  const seen = seenOf(ctx, PAGES.filter(({ place }) => place === current.place));
  const tabs = seen.filter(({ tab }, index) => seen.findIndex((one) => one.tab === tab) === index);
  if (tabs.length < 2) return null;
  return (
    <nav class="place" aria-label={current.place}>
      <ul>
        {tabs.map(({ tab, path }) => (
          <li>
            <a href={path} aria-current={tab === current.tab ? "page" : undefined}>{tab}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
