/** The columns of a resource's list. */

import { type AnyObject, CUSTOM_COLUMN, type Field, shapeOf } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { type Column, type Content, type Layout, Name, spokenName } from "../components/mod.ts";
import { capitalized, labelOf } from "../../messages.ts";
import { objectPath } from "../../paths.ts";
import { Cell } from "./cell.tsx";
import { customColumns, MAX_COLUMNS, requestedColumns } from "./column_menu.tsx";
import { isNothing } from "../history/recorded_value.tsx";
import { nameFields, objectTitle, type View } from "../view.ts";
import { nounOf } from "../../type_label.ts";

/** Returns the column with the name as a link. */
export function nameColumn(view: View): Column<AnyObject> {
  const { resource } = view;
  const { listName } = view;
  const sorted = (listName?.needs ?? view.title?.needs ?? resource.displayNeeds)[0];
  const nameOf = (row: AnyObject): string => listName?.of(row) ?? objectTitle(view, row);
  return {
    label: view.nameLabel ?? capitalized(nounOf(resource)),
    ...(sorted !== undefined && sortable(view, sorted) ? { sort: sorted } : {}),
    cell: (row) => {
      const path = listName?.path === undefined ? objectPath(resource, row.id) : listName.path(row);
      if (path === undefined) return Name({ text: nameOf(row) });
      return (
        <a
          href={path}
          class="object"
          title={spokenName(nameOf(row))}
          aria-label={spokenName(nameOf(row))}
        >
          {Name({ text: nameOf(row) })}
        </a>
      );
    },
  };
}

/** Priorities of the columns in the order of a view: a phone shows the name and the first. */
const PRIORITIES: readonly (readonly Layout[])[] = [[], ["p2"], ["p3"], ["p3"]];

/** Returns the columns of the view and those of custom fields; the first of the `shown` ones stay longest on a narrow screen. */
export function allColumns(
  call: Call,
  view: View,
  shown = columnNames(view),
): (readonly [name: string, Column<AnyObject>])[] {
  const { resource } = view;
  const own = columnNames(view).map((name) => {
    const added = view.added?.[name];
    if (added !== undefined) return [name, { layout: ["p2"], ...added } satisfies Column<AnyObject>] as const;
    const field = resource.fields[name];
    if (field === undefined) {
      throw new Error(`View of ${resource.objectType} names an unknown field "${name}"`);
    }
    const column: Column<AnyObject> = {
      label: view.cells?.[name]?.label ?? labelOf(name),
      ...(sortable(view, name) ? { sort: view.sorts?.[name] ?? name } : {}),
      cell: (row) => Cell({ view, field, row }),
      ...layoutOf(view, field, shown.indexOf(name)),
    };
    return [name, column] as const;
  });
  return [...own, ...customColumns(call, resource)];
}

/** Returns the names of the columns that are not of custom fields. */
function columnNames({ columns, moreColumns = [] }: View): readonly string[] {
  return [...columns, ...moreColumns];
}

/** Returns the columns without those that are empty in all rows; users who have chosen columns see all of them. */
export function filledColumns(
  { columns, cells = {} }: View,
  names: readonly string[],
  rows: readonly AnyObject[],
): readonly string[] {
  if (names !== columns || rows.length === 0) return names;
  return names.filter((name) => name in cells || rows.some((row) => !isNothing(row[name])));
}

/** Returns the width and the narrow layout of a column; on a phone, columns without space are under the name. */
function layoutOf(view: View, field: Field, index: number): Partial<Column<AnyObject>> {
  const { kind } = shapeOf(field);
  const cut = !["choice", "boolean", "datetime", "number", "integer"].includes(kind);
  const sentence = view.sentences?.[field.name] !== undefined;
  // Next to sentences, the second column is that of a certificate, whose host needs space.
  const host = index === 1 && view.sentences !== undefined;
  const long = cut && (host || view.cells?.[field.name] !== undefined || field.name === "description");
  const own = view.cells?.[field.name]?.under;
  const under = own ?? ((row: AnyObject): Content => Cell({ view, field, row }));
  const second = index === 1 && view.sentences === undefined && kind !== "boolean";
  const label = view.cells?.[field.name]?.label ?? labelOf(field.name);
  const folded = kind === "boolean" && own === undefined
    // The label has the meaning; "no" needs no line.
    ? (row: AnyObject): Content => row[field.name] === true ? label : ""
    : (row: AnyObject): Content => isNothing(row[field.name]) ? "" : under(row);
  // A slug repeats the name.
  if (field.name === "slug") return { layout: ["p3", "share"] };
  return {
    // On a phone, a value with its sentence has the line under the name.
    layout: [
      ...index === 0 && !sentence ? ["folds" as const] : [],
      ...sentence ? ["p2" as const] : PRIORITIES[index] ?? ["p4" as const],
      ...(sentence
        ? ["sentence-share" as const]
        : long
        ? ["wide-share" as const]
        : cut
        ? ["share" as const]
        : []),
    ],
    ...(index === 0 && !sentence
      ? { under: folded }
      : sentence || second || view.under?.includes(field.name) === true
      ? { under }
      : {}),
  };
}

/** Returns the columns of the URL or of the user, else those of the view. */
export function chosenColumns(call: Call, view: View): readonly string[] {
  const requested = requestedColumns(call, view.resource);
  const known = allColumns(call, view).map(([name]) => name).filter((name) => requested.includes(name));
  return known.length > 0 ? known.slice(0, MAX_COLUMNS) : view.columns;
}

/** Returns the fields that the columns and the name read. */
export function fieldsOfColumns(view: View, names: readonly string[]): string[] {
  const own = names.flatMap((name) =>
    view.added?.[name] !== undefined
      ? view.added[name].needs ?? []
      : columnNames(view).includes(name)
      ? [name, view.sentences?.[name] ?? name, ...view.cells?.[name]?.needs ?? []]
      : [CUSTOM_COLUMN]
  );
  const more = [...view.listName?.needs ?? [], ...view.groups?.needs ?? []];
  return [...new Set([...own, ...nameFields(view), ...more])];
}

function sortable({ resource }: View, name: string): boolean {
  const filter = resource.fields[name]?.filters[name];
  return filter !== undefined && "sortable" in filter && filter.sortable;
}
