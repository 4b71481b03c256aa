/** The brief form of an object inside others: `{id, url, display, …}`. */

import type { z } from "zod";
import { getTableName, type SQL, sql } from "drizzle-orm";
import { type Context, visibleSql } from "../../auth/mod.ts";
import { memoize } from "../../base/memoize.ts";
import { andAll, idsIn, type ObjectRow, pack, type Row, where } from "../../db/mod.ts";
import type { Resource } from "./definition.ts";
import type { SelectContext, Selected, Values } from "./field.ts";
import type { Brief, Identity, NameOf } from "./objects.ts";

/** Returns the absolute URL of an object. */
export function objectUrl({ path }: Resource, id: number, { baseUrl }: Context): string {
  return `${baseUrl}/api/${path}/${id}/`;
}

/** Returns the path of a resource's pages: `/tenants/`. */
export function pagePath({ page, path }: Pick<Resource, "page" | "path">): string {
  return `/${page ?? path.slice(path.lastIndexOf("/") + 1)}/`;
}

/** Returns the absolute URL of an object's page. */
export function displayUrl(resource: Resource, id: number, ctx: Context): string {
  return `${ctx.baseUrl}${pagePath(resource)}${id}/`;
}

/** Returns the field with a name. Throws if it is unknown, which is a defect of a definition. */
export function requireField(resource: Resource, name: string): Resource["fields"][string] {
  const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined;
  if (field === undefined) throw new Error(`Resource "${resource.objectType}" has no field "${name}"`);
  return field;
}

/** Returns the input schema of a field, for operations whose bodies contain it. */
export function inputSchema<Of extends Identity>(resource: Resource<Of>, name: NameOf<Of>): z.ZodType {
  const { input } = requireField(resource, name);
  if (input === undefined) throw new Error(`Field "${name}" of "${resource.objectType}" is read-only`);
  return input;
}

/** Returns the columns that the brief form needs. */
export function selectBrief(resource: Resource, context: SelectContext): Selected[] {
  const columns = new Map<string, SQL>();
  for (const name of ["id", ...resource.brief, ...resource.displayNeeds]) {
    const field = requireField(resource, name);
    for (const source of [name, ...field.needs]) {
      for (const [column, expression] of requireField(resource, source).select(context)) {
        columns.set(column, expression);
      }
    }
  }
  return [...columns];
}

/** Returns the brief form as a JSON expression. */
export function briefJson(resource: Resource, context: SelectContext): SQL {
  const pairs = selectBrief(resource, context).map(([name, expression]) =>
    sql`${sql.raw(`'${name}'`)}, ${expression}`
  );
  return sql`json_object(${sql.join(pairs, sql`, `)})`;
}

/** Builds the brief form from a raw row. */
export function readBrief(resource: Resource, row: ObjectRow, ctx: Context): Brief {
  const { id } = row;
  const object: Values & Brief = {
    id,
    url: objectUrl(resource, id, ctx),
    display: resource.display(row),
  };
  for (const { name, read } of briefFields(resource)) object[name] = read(row, ctx);
  return object;
}

const briefFields = memoize((resource: Resource) =>
  resource.brief.map((name) => requireField(resource, name))
);

/** Reads the brief forms of the objects that the caller may view, by id. One statement. */
export async function loadBriefs(
  ctx: Context,
  resource: Resource,
  ids: Iterable<number | null>,
): Promise<Map<number, Brief>> {
  const alias = getTableName(resource.table);
  const distinct = [...new Set(ids)].filter((id) => id !== null);
  const condition = andAll(
    sql`${resource.table}.id IN ${idsIn(distinct)}`,
    visibleSql(ctx, resource.map, alias),
  );
  const packed = pack<ObjectRow>(selectBrief(resource, { alias, ctx }));
  const rows = await ctx.database.all<Row>(
    sql`SELECT ${packed.list} FROM ${resource.table}${where(condition)} ORDER BY id`,
  );
  return new Map(packed.unpack(rows).map((row) => [row.id, readBrief(resource, row, ctx)]));
}

/**
 * Returns sums under the objects that `objectOf` returns for their keys, in the given order. Those after the first `most`,
 * and those without an object that the caller may view, are added up under null.
 */
export function groupsByObject<Key, Of, Sum>(
  sums: readonly (readonly [key: Key, sum: Sum])[],
  { objectOf, add, most }: {
    objectOf: (key: Key) => Of | undefined;
    add: (one: Sum, other: Sum) => Sum;
    most: number;
  },
): [object: Of | null, sum: Sum][] {
  const groups: [Of | null, Sum][] = [];
  const others: Sum[] = [];
  for (const [index, [key, sum]] of sums.entries()) {
    const object = index < most ? objectOf(key) : undefined;
    if (object === undefined) others.push(sum);
    else groups.push([object, sum]);
  }
  return others.length === 0 ? groups : [...groups, [null, others.reduce(add)]];
}
