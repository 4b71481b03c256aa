/** From a resource's fields to what may be filtered, sorted and constrained. */

import { getTableName } from "drizzle-orm";
import type { FieldMap, LookupField } from "../lookup/mod.ts";
import type { Resource } from "./definition.ts";

const maps = new WeakMap<Resource, FieldMap>();

/** The field map of a resource; made once. */
export function fieldMap(resource: Resource): FieldMap {
  const known = maps.get(resource);
  if (known !== undefined) return known;
  const fields: Record<string, LookupField> = {};
  for (const field of Object.values(resource.fields)) Object.assign(fields, field.lookups);
  const map: FieldMap = {
    objectType: resource.objectType,
    table: getTableName(resource.table),
    fields: { ...fields, ...resource.filters },
    ...(resource.search === undefined ? {} : { search: resource.search }),
  };
  maps.set(resource, map);
  return map;
}
