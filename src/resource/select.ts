/** Which columns a reading needs, and how a raw row becomes an object. */

import { getTableName, type SQL, sql } from "drizzle-orm";
import type { Context } from "../access/mod.ts";
import type { Row } from "../db/mod.ts";
import { fieldOf, readBrief, selectBrief, urlOf } from "./brief.ts";
import type { Field, Resource, SelectContext, Selected } from "./definition.ts";

/** The shape of the objects in an answer. */
export interface Selection {
  readonly brief: boolean;
  /** Only these, if given. */
  readonly fields?: readonly string[];
  readonly omit: readonly string[];
  /** Whether the long texts come without being named. */
  readonly long: boolean;
}

/** Every field, the long texts too. */
export const WHOLE: Selection = { brief: false, omit: [], long: true };

/** The fields of a selection, in the resource's order. */
export function selectedFields(resource: Resource, selection: Selection): Field[] {
  return Object.values(resource.fields).filter((field) => {
    if (field.writeOnly || selection.omit.includes(field.name)) return false;
    if (selection.fields !== undefined) return selection.fields.includes(field.name);
    return selection.long || !field.long;
  });
}

/** Names beside the fields that a selection may hold: made from the id and the brief columns. */
export const COMMON_NAMES = ["url", "display"] as const;

function wants(selection: Selection, name: string): boolean {
  return !selection.omit.includes(name) && (selection.fields?.includes(name) ?? true);
}

/** Column list of a reading statement on the table under `alias`. */
export function selectColumns(resource: Resource, selection: Selection, ctx: Context): Selected[] {
  const context: SelectContext = { alias: getTableName(resource.table), ctx };
  if (selection.brief) return selectBrief(resource, context);
  const names = new Set(["id", ...(wants(selection, "display") ? resource.displayNeeds : [])]);
  for (const field of selectedFields(resource, selection)) {
    names.add(field.name);
    for (const need of field.needs) names.add(need);
  }
  return collect([...names].map((name) => fieldOf(resource, name).select(context)));
}

/** Column list of a statement for the change record. */
export function recordColumns(resource: Resource, ctx: Context): Selected[] {
  const context: SelectContext = { alias: getTableName(resource.table), ctx };
  const fields = Object.values(resource.fields).filter((field) => field.record !== undefined);
  return collect(fields.map((field) => (field.selectRecord ?? field.select)(context)));
}

/** Each column once. */
export function collect(groups: readonly (readonly Selected[])[]): Selected[] {
  return [...new Map(groups.flat().map((column) => [column[0], column]))].map(([, column]) => column);
}

/** `expression AS "name", …`. */
export function columnList(columns: readonly Selected[]): SQL {
  return sql.join(
    columns.map(([name, expression]) => sql`${expression} AS ${sql.identifier(name)}`),
    sql`, `,
  );
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
    if (withUrl) object.url = urlOf(resource, row.id as number, ctx);
    if (withDisplay) object.display = resource.display(row);
    for (const field of fields) object[field.name] = field.read(row, ctx);
    return object;
  };
}

/** What the change log keeps of a row. */
export function snapshot(resource: Resource, row: Row): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const field of Object.values(resource.fields)) {
    const value = field.record?.(row);
    if (value !== undefined) kept[field.name] = value;
  }
  return kept;
}
