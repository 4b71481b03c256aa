/** Makes a resource out of what is particular to it; all else is the usual. */

import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Row } from "../db/mod.ts";
import type { Field, Method, Resource } from "./definition.ts";

const ALL: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const ITEM: readonly Method[] = ["GET", "PUT", "PATCH", "DELETE"];

/** What a definition must say, and what it may. */
export type ResourceOptions =
  & Pick<Resource, "objectType" | "path" | "label">
  & { table: SQLiteTable; fields: readonly Field[] }
  & Partial<Omit<Resource, "fields" | "table">>;

/** A resource with the usual methods, its name as display and its id as order, unless told. */
export function defineResource(options: ResourceOptions): Resource {
  return {
    labelPlural: `${options.label}s`,
    brief: ["name"],
    displayNeeds: options.display === undefined ? ["name"] : [],
    display: (row: Row) => String(row.name),
    filters: {},
    methods: { collection: ALL, item: ITEM },
    order: [{ field: "id", descending: false }],
    unique: [],
    dependents: [],
    cascades: [],
    events: false,
    actions: [],
    ...options,
    fields: Object.fromEntries(options.fields.map((field) => [field.name, field])),
  };
}
