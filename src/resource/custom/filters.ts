/** Filters and orderings by custom fields: `cf_<name>`, with the suffixes of the field's type. */

import { getTableName, sql } from "drizzle-orm";
import type { FilterField } from "../../filters/mod.ts";
import type { Resource } from "../model/definition.ts";
import type { CustomField } from "./definitions.ts";

/** Prefix of filters, columns of exports and imports, and inputs of forms. */
export const CUSTOM_PREFIX = "cf_";
/** The column with the values. */
export const CUSTOM_COLUMN = "custom_fields";

/**
 * Returns the filter of a field; undefined if it has none. `related` returns the field map of the
 * objects to which it refers.
 */
export function customFilter(
  field: CustomField,
  resource: Pick<Resource, "table">,
  related: Extract<FilterField, { kind: "reference" }>["target"] | undefined,
): FilterField | undefined {
  if (field.filterLogic === "disabled") return undefined;
  const column = { column: CUSTOM_COLUMN, member: field.name, nullable: true, sortable: true };
  const defaultOperator = field.filterLogic === "loose" ? { defaultOperator: "icontains" as const } : {};
  switch (field.type) {
    case "text":
    case "longtext":
    case "url":
      return { ...column, kind: "text", ...defaultOperator };
    case "integer":
      return { ...column, kind: "integer" };
    case "decimal":
      return { ...column, kind: "integer", decimal: true };
    case "boolean":
      return { ...column, kind: "boolean" };
    case "date":
    case "datetime":
      return { ...column, kind: "datetime", iso: field.type };
    case "select":
      return { ...column, kind: "choice", choices: (field.choices ?? []).map(([value]) => value) };
    case "multiselect":
      return elements(resource, field);
    case "object":
      // Without keys, because the name alone compares the id, as in NetBox.
      return related === undefined ? undefined : { ...column, kind: "reference", target: related, keys: [] };
    case "json":
      return undefined;
  }
}

/** Returns a filter that compares the elements of a list. */
function elements(resource: Pick<Resource, "table">, { name }: CustomField): FilterField {
  const table = sql.identifier(getTableName(resource.table));
  const path = sql.raw(`'$.${name}'`);
  return {
    kind: "values",
    defaultOperator: "exact",
    ids: (condition) =>
      sql`SELECT ${table}.id FROM ${table}, json_each(${table}.${
        sql.identifier(CUSTOM_COLUMN)
      }, ${path}) AS element WHERE ${condition(sql`element.value`)}`,
  };
}
