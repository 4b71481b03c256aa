/** Defines resources, and keeps a registry of them. */

import { fieldMapOf } from "./field_map.ts";
import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { RowOf } from "../../db/mod.ts";
import type { Field, Link, Method, OnDelete, Resource } from "./definition.ts";
import type { AnyObject, ObjectOf } from "./objects.ts";

const ALL: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const ITEM: readonly Method[] = ["GET", "PUT", "PATCH", "DELETE"];

/** Required and optional properties of a definition. */
export type ResourceOptions<Of extends Field = Field, Table extends SQLiteTable = SQLiteTable> =
  & Pick<Resource, "objectType" | "path" | "label">
  & { table: Table; fields: readonly Of[] }
  & Partial<Omit<Resource<AnyObject, RowOf<Table>>, "fields" | "table" | "object">>;

/** Defines a resource. By default it has all methods, is displayed by its name, and is ordered by id. */
export function defineResource<Of extends Field, Table extends SQLiteTable>(
  options: ResourceOptions<Of, Table>,
): Resource<ObjectOf<Of>, RowOf<Table>> {
  const definition: Omit<Resource<ObjectOf<Of>, RowOf<Table>>, "map" | "object"> = {
    labelPlural: `${options.label}s`,
    brief: ["name"],
    displayNeeds: options.display === undefined ? ["name"] : [],
    display: (row) => String(row.name),
    searchFields: options.fields.some((field) => field.name === "name") ? ["name"] : [],
    filters: {},
    methods: { collection: ALL, item: ITEM },
    order: [{ field: "id", descending: false }],
    unique: [],
    untracked: false,
    actions: [],
    ...options,
    fields: Object.fromEntries(options.fields.map((field) => [field.name, field])),
  };
  const resource: Resource<ObjectOf<Of>, RowOf<Table>> = {
    ...definition,
    map: fieldMapOf(definition, resourceOfType),
  };
  defined.push(resource);
  unrecorded = undefined;
  referrers.clear();
  return resource;
}

/** Returns the name of a resource's schema in the API document: `Certificate`. */
export function schemaName(resource: Resource): string {
  return resource.label.split(" ").map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

/** Returns the resource of an object type; undefined if it is unknown. */
export function resourceOfType(objectType: string): Resource | undefined {
  return defined.find((resource) => resource.objectType === objectType);
}

export function allResources(): readonly Resource[] {
  return defined;
}

/** All resources. Deletions need to know which resources refer to which. */
const defined: Resource[] = [];

/** The columns of `unrecordedColumns` since the last definition. Cached, because every list needs them. */
let unrecorded: readonly string[] | undefined;

/** Returns the filterable columns that change without a change record (the time of the last validation). */
export function unrecordedColumns(): readonly string[] {
  return unrecorded ??= defined.flatMap((resource) => Object.values(resource.fields)).filter((field) =>
    field.columns !== undefined && field.record === undefined && Object.keys(field.filters).length > 0
  ).map((field) => field.name);
}

/** A field that refers to another resource. */
export interface Referrer {
  readonly resource: Resource;
  readonly field: Field;
  readonly column: string;
  /** For a generic reference: the column with the object type, and its value for the target. */
  readonly type?: { readonly column: string; readonly value: string };
  readonly onDelete: OnDelete;
}

/** The results of {@link referrersOf} since the last definition. Cached, because every update needs them. */
const referrers = new Map<Resource, readonly Referrer[]>();

/** Returns the fields of all resources that refer to `target`. */
export function referrersOf(target: Resource): readonly Referrer[] {
  let known = referrers.get(target);
  if (known === undefined) referrers.set(target, known = findReferrers(target));
  return known;
}

function findReferrers(target: Resource): Referrer[] {
  return defined.flatMap((resource) =>
    Object.values(resource.fields).flatMap((field): Referrer[] => {
      if (field.foreignKey === undefined) return [];
      const { column, typeColumn, onDelete } = field.foreignKey;
      if (field.target?.() === target) return [{ resource, field, column, onDelete }];
      if (typeColumn === undefined || !field.targets?.includes(target)) return [];
      const type = { column: typeColumn, value: target.objectType };
      return [{ resource, field, column, type, onDelete }];
    })
  );
}

/** A field with a list of references to another resource. */
export interface Linker {
  readonly resource: Resource;
  readonly field: Field;
  readonly link: Link;
}

/** Returns the fields of all resources with a list of references to `target`. */
export function linkersOf(target: Resource): Linker[] {
  return defined.flatMap((resource) =>
    Object.values(resource.fields).flatMap((field): Linker[] =>
      field.link !== undefined && field.target?.() === target ? [{ resource, field, link: field.link }] : []
    )
  );
}

/** Returns the condition for rows that refer to one of `ids` (a subquery). */
export function refersTo({ column, type }: Referrer, ids: SQL): SQL {
  const typed = type === undefined ? sql`` : sql`${sql.identifier(type.column)} = ${type.value} AND `;
  return sql`${typed}${sql.identifier(column)} IN ${ids}`;
}
