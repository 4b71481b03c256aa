/** Defines resources, and keeps a registry of them. */

import { finding } from "../../base/findings.ts";
import { fieldMapOf } from "./field_map.ts";
import { id, timestamps } from "./fields/scalar.ts";
import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { RowOf } from "../../db/mod.ts";
import type { Method, Resource, UniqueRule } from "./definition.ts";
import type { Field, Link, OnDelete } from "./field.ts";
import type { ObjectOf, Out } from "./objects.ts";

const ALL: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const ITEM: readonly Method[] = ["GET", "PUT", "PATCH", "DELETE"];

/** Required and optional properties of a definition. `unique`: rules, or columns that are unique by themselves. */
export type ResourceOptions<Of extends Field = Field, Table extends SQLiteTable = SQLiteTable> =
  & Pick<Resource, "objectType" | "path" | "label">
  & { table: Table; fields: readonly Of[] }
  & { unique?: readonly (UniqueRule | string)[] }
  & Partial<Omit<Resource<Out, RowOf<Table>>, "fields" | "table" | "object" | "unique">>;

/** The fields of a definition, and the times of a table that has them. */
export type WithTimes<Of extends Field, Table> =
  | Of
  | (Table extends { readonly last_updated: unknown } ? ReturnType<typeof timestamps>[number] : never);

/** Defines a resource with an id, and times if its table has them. By default it has all methods, and is displayed and ordered by its name (by id without one). */
export function defineResource<Of extends Field, Table extends SQLiteTable>(
  options: ResourceOptions<Of, Table>,
): Resource<ObjectOf<WithTimes<Of, Table>>, RowOf<Table>> {
  const times = "last_updated" in options.table ? timestamps() : [];
  const fields: readonly Field[] = [id(), ...options.fields, ...times];
  const isNamed = options.fields.some((field) => field.name === "name");
  const definition: Omit<Resource<ObjectOf<WithTimes<Of, Table>>, RowOf<Table>>, "map" | "object"> = {
    labelPlural: `${options.label}s`,
    brief: ["name"],
    displayNeeds: options.display === undefined ? ["name"] : [],
    display: (row) => String(row.name),
    search: { fields: isNamed ? ["name"] : [] },
    filters: {},
    methods: { collection: ALL, item: ITEM },
    order: [{ field: isNamed ? "name" : "id", descending: false }],
    untracked: false,
    actions: [],
    ...options,
    unique: (options.unique ?? []).map((rule) =>
      typeof rule !== "string" ? rule : {
        columns: [rule],
        field: rule,
        finding: finding("not_unique", { object: options.label, fields: rule }),
      }
    ),
    fields: Object.fromEntries(fields.map((field) => [field.name, field])),
  };
  const resource: Resource<ObjectOf<WithTimes<Of, Table>>, RowOf<Table>> = {
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
      const { foreignKey, target: own, targets } = field.refers ?? {};
      if (foreignKey === undefined) return [];
      const { column, typeColumn, onDelete } = foreignKey;
      if (own?.() === target) return [{ resource, field, column, onDelete }];
      if (typeColumn === undefined || !targets?.includes(target)) return [];
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
    Object.values(resource.fields).flatMap((field): Linker[] => {
      const { link, target: own } = field.refers ?? {};
      return link !== undefined && own?.() === target ? [{ resource, field, link }] : [];
    })
  );
}

/** Returns the condition for rows that refer to one of `ids` (a subquery). */
export function refersTo({ column, type }: Referrer, ids: SQL): SQL {
  const typed = type === undefined ? sql`` : sql`${sql.identifier(type.column)} = ${type.value} AND `;
  return sql`${typed}${sql.identifier(column)} IN ${ids}`;
}
