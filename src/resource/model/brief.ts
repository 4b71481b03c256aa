/** The brief form of an object inside others: `{id, url, display, …}`. */

import type { z } from "zod";
import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { memoize } from "../../base/memoize.ts";
import type { ObjectRow } from "../../db/mod.ts";
import type { Resource, SelectContext, Selected, Values } from "./definition.ts";
import type { Brief } from "./objects.ts";

/** Number of slots of the cache of URLs, a power of two. */
const SLOTS = 512;

/**
 * The URLs of a resource for the base URL that was used last: their beginnings, and those of objects by id.
 */
const addressesOf = memoize((_: Resource): Addresses => ({
  baseUrl: "",
  objects: "",
  pages: "",
  ids: [],
  urls: [],
}));

type Addresses = Readonly<
  Record<"baseUrl" | "objects" | "pages", string> & { ids: number[]; urls: string[] }
>;

function addresses(resource: Resource, { baseUrl }: Context): Addresses {
  const known = addressesOf(resource);
  if (known.baseUrl === baseUrl) return known;
  const [objects, pages] = [`${baseUrl}/api/${resource.path}/`, `${baseUrl}${pagePath(resource)}`];
  return Object.assign(known, { baseUrl, objects, pages, ids: [], urls: [] });
}

/**
 * Returns the absolute URL of an object. Cached, because lists refer to the same objects many times, and V8
 * writes a joined text twice as fast if it was written before.
 */
export function objectUrl(resource: Resource, id: number, ctx: Context): string {
  const { objects, ids, urls } = addresses(resource, ctx);
  const slot = id & (SLOTS - 1);
  const known = urls[slot];
  if (known !== undefined && ids[slot] === id) return known;
  const url = objects + `${id}/`;
  ids[slot] = id;
  urls[slot] = url;
  return url;
}

/** Returns the path of a resource's pages: `/tenants/`. */
export function pagePath({ page, path }: Pick<Resource, "page" | "path">): string {
  return `/${page ?? path.slice(path.lastIndexOf("/") + 1)}/`;
}

/** Returns the absolute URL of an object's page. */
export function displayUrl(resource: Resource, id: number, ctx: Context): string {
  return addresses(resource, ctx).pages + `${id}/`;
}

/** Returns the field with a name. Throws if it is unknown, which is a defect of a definition. */
export function requireField(resource: Resource, name: string): Resource["fields"][string] {
  const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined;
  if (field === undefined) throw new Error(`Resource "${resource.objectType}" has no field "${name}"`);
  return field;
}

/** Returns the input schema of a field, for operations whose bodies contain it. */
export function inputSchema(resource: Resource, name: string): z.ZodType {
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
