/** The menu with the saved views of a list. */

import { isGranted } from "../../auth/mod.ts";
import { savedViews } from "../../domain/saved_views/mod.ts";
import type { Resource } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { type Html, Icon, truncate } from "../components/mod.ts";
import { listPath, queryPath } from "../paths.ts";
import { readRows } from "./read_list.ts";
import { unchangedRead } from "./unchanged_read.ts";

/** Maximum number of views in the menu; their list has all. */
const SHOWN = 30;

/** The fields of a saved view for the menu. */
export interface MenuView {
  readonly id: number;
  readonly name: string;
  readonly query: string;
  readonly shared: boolean;
}

/** Reads the user's own views of a list, and those that others share; two statements after a change. */
export async function loadViews(call: Call, { objectType }: Resource): Promise<readonly MenuView[]> {
  if (!isGranted(call.ctx, "view", savedViews.objectType)) return [];
  return await unchangedRead(call, `views ${objectType}`, async () => {
    const { rows } = await readRows<MenuView>(call, savedViews, {
      params: { object_type: objectType, ordering: "name", limit: SHOWN },
      fields: ["id", "name", "query", "shared"],
    });
    return rows;
  });
}

/** Renders the menu: links to the views, and one that saves the current list. */
export function ViewMenu(
  { url, resource, views, names }: {
    url: URL;
    resource: Resource;
    views: readonly MenuView[];
    /** Names of the columns that are shown. */
    names: readonly string[];
  },
): Html {
  const here = comparable(url.search);
  const current = views.find(({ query }) => comparable(query) === here);
  const params = new URLSearchParams(url.search);
  params.delete("offset");
  params.set("columns", names.join(","));
  const form = new URLSearchParams({ object_type: resource.objectType, query: String(params) });
  return (
    <details class="menu views">
      <summary role="button" class="secondary">
        <bdi>{current === undefined ? "Views" : truncate(current.name, 30)}</bdi>
      </summary>
      <div>
        {views.length === 0 ? <p class="faint">A view keeps filters, order and columns.</p> : (
          <ul>
            {views.map((view) => (
              <li>
                <a href={viewPath(resource, view)} aria-current={view === current ? "true" : undefined}>
                  <bdi>{truncate(view.name)}</bdi>
                  {view.shared ? <span class="faint">shared</span> : null}
                </a>
              </li>
            ))}
          </ul>
        )}
        <p>
          <a href={`${listPath(savedViews)}new/?${form}`}>
            <Icon name="plus" />Save this view
          </a>
        </p>
        {views.length === 0 ? null : (
          <p>
            <a href={`${listPath(savedViews)}?object_type=${resource.objectType}`}>Manage views</a>
          </p>
        )}
      </div>
    </details>
  );
}

/** Returns the path of the list of a view. */
export function viewPath(resource: Pick<Resource, "objectType">, { query }: { query: string }): string {
  return queryPath(listPath(resource), query);
}

/** Returns a query without the page, and in a fixed order. */
function comparable(query: string): string {
  const params = new URLSearchParams(query);
  params.delete("offset");
  params.sort();
  return String(params);
}
