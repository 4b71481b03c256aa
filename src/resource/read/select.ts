/** Selects the columns of objects and decodes raw rows. */

import type { Identity, Out } from "../model/objects.ts";
import { getTableName } from "drizzle-orm";
import type { Actor, Context } from "../../auth/mod.ts";
import { memoize } from "../../base/memoize.ts";
import { objectMaker, type ObjectRow, pack, type Packed, type Row } from "../../db/mod.ts";
import { allCustomFields, type CustomField } from "../custom/mod.ts";
import { displayUrl, objectUrl, readBrief, requireField, selectBrief } from "../model/brief.ts";
import type { Resource } from "../model/definition.ts";
import type { Field, SelectContext, Selected, Values } from "../model/field.ts";
import { fieldLists, type RecordedField } from "../model/field_lists.ts";
import { oneCell } from "../model/fields/column.ts";
import { columnOf, isDictionary } from "../../filters/mod.ts";

/** Maximum number of cached select lists per actor. */
const SELECT_LISTS = 100;

/** The fields of a response. */
export interface Selection {
  readonly brief: boolean;
  /** Only these fields, if set. */
  readonly fields?: readonly string[];
  readonly omit: readonly string[];
  /** Whether long texts are included if they are not named. */
  readonly long: boolean;
  /**
   * Whether references are returned as ids (`5`, or `{type, id}`) instead of brief objects, and lists of
   * references are left out.
   */
  readonly bare?: boolean;
}

/** All fields including long texts. */
export const ALL_FIELDS: Selection = { brief: false, omit: [], long: true };

/** Returns the fields of a selection, in the resource's order. */
export function selectedFields(resource: Resource, selection: Selection): Field[] {
  const chosen = Object.values(resource.fields).filter((field) => {
    if (field.writeOnly || selection.omit.includes(field.name)) return false;
    if (selection.fields !== undefined) return selection.fields.includes(field.name);
    return selection.long || !field.long;
  });
  return selection.bare ? chosen.map(withReferenceId) : chosen;
}

/**
 * Names in a selection that are not fields. They are derived from the id and the columns of the brief form.
 */
export const COMMON_NAMES = ["url", "display_url", "display"] as const;

function includes(selection: Selection, name: string): boolean {
  return !selection.omit.includes(name) && (selection.fields?.includes(name) ?? true);
}

/** A select list of objects, and the function that decodes the rows of a page. */
export interface SelectList<Of> extends Packed<ObjectRow> {
  /** Returns the objects of raw rows, which have only the members of the selection. Errors: too_large. */
  readonly read: (rows: readonly Row[], ctx: Context) => Of[];
}

/** Cached select lists by actor (nested objects depend on the actor's permissions) and selection. */
const listsOf = memoize((_: Actor) => new Map<string, Packed>());

/** Returns a select list from the cache, or builds it. */
function once<List extends Packed>({ actor }: Context, key: string, make: () => List): List {
  const known = listsOf(actor);
  const cached = known.get(key);
  // A key contains the kind of its list.
  if (cached !== undefined) return cached as List;
  const made = make();
  if (known.size >= SELECT_LISTS) known.clear();
  known.set(key, made);
  return made;
}

let lastVersion = 0;
const versionOfFields = memoize((_: readonly CustomField[]) => ++lastVersion);

/**
 * Returns a number that changes with the definitions of custom fields, because statements read the objects to
 * which these refer, and constraints on nested objects can contain them.
 */
function versionOf({ database }: Context): number {
  return versionOfFields(allCustomFields(database));
}

/** Returns the select list of a selection. */
export function selectList<Of extends Identity>(
  resource: Resource<Of>,
  selection: Selection,
  ctx: Context,
): SelectList<Of> {
  const key = `${resource.objectType} ${versionOf(ctx)} ${JSON.stringify(selection)}`;
  return once(ctx, key, () => {
    const packed = pack<ObjectRow>(selectColumns(resource, selection, ctx));
    const read = rowReader(resource, selection);
    return { ...packed, read: (rows, ctx) => packed.unpack(rows).map((row) => read(row, ctx)) };
  });
}

/** Returns the select list of all fields and of the change record. */
export function fullList(resource: Resource, ctx: Context): Packed<ObjectRow> {
  return once(
    ctx,
    `${resource.objectType} ${versionOf(ctx)} whole`,
    () => pack(collect([selectColumns(resource, ALL_FIELDS, ctx), recordColumns(resource, ctx)])),
  );
}

/** Returns the select list of the change record. */
export function recordList<Stored extends ObjectRow>(
  resource: Resource<Out, Stored>,
  ctx: Context,
): Packed<Stored> {
  return once(ctx, `${resource.objectType} record`, () => pack(recordColumns(resource, ctx)));
}

