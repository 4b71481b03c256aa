/** The menus of a list: saved views, columns with the page size, and those of its page. */

import { PAGE_SIZES, saveListPreferences } from "../../../domain/accounts/preferences/mod.ts";
import { isGranted } from "../../../auth/mod.ts";
import { MAX_VIEW_NAME_CHARS, type SavedView, savedViews } from "../../../domain/saved_views/mod.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import {
  type Content,
  Form,
  type Html,
  Icon,
  isolate,
  Pager,
  truncate,
  withQuery,
} from "../components/mod.ts";
import { textOf, textsOf } from "../../forms.ts";
import { attempt, ownPath, seeOther } from "../../responses.ts";
import { listPath, queryPath } from "../../paths.ts";
import { type Listing, readRows } from "./read_list.ts";

/** Handles the forms of the menus of all lists. */
export const LIST_PREFERENCES_PATH = "/lists/preferences/";

/** Renders the menus of the views and columns, further ones, and the links to other pages. */
export function ListMenus(
  { call, resource, labels, names, saved, listing: { url, count, limit, offset }, children }: {
    call: Call;
    resource: Resource;
    /** Name and label of each column. */
    labels: readonly (readonly [name: string, label: string])[];
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
      />
      {children}
      <Pager url={url} count={count} limit={limit} offset={offset} label="Pages, above the list" />
    </>
  );
}

/** Renders the menu of the columns, including custom fields: a form that stores their names and the page size. */
function ColumnMenu(
  { call, url, resource, labels, names, limit }: {
    call: Call;
    url: URL;
    resource: Resource;
    /** Names and labels of all columns. */
    labels: readonly (readonly [name: string, label: string])[];
    /** Names of the columns that are shown. */
    names: readonly string[];
    /** Number of rows of a page. */
    limit: number;
  },
): Html {
  // The list shows the stored columns, from its first page.
  const back = withQuery(url, { columns: null, limit: null, offset: null });
  return (
    <details class="menu">
      <summary role="button" class="secondary" title="Columns">
        <Icon name="columns" />
        <span class="optional">Columns</span>
      </summary>
      <Form call={call} action={LIST_PREFERENCES_PATH}>
        <input type="hidden" name="object_type" value={resource.objectType} />
        <input type="hidden" name="back" value={back} />
        <div>
          {labels.map(([name, label]) => (
            <label>
              <input
                type="checkbox"
                name="columns"
                value={name}
                checked={names.includes(name)}
              />
              {label}
            </label>
          ))}
        </div>
        <label class="page-size">
          Rows per page{" "}
          <select name="limit">
            {sizesWith(limit).map((size) => (
              <option value={String(size)} selected={size === limit}>{size}</option>
            ))}
          </select>
        </label>
        <div class="toolbar">
          <button type="submit" class="secondary">Apply</button>
          <button type="submit" name="usual" value="true" class="secondary">Reset</button>
        </div>
      </Form>
    </details>
  );
}

/** Returns the page sizes to choose from, including the current one. */
function sizesWith(limit: number): number[] {
  return [...new Set<number>([...PAGE_SIZES, limit])].sort((a, b) => a - b);
}

/** Stores the columns and the page size of a list, and returns to it. */
export async function saveListForm(call: Call): Promise<Response> {
  const { ctx, form } = call;
  const back = ownPath(form.get("back"));
  return await attempt({ call, back, codes: ["invalid"] }, async () => {
    const objectType = textOf(form, "object_type");
    const limit = Number(textOf(form, "limit"));
    const chosen = form.has("usual") ? {} : {
      columns: [...new Set(textsOf(form, "columns"))],
      // A size in the URL that is not one of the choices stays in the URL.
      ...(PAGE_SIZES.some((size) => size === limit) ? { limit } : {}),
    };
    await saveListPreferences({ ctx, objectType, ...chosen });
    return seeOther(call, back);
  });
}

/** Maximum number of views in the menu; their list has all. */
const SHOWN = 30;
/** Maximum characters of the name of a view in a title. */
const TITLE_CHARS = 60;

/** The fields of a saved view for the menu. */
type MenuView = Pick<SavedView, "id" | "name" | "query" | "shared">;

/** Reads the user's own views of a list, and those that others share; two statements. */
export async function loadViews(call: Call, { objectType }: Resource): Promise<readonly MenuView[]> {
  if (!isGranted(call.ctx, "view", savedViews.objectType)) return [];
  const { rows } = await readRows(call.ctx, savedViews, {
    params: { object_type: objectType, ordering: "name", limit: SHOWN },
    fields: ["id", "name", "query", "shared"],
  });
  return rows;
}

/**
 * Renders the menu: links to the views, and a form that saves the current list. If the input is invalid, the page of
 * a new view has the errors.
 */
function ViewMenu(
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
  for (const name of ["offset", "group_by"]) params.delete(name);
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

/** Maximum number of views that are tabs of their list, and maximum characters of each. */
const MAX_TABS = 6;
const TAB_CHARS = 24;

/** Renders the first views as tabs of their list. The menu has all. */
export function ViewTabs(
  { url, resource, views }: { url: URL; resource: Resource; views: readonly MenuView[] },
): Html | null {
  if (views.length === 0) return null;
  const current = currentView(views, url);
  return (
    <nav class="choice views" aria-label="Saved views">
      {views.slice(0, MAX_TABS).map((view) => (
        <a href={viewPath(resource, view)} aria-current={view === current ? "page" : undefined}>
          <bdi>{truncate(view.name, TAB_CHARS)}</bdi>
        </a>
      ))}
    </nav>
  );
}

/** Returns the title of a list, with the name of the view that it shows. */
export function viewTitle(title: string, views: readonly MenuView[], url: URL): string {
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
