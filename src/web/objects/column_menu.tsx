/** The menu in which people choose the columns of a list, and the columns of custom fields. */

import { memberValue, type Resource, visibleMembersOf } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import type { Column, Html } from "../components/mod.ts";
import { columnsCookie, readCookies } from "../cookies.ts";
import { listPath } from "../paths.ts";
import { valueOf } from "./value.tsx";
import type { ApiObject } from "./view.ts";

/** Columns of one list. A cookie has their names, and a request has the cookies of all lists. */
export const MAX_COLUMNS = 20;

/** Renders the menu: a form that puts the names into the address. The column that names the rows stays. */
export function ColumnMenu(
  { url, labels, names, fixed }: {
    url: URL;
    /** Names and labels of all columns. */
    labels: readonly (readonly [name: string, label: string])[];
    /** Names of the columns that are shown. */
    names: readonly string[];
    /** Name of a column that stays, if it is one of them. */
    fixed?: string;
  },
): Html {
  const kept = [...url.searchParams].filter(([name]) => name !== "columns");
  return (
    <details class="menu">
      <summary role="button" class="secondary">Columns</summary>
      <form method="get" action={url.pathname}>
        {kept.map(([name, value]) => <input type="hidden" name={name} value={value} />)}
        {fixed === undefined ? null : <input type="hidden" name="columns" value={fixed} />}
        <div>
          {labels.map(([name, label]) => (
            <label>
              <input
                type="checkbox"
                name="columns"
                value={name}
                checked={names.includes(name) || name === fixed}
                disabled={name === fixed}
              />
              {label}
            </label>
          ))}
        </div>
        <button type="submit" class="secondary">Apply</button>
      </form>
    </details>
  );
}

/** Returns the names of columns in the address (`?columns=site&columns=cf_rack`), else in the cookie. */
export function requestedColumns(call: Call, resource: Resource): readonly string[] {
  const asked = call.query.getAll("columns").flatMap((list) => list.split(","));
  return asked.length > 0 ? asked : readCookies(call).columns(listName(resource));
}

/** Returns the name of a list in its address: `devices`. */
function listName(resource: Resource): string {
  return listPath(resource).slice(1, -1);
}

/** Stores the columns that the address names, so that the list has them the next time. */
export function rememberColumns(
  call: Call,
  page: Response,
  { resource, names }: { resource: Resource; names: readonly string[] },
): Response {
  if (call.query.has("columns")) {
    page.headers.append("set-cookie", columnsCookie(call.client, { list: listName(resource), names }));
  }
  return page;
}

/** Returns a column for each custom field, by name. */
export function customColumns({ ctx }: Call, resource: Resource): [name: string, Column<ApiObject>][] {
  return visibleMembersOf(ctx.database, resource.objectType).map((member) => [member.name, {
    label: member.label,
    ...(isSortable(member.custom) ? { sort: member.name } : {}),
    cell: (row) => valueOf(member, memberValue(row, member)),
    wide: true,
  }]);
}

function isSortable({ type, filterLogic }: { type: string; filterLogic: string }): boolean {
  return filterLogic !== "disabled" && type !== "json" && type !== "multiselect" && type !== "object";
}
