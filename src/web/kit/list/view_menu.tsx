/** The menu with the saved views of a list. */

import { isGranted } from "../../../auth/mod.ts";
import { MAX_VIEW_NAME_CHARS, type SavedView, savedViews } from "../../../domain/saved_views/mod.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { Form, type Html, isolate, truncate } from "../components/mod.ts";
import { listPath, queryPath } from "../../paths.ts";
import { readRows } from "./read_list.ts";

/** Maximum number of views in the menu; their list has all. */
const SHOWN = 30;
/** Maximum characters of the name of a view in a title. */
const TITLE_CHARS = 60;

/** The fields of a saved view for the menu. */
export type MenuView = Pick<SavedView, "id" | "name" | "query" | "shared">;

/** Reads the user's own views of a list, and those that others share; two statements. */
export async function loadViews(call: Call, { objectType }: Resource): Promise<readonly MenuView[]> {
  if (!isGranted(call.ctx, "view", savedViews.objectType)) return [];
  const { rows } = await readRows(call, savedViews, {
    params: { object_type: objectType, ordering: "name", limit: SHOWN },
    fields: ["id", "name", "query", "shared"],
  });
  return rows;
}

/**
 * Renders the menu: links to the views, and a form that saves the current list. If the input is invalid, the page of
 * a new view has the errors.
 */
export function ViewMenu(
  { call, url, resource, views, names }: {
    call: Call;
    url: URL;
    resource: Resource;
    views: readonly MenuView[];
    /** Names of the columns that are shown. */
    names: readonly string[];
  },
): Html {
  const current = currentView(views, url);
  const params = new URLSearchParams(url.search);
  params.delete("offset");
  params.set("columns", names.join(","));
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
        <Form call={call} action={`${listPath(savedViews)}new/`}>
          <input type="hidden" name="object_type" value={resource.objectType} />
          <input type="hidden" name="query" value={String(params)} />
          <label>
            Save this view as{" "}
            <input name="name" required maxlength={MAX_VIEW_NAME_CHARS} autocomplete="off" />
          </label>
          <label>
            <input type="checkbox" name="shared" value="true" />
            Share with others
          </label>
          <button type="submit" class="secondary">Save view</button>
        </Form>
        {views.length === 0 ? null : (
          <p>
            <a href={`${listPath(savedViews)}?object_type=${resource.objectType}`}>Manage views</a>
          </p>
        )}
      </div>
    </details>
  );
}

/** Returns the title of a list, with the name of the view that it shows. */
export function listTitle(title: string, views: readonly MenuView[], url: URL): string {
  const current = currentView(views, url);
  return current === undefined ? title : `${title}: ${isolate(truncate(current.name, TITLE_CHARS))}`;
}

function currentView(views: readonly MenuView[], url: URL): MenuView | undefined {
  const here = comparable(url.search);
  return views.find(({ query }) => comparable(query) === here);
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
