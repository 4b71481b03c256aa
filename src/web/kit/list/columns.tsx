/** The columns of a list: those of the view, and one for each custom field. */

import {
  CUSTOM_COLUMN,
  type Field,
  memberValue,
  type Out,
  type Resource,
  shapeOf,
  visibleMembersOf,
} from "../../../resource/mod.ts";
import { MAX_COLUMNS } from "../../../domain/accounts/preferences/mod.ts";
import type { Call } from "../../call.ts";
import { type Column, type Content, type Layout, Name, truncate } from "../components/mod.ts";
import { capitalized, labelOf } from "../../messages.ts";
import { objectPath } from "../../paths.ts";
import { displayValue, isBrief, ObjectLink, valueOf } from "../detail/value.tsx";
import { isNothing } from "../history/recorded_value.tsx";
import { withoutExpiry } from "../reference/reference_text.ts";
import { nameFields, objectTitle, type View, type ViewColumn } from "../view.ts";
import { nounOf } from "../../type_label.ts";

/** The parts of a view that decide its columns. */
type ColumnsView = Pick<View, "resource" | "name" | "title" | "columns" | "usual" | "fields">;

/** Returns the column with the name, which links to the object; the title has the complete name. */
export function nameColumn(view: ColumnsView): Column<Out> {
  const { resource, name } = view;
  const [sorted] = name?.needs ?? view.title?.needs ?? resource.displayNeeds;
  return {
    label: name?.label ?? capitalized(nounOf(resource)),
    ...(sorted !== undefined && sortable(view, sorted) ? { sort: sorted } : {}),
    cell: (row) => {
      const text = name?.of?.(row) ?? objectTitle(view, row);
      const path = name?.path === undefined ? objectPath(resource, row.id) : name.path(row);
      if (path === undefined) return Name({ text });
      return (
        <a href={path} class="object" title={truncate(text, 500)}>
          {Name({ text })}
        </a>
      );
    },
  };
}

/** Returns all columns; the first of the `shown` ones stay longest on a narrow screen. */
export function allColumns(
  call: Call,
  view: ColumnsView,
  shown = usualNames(view),
): (readonly [name: string, Column<Out>])[] {
  return [
    ...view.columns.map((one) => [nameOf(one), columnOf(view, one, shown.indexOf(nameOf(one)))] as const),
    ...customColumns(call, view.resource),
  ];
}

/** Returns the columns of the URL, else those of the user; undefined if none is chosen. */
export function chosenNames(call: Call, view: ColumnsView): readonly string[] | undefined {
  const { objectType } = view.resource;
  const asked = call.query.getAll("columns").flatMap((list) => list.split(","));
  const chosen = asked.length > 0 ? asked : call.session.preferences.lists[objectType]?.columns ?? [];
  if (chosen.length === 0) return undefined;
  const known = allColumns(call, view).map(([name]) => name).filter((name) => chosen.includes(name));
  return known.length > 0 ? known.slice(0, MAX_COLUMNS) : undefined;
}

/** Returns columns without those that are empty in all rows. */
export function filledNames(
  view: ColumnsView,
  names: readonly string[],
  rows: readonly Out[],
): readonly string[] {
  const own = new Map(view.columns.map((one) => [nameOf(one), one]));
  const stays = (one: ViewColumn | undefined): boolean =>
    typeof one === "object" && one.cell !== undefined && (one.stays ?? one.name in view.resource.fields);
  return names.filter((name) => stays(own.get(name)) || rows.some((row) => !isNothing(row[name])));
}

/** Returns the fields that the columns and the name read. */
export function fieldsOfColumns(view: ColumnsView, names: readonly string[]): string[] {
  const own = new Map(view.columns.map((one) => [nameOf(one), one]));
  const needs = names.flatMap((name) => {
    const column = own.get(name);
    if (column === undefined) return [CUSTOM_COLUMN];
    const more = typeof column === "string" ? [] : column.needs ?? [];
    return name in view.resource.fields ? [name, ...more] : more;
  });
  return [...new Set([...needs, ...nameFields(view), ...view.name?.needs ?? []])];
}

/** Returns the names of the columns that are shown unless a user has chosen others. */
export function usualNames({ columns, usual }: ColumnsView): readonly string[] {
  return usual ?? columns.map(nameOf);
}

function nameOf(column: ViewColumn): string {
  return typeof column === "string" ? column : column.name;
}

/** Returns a column of a view, completed by its field. */
function columnOf(view: ColumnsView, given: ViewColumn, index: number): Column<Out> {
  const own = typeof given === "string" ? { name: given } : given;
  const { name } = own;
  const field = view.resource.fields[name];
  if (field === undefined) {
    if (own.cell === undefined) {
      throw new Error(`View of ${view.resource.objectType} names an unknown field "${name}"`);
    }
    return { label: labelOf(name), layout: ["p2"], ...own, cell: own.cell };
  }
  const cell = own.cell ?? ((row: Out): Content => valueIn(view, field, row[name]));
  return {
    label: labelOf(name),
    ...(sortable(view, name) ? { sort: name } : {}),
    ...(own.layout === undefined ? { layout: layoutOf(field, index, own) } : {}),
    ...own,
    cell,
  };
}

/** How long the columns stay, in the order of a view; the first ones are under the name on a phone. */
const PRIORITIES: readonly (readonly Layout[])[] = [["folds"], ["p2", "folds"], ["p3"], ["p3"]];

/** Returns the width and the narrow layout of the column of a field. */
function layoutOf(field: Field, index: number, own: ViewColumn & object): readonly Layout[] {
  // A slug repeats the name.
  if (field.name === "slug") return ["p3", "share"];
  const { kind } = shapeOf(field);
  const isCut = !["choice", "boolean", "datetime", "number", "integer"].includes(kind);
  const isLong = own.cell !== undefined || field.name === "description";
  return [
    ...PRIORITIES[index] ?? ["p4" as const],
    ...kind === "boolean" && own.cell === undefined ? ["named" as const] : [],
    ...!isCut ? [] : [isLong ? "wide-share" as const : "share" as const],
  ];
}

/** Returns a column for each custom field, by name. */
function customColumns({ ctx }: Call, resource: Resource): [name: string, Column<Out>][] {
  return visibleMembersOf(ctx.database, resource.objectType).map((member) => [member.name, {
    label: member.shown.label,
    ...(isSortable(member.custom) ? { sort: member.name } : {}),
    cell: (row) => valueOf(member, memberValue(row, member)),
    layout: ["p3", "share"],
  }]);
}

function isSortable({ type, filterLogic }: { type: string; filterLogic: string }): boolean {
  return filterLogic !== "disabled" && type !== "json" && type !== "multiselect" && type !== "object";
}

function sortable({ resource }: ColumnsView, name: string): boolean {
  const filter = resource.fields[name]?.filters[name];
  return filter !== undefined && "sortable" in filter && filter.sortable;
}

/** Texts of up to this number of characters fit a column. */
const SHORT_TEXT = 14;

/** Renders a value; the title has the complete text, which may not fit the column. */
function valueIn(view: ColumnsView, field: Field, value: unknown): Content {
  const { kind } = shapeOf(field);
  if (kind === "reference" && isBrief(value)) {
    // The name of a certificate ends with its expiry, which distinguishes renewals but does not fit a column.
    return ObjectLink({ brief: value, shown: withoutExpiry(value.display) });
  }
  const shown = displayValue(view, field, value);
  const isText = typeof value === "string" && !["choice", "datetime", "url"].includes(kind);
  return isText && value.length > SHORT_TEXT ? <span title={truncate(value, 500)}>{shown}</span> : shown;
}
