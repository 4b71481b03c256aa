/** Derives the field map of a resource, which filters, orderings and constraints use. */

import { getTableName, type SQL } from "drizzle-orm";
import { compileCondition, type Condition, type FieldMap, type FilterField } from "../../filters/mod.ts";
import type { Resource } from "./definition.ts";

const maps = new WeakMap<Resource, FieldMap>();

/** Returns the field map of a resource; built once. */
export function fieldMap(resource: Resource): FieldMap {
  const known = maps.get(resource);
  if (known !== undefined) return known;
  const fields: Record<string, FilterField> = {};
  for (const field of Object.values(resource.fields)) Object.assign(fields, field.filters);
  const map: FieldMap = {
    objectType: resource.objectType,
    table: getTableName(resource.table),
    fields: { ...fields, ...resource.filters },
    ...(resource.within === undefined ? {} : { within: resource.within }),
    search: resource.search ?? ((text, alias): SQL => searchFields(resource, map, text, alias)),
  };
  maps.set(resource, map);
  return map;
}

function searchFields(resource: Resource, map: FieldMap, text: string, alias: string): SQL {
  // Text comparisons do not depend on time or user.
  const context = { alias, now: 0, userId: null, thresholds: { criticalDays: 0, warningDays: 0 } };
  return compileCondition(searchCondition(resource, text), map, context);
}

/** Returns the default condition of `q`: one of the search fields contains the text, case ignored. */
export function searchCondition({ searchFields }: Resource, text: string): Condition {
  const terms = searchFields.map((name) => ({
    kind: "compare" as const,
    path: [name],
    operator: "icontains" as const,
    values: [text],
    negated: false,
  }));
  return { kind: "or", terms };
}
