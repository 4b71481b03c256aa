/** The menu in which users choose the columns, including custom fields, and the page size of a list. */

import { PAGE_SIZES, saveListPreferences } from "../../../domain/accounts/preferences/mod.ts";
import { memberValue, type Resource, visibleMembersOf } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { type Column, Form, type Html, Icon, withQuery } from "../components/mod.ts";
import { textOf, textsOf } from "../../forms.ts";
import { attempt, ownPath, seeOther } from "../../responses.ts";
import { valueOf } from "../detail/value.tsx";

export { MAX_COLUMNS } from "../../../domain/accounts/preferences/mod.ts";

/** Handles the forms of the menus of all lists. */
export const LIST_PREFERENCES_PATH = "/lists/preferences/";

/**
 * Renders the menu: a form that stores the names and the page size. The column with the names of the rows is always
 * shown.
 */
export function ColumnMenu(
  { call, url, resource, labels, names, limit, fixed }: {
    call: Call;
    url: URL;
    resource: Resource;
    /** Names and labels of all columns. */
    labels: readonly (readonly [name: string, label: string])[];
    /** Names of the columns that are shown. */
    names: readonly string[];
    /** Number of rows of a page. */
    limit: number;
    /** Name of a column that is always shown, if it is one of them. */
    fixed?: string;
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
      ...((PAGE_SIZES as readonly number[]).includes(limit) ? { limit } : {}),
    };
    await saveListPreferences({ ctx, objectType, ...chosen });
    return seeOther(call, back);
  });
}

/** Returns the names of columns in the URL (`?columns=site&columns=cf_rack`), else those of the user. */
export function requestedColumns(call: Call, { objectType }: Resource): readonly string[] {
  const asked = call.query.getAll("columns").flatMap((list) => list.split(","));
  return asked.length > 0 ? asked : call.session.preferences.lists[objectType]?.columns ?? [];
}

/** Returns a column for each custom field, by name. */
export function customColumns<Row extends object>(
  { ctx }: Call,
  resource: Resource,
): [name: string, Column<Row>][] {
  return visibleMembersOf(ctx.database, resource.objectType).map((member) => [member.name, {
    label: member.label,
    ...(isSortable(member.custom) ? { sort: member.name } : {}),
    cell: (row) => valueOf(member, memberValue(row, member)),
    layout: ["p3", "share"],
  }]);
}

function isSortable({ type, filterLogic }: { type: string; filterLogic: string }): boolean {
  return filterLogic !== "disabled" && type !== "json" && type !== "multiselect" && type !== "object";
}
