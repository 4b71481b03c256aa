/** Which columns a reading needs, and how a raw row becomes an object. */

import { getTableName } from "drizzle-orm";
import type { Actor, Context } from "../../auth/mod.ts";
import { SELECT_LISTS } from "../../base/limits.ts";
import { pack, type Packed, type Row } from "../../db/mod.ts";
import { withReferenceId } from "../model/reference_ids.ts";
import { objectUrl, readBrief, requireField, selectBrief } from "../model/brief.ts";
import type { Field, Resource, SelectContext, Selected } from "../model/definition.ts";
import { fieldLists } from "../model/field_lists.ts";
import { columnOf } from "../model/fields/column.ts";

/** The shape of the objects in an answer. */
export interface Selection {
  readonly brief: boolean;
  /** Only these, if given. */
  readonly fields?: readonly string[];
  readonly omit: readonly string[];
  /** Whether the long texts come without being named. */
  readonly long: boolean;
  /** References as what they point with, not as brief objects: `5`, or `{type, id}`; lists of them not at all. */
  readonly bare?: boolean;
}

/** Every field, the long texts too. */
export const ALL_FIELDS: Selection = { brief: false, omit: [], long: true };

/** The fields of a selection, in the resource's order. */
export function selectedFields(resource: Resource, selection: Selection): Field[] {
  const chosen = Object.values(resource.fields).filter((field) => {
    if (field.writeOnly || selection.omit.includes(field.name)) return false;
    if (selection.fields !== undefined) return selection.fields.includes(field.name);
    return selection.long || !field.long;
  });
  return selection.bare ? chosen.map(withReferenceId) : chosen;
}

/** Names beside the fields that a selection may hold: made from the id and the brief columns. */
export const COMMON_NAMES = ["url", "display"] as const;

function wants(selection: Selection, name: string): boolean {
  return !selection.omit.includes(name) && (selection.fields?.includes(name) ?? true);
}

/** Select lists by actor (what is nested depends on what he may see) and by what is selected. */
const lists = new WeakMap<Actor, Map<string, Packed>>();

/** A select list that is the same for each request of an actor, made once. */
function once({ actor }: Context, key: string, columns: () => readonly Selected[]): Packed {
  const known = lists.get(actor) ?? new Map<string, Packed>();
  lists.set(actor, known);
  const cached = known.get(key);
  if (cached !== undefined) return cached;
  const made = pack(columns());
  if (known.size >= SELECT_LISTS) known.clear();
  known.set(key, made);
  return made;
}

/** The select list of a reading statement. */
export function selectList(resource: Resource, selection: Selection, ctx: Context): Packed {
  const key = `${resource.objectType} ${JSON.stringify(selection)}`;
  return once(ctx, key, () => selectColumns(resource, selection, ctx));
}

/** The select list of all that can be read and all that the change record keeps. */
export function fullList(resource: Resource, ctx: Context): Packed {
  return once(
    ctx,
    `${resource.objectType} whole`,
    () => collect([selectColumns(resource, ALL_FIELDS, ctx), recordColumns(resource, ctx)]),
  );
}

/** The select list of what the change record keeps. */
export function recordList(resource: Resource, ctx: Context): Packed {
  return once(ctx, `${resource.objectType} record`, () => recordColumns(resource, ctx));
}

/** Columns of a reading statement: those selected, and the version where there is one. */
function selectColumns(resource: Resource, selection: Selection, ctx: Context): Selected[] {
  const context: SelectContext = { alias: getTableName(resource.table), ctx };
  if (selection.brief) return selectBrief(resource, context);
  const fields = new Map(selectedFields(resource, selection).map((field) => [field.name, field]));
  const needed = [...fields.values()].flatMap((field) => field.needs);
  if (wants(selection, "display")) needed.push(...resource.displayNeeds);
  if ("last_updated" in resource.fields) needed.push("last_updated");
  for (const name of ["id", ...needed]) if (!fields.has(name)) fields.set(name, requireField(resource, name));
  return collect([...fields.values()].map((field) => field.select(context)));
}

/** Columns of a statement for the change record, and those that uniqueness rules compare. */
function recordColumns(resource: Resource, ctx: Context): Selected[] {
  const context: SelectContext = { alias: getTableName(resource.table), ctx };
  const fields = Object.values(resource.fields).filter((field) => field.record !== undefined);
  const compared = resource.unique.flatMap(({ columns }) => columns);
  return collect([
    ...fields.map((field) => (field.selectRecord ?? field.select)(context)),
    compared.map((column): Selected => [column, columnOf(context.alias, column)]),
  ]);
}

/** Each column once. */
function collect(groups: readonly (readonly Selected[])[]): Selected[] {
  return [...new Map(groups.flat().map((column) => [column[0], column]))].map(([, column]) => column);
}

/** A function that turns raw rows into objects of the selection; made once for a page. */
export function rowReader(
  resource: Resource,
  selection: Selection,
  ctx: Context,
): (row: Row) => Record<string, unknown> {
  if (selection.brief) return (row) => readBrief(resource, row, ctx);
  const fields = selectedFields(resource, selection).filter((field) => field.name !== "id");
  const [withId, withUrl, withDisplay] = ["id", "url", "display"].map((name) => wants(selection, name));
  return (row) => {
    const object: Record<string, unknown> = {};
    if (withId) object.id = row.id;
    if (withUrl) object.url = objectUrl(resource, row.id as number, ctx);
    if (withDisplay) object.display = resource.display(row);
    for (const field of fields) object[field.name] = field.read(row, ctx);
    return object;
  };
}

/** What the change log keeps of a row. */
export function snapshot(resource: Resource, row: Row): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const { name, record } of fieldLists(resource).recorded) {
    const value = record(row);
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
