/** The menus of a list and the links to its other pages. */

import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { type Content, type Html, Pager } from "../components/mod.ts";
import { ColumnMenu } from "./column_menu.tsx";
import type { Listing } from "./read_list.ts";
import { type MenuView, ViewMenu } from "./view_menu.tsx";

/** Renders the menus of the views and columns, further ones, and the links to other pages. */
export function ListMenus(
  { call, resource, labels, fixed, names, saved, listing: { url, count, limit, offset }, children }: {
    call: Call;
    resource: Resource;
    /** Name and label of each column. */
    labels: readonly (readonly [name: string, label: string])[];
    /** Name of the column that is always shown. */
    fixed?: string;
    /** Names of the columns shown. */
    names: readonly string[];
    saved: readonly MenuView[];
    listing: Listing;
    children?: Content;
  },
): Html {
  return (
    <>
      <div class="grow"></div>
      <ViewMenu call={call} url={url} resource={resource} views={saved} names={names} />
      <ColumnMenu
        call={call}
        url={url}
        resource={resource}
        labels={labels}
        names={names}
        limit={limit}
        {...(fixed === undefined ? {} : { fixed })}
      />
      {children}
      <Pager url={url} count={count} limit={limit} offset={offset} label="Pages, above the list" />
    </>
  );
}
