/** Returns the resource of an object type; undefined if it is unknown. */
type FindResource = (objectType: string) => Resource | undefined;

/** Derives the field map of a resource, which filters, orderings and constraints use. */

import { getTableName, type SQL, sql } from "drizzle-orm";
import {
  columnOf,
  compare,
  compileCondition,
  type Condition,
  type FieldMap,
  type FilterField,
  mapIn,
  preselectedIds,
  type TextSearch,
  textSearch,
  type TrigramIndex,
  trigramQuery,
} from "../../filters/mod.ts";
import { memoize } from "../../base/memoize.ts";
import type { Database } from "../../db/mod.ts";
import { allCustomFields, type CustomField, customFieldsOf } from "../custom/definitions.ts";
import { CUSTOM_PREFIX, customFilter } from "../custom/filters.ts";
import type { Resource } from "./definition.ts";

/** Derives the field map of a resource from its definition. */
export function fieldMapOf(resource: Omit<Resource, "map">, lookUp: FindResource): FieldMap {
  const fields: Record<string, FilterField> = {};
  for (const field of Object.values(resource.fields)) Object.assign(fields, field.filters);
  const map: FieldMap = {
    objectType: resource.objectType,
    table: getTableName(resource.table),
    extended: (database: object) => extend(map, { ...resource, lookUp }, database as Database),
    fields: { ...fields, ...resource.filters },
    ...(resource.within === undefined ? {} : { within: resource.within }),
    search: (text, alias, search): SQL => searchFields(resource.search.fields, map, { text, alias, search }),
    ...(resource.search.also === undefined ? {} : { alsoFound: resource.search.also }),
  };
  return map;
}

/** The properties of a resource that filters on custom fields need. */
type CustomResource = Pick<Resource, "objectType" | "table"> & { readonly lookUp: FindResource };

/** Extended maps by object type. New ones are created when the definitions change. */
const extendedMaps = memoize((_: readonly CustomField[]) => new Map<string, FieldMap>());

/** Returns the field map of a resource with the filters on its custom fields and on those of related objects. */
function extend(map: FieldMap, resource: CustomResource, database: Database): FieldMap {
  const all = allCustomFields(database);
  if (all.length === 0) return map;
  const maps = extendedMaps(all);
  const known = maps.get(resource.objectType);
  if (known !== undefined) return known;
  const fields = { ...map.fields, ...customFilters(resource, customFieldsOf(database, resource.objectType)) };
  const made: FieldMap = { ...map, fields: withExtendedTargets(fields, database) };
  maps.set(resource.objectType, made);
  return made;
}

/** Makes relations lead to extended maps, so that `tenant__cf_<name>` is also a filter. */
function withExtendedTargets(
  fields: Readonly<Record<string, FilterField>>,
  database: Database,
): Record<string, FilterField> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) =>
      field.kind === "reference" || field.kind === "many"
        ? [name, { ...field, target: (): FieldMap => mapIn({ database }, field.target()) }]
        : [name, field]
    ),
  );
}

function customFilters(
  resource: CustomResource,
  fields: readonly CustomField[],
): Record<string, FilterField> {
  return Object.fromEntries(fields.flatMap((field): [string, FilterField][] => {
    const target = resource.lookUp(field.relatedType ?? "");
    const filter = customFilter(field, resource, target && ((): FieldMap => target.map));
    return filter === undefined ? [] : [[`${CUSTOM_PREFIX}${field.name}`, filter]];
  }));
}

function searchFields(
  fields: readonly string[],
  map: FieldMap,
  { text, alias, search }: { text: string; alias: string; search: TextSearch | undefined },
): SQL {
  // Text comparisons do not depend on the time or the user.
  const context = { alias, now: 0, userId: null, thresholds: { criticalDays: 0, warningDays: 0 } };
  const compiled = (search: TextSearch | undefined): SQL =>
    compileCondition(searchCondition(fields, text), map, {
      ...context,
      ...(search === undefined ? {} : { search }),
    });
  if (search?.scan === true) return compiled(search);
  const comparing = textSearch(true);
  const check = compiled(comparing);
  const rowid = columnOf(alias, "id");
  const found = comparing.indexes.length < fields.length
    ? undefined
    : searchedAtOnce({ text, rowid, indexes: comparing.indexes });
  if (found === undefined) return compiled(search);
  if (search !== undefined) {
    search.indexes.push(...comparing.indexes);
    search.differs = true;
  }
  return sql`(${found} AND ${check})`;
}

/**
 * Returns the condition that a trigram index finds a text in any of its columns, which takes a third of the
 * time of three columns one by one; undefined if the fields have different indexes. The index may find more
 * rows.
 */
function searchedAtOnce(
  { text, rowid, indexes }: { text: string; rowid: SQL; indexes: readonly TrigramIndex[] },
): SQL | undefined {
  const [first, ...others] = indexes;
  const query = trigramQuery([text], { ignoreCase: true });
  if (first === undefined || query === undefined) return undefined;
  if (others.some(({ table }) => table !== first.table)) return undefined;
  return sql`${rowid} IN (${preselectedIds(first, query)})`;
}

/** Returns the default condition of `q`: one of the search fields contains the text, ignoring case. */
export function searchCondition(fields: readonly string[], text: string): Condition {
  return { kind: "or", terms: fields.map((name) => compare(name, "icontains", [text])) };
}