/** Returns the columns of a selection, and the version if the resource has one. */
function selectColumns(resource: Resource, selection: Selection, ctx: Context): Selected[] {
  const context: SelectContext = { alias: getTableName(resource.table), ctx };
  if (selection.brief) return selectBrief(resource, context);
  const fields = new Map(selectedFields(resource, selection).map((field) => [field.name, field]));
  const needed = [...fields.values()].flatMap((field) => field.needs);
  if (includes(selection, "display")) needed.push(...resource.displayNeeds);
  if ("last_updated" in resource.fields) needed.push("last_updated");
  for (const name of ["id", ...needed]) if (!fields.has(name)) fields.set(name, requireField(resource, name));
  return collect([...fields.values()].map((field) => field.select(context)));
}

/** Returns the columns of the change record and of the uniqueness rules. */
function recordColumns(resource: Resource, ctx: Context): Selected[] {
  const context: SelectContext = { alias: getTableName(resource.table), ctx };
  const fields = Object.values(resource.fields).filter((field) => field.record !== undefined);
  const compared = resource.unique.flatMap(({ columns }) => columns);
  return collect([
    ...fields.map((field) => (field.record?.select ?? field.select)(context)),
    compared.map((column): Selected => [column, columnOf(context.alias, column)]),
  ]);
}

/** Removes duplicate columns. */
function collect(groups: readonly (readonly Selected[])[]): Selected[] {
  return [...new Map(groups.flat().map((column) => [column[0], column]))].map(([, column]) => column);
}

/**
 * Returns a function that decodes raw rows. Must be created once per page, because creating it takes time.
 */
export function rowReader<Of extends Identity>(
  resource: Resource<Of>,
  selection: Selection,
): (row: ObjectRow, ctx: Context) => Of {
  // Like the objects of any selection, a brief one has only some of the members.
  if (selection.brief) return (row, ctx) => readBrief(resource, row, ctx) as Of;
  const members = membersOf(resource, selection);
  const shape = objectMaker<Of>(members.map(({ name }) => name));
  return (row, ctx) => {
    const object = shape();
    const filled: Values = object;
    for (const { name, read } of members) filled[name] = read(row, ctx);
    return object;
  };
}

/** A member of an object in a response. */
interface Member {
  readonly name: string;
  readonly read: (row: ObjectRow, ctx: Context) => unknown;
}

/** Returns the members of the objects of a selection, in their order. */
function membersOf(resource: Resource, selection: Selection): Member[] {
  const common: Member[] = [
    { name: "id", read: oneCell({ column: "id" }) },
    { name: "url", read: (row, ctx) => objectUrl(resource, row.id, ctx) },
    { name: "display_url", read: (row, ctx) => displayUrl(resource, row.id, ctx) },
    { name: "display", read: (row) => resource.display(row) },
  ];
  return [
    ...common.filter(({ name }) => includes(selection, name)),
    ...selectedFields(resource, selection).filter(({ name }) => name !== "id"),
  ];
}

/** Returns the representation of a row in the change log. */
export function snapshot(resource: Resource, row: Row): Values {
  const { recorded } = fieldLists(resource);
  const kept = recordMaker(recorded)();
  for (const { name, record } of recorded) {
    const value = record.read(row);
    if (value !== undefined) kept[name] = value;
    else Reflect.deleteProperty(kept, name);
  }
  return kept;
}

const recordMaker = memoize((recorded: readonly RecordedField[]) =>
  objectMaker<Values>(recorded.map(({ name }) => name))
);

/**
 * Returns a field that is returned as an id, or as `{type, id}` for a generic reference. A list of references
 * is left out (its rows are found by the id of the object). Other fields are returned unchanged.
 */
function withReferenceId(field: Field): Field {
  const { foreignKey, shows } = field.refers ?? {};
  if (shows !== undefined) {
    return {
      ...field,
      read: (row, ctx) => {
        const shown = field.read(row, ctx);
        return isDictionary(shown) ? shown.id : null;
      },
    };
  }
  if (field.many) return { ...field, select: () => [], read: () => undefined };
  if (foreignKey === undefined) return field;
  const { column, typeColumn } = foreignKey;
  if (typeColumn !== undefined) {
    // The type is a separate field, which this one needs.
    const read: Field["read"] = (row) =>
      row[column] === null ? null : { type: row[typeColumn], id: row[column] };
    return { ...field, select: ({ alias }) => [[column, columnOf(alias, column)]], read };
  }
  return {
    ...field,
    select: ({ alias }) => [[column, columnOf(alias, column)]],
    read: oneCell({ column }),
  };
}
