/** Arguments of lists: the filters of REST, pagination, ordering. */

import {
  GraphQLBoolean,
  type GraphQLFieldConfigArgumentMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from "graphql";
import { type FilterName, filterNames, type FilterType } from "../../filters/mod.ts";
import { CUSTOM_COLUMN } from "../../resource/mod.ts";
import { SCHEMA_RESOURCES, type SchemaResource } from "./names.ts";
import { JSON_SCALAR } from "./values.ts";

/** Suffix of filters on a related object: `tenant__where: {name__ic: "acme"}`. */
export const ACROSS = "__where";

const LIMIT =
  "Maximum number of rows; 0: the largest page size. Without it, a list at the root has the largest page size if the " +
  "cost of the query allows it, other lists the default one.";

const PAGINATION = new GraphQLInputObjectType({
  name: "Pagination",
  description: "Page of a list.",
  fields: {
    limit: { type: GraphQLInt, description: LIMIT },
    offset: { type: GraphQLInt, description: "Number of rows to skip." },
    start: {
      type: GraphQLInt,
      description: "Only rows with this id or a larger one, in id order; not with `offset` or `ordering`.",
    },
  },
});

const ORDERING = new GraphQLList(new GraphQLNonNull(GraphQLString));

const NOTE =
  "Different filters are combined with AND, several values of one with OR; null matches null. Suffixes as in REST: " +
  "`n` not, `ic` contains, `isw` starts with, `iew` ends with, `ie` equals (these ignore case; a leading `n` negates " +
  "them), `lt` `lte` `gt` `gte`, `empty`, `regex`, `iregex`; Django's longer names mean the same. `OR` adds " +
  "alternatives to the filters next to it.";

const types = new Map<string, GraphQLInputObjectType>(
  SCHEMA_RESOURCES.map((entry) => [entry.filter, inputType(entry)]),
);

/** Returns the filter type of a resource. */
function filterType({ filter }: SchemaResource): GraphQLInputObjectType {
  return types.get(filter) as GraphQLInputObjectType;
}

export function listArguments(entry: SchemaResource): GraphQLFieldConfigArgumentMap {
  return {
    filters: { type: filterType(entry) },
    pagination: { type: PAGINATION },
    ordering: {
      type: ORDERING,
      description: "Names of fields; a leading minus sorts descending: `-valid_to`.",
    },
  };
}

/** Returns the argument of a count. */
export function totalArguments(entry: SchemaResource): GraphQLFieldConfigArgumentMap {
  return { filters: { type: filterType(entry) } };
}

function inputType(entry: SchemaResource): GraphQLInputObjectType {
  return new GraphQLInputObjectType({
    name: entry.filter,
    description: NOTE,
    fields: () => {
      const own = new GraphQLList(new GraphQLNonNull(filterType(entry)));
      return {
        ...namedFilters(entry),
        ...acrossFilters(entry),
        ...(CUSTOM_COLUMN in entry.resource.fields ? { custom_fields: CUSTOM_FILTERS } : {}),
        AND: { type: own },
        OR: { type: own },
        NOT: { type: own },
      };
    },
  });
}

/**
 * Returns REST's names for filters: those of the resource's own fields in every spelling, and those of
 * related objects in the short spelling.
 */
export function namesOfFilters({ resource: { map }, relatedNames }: SchemaResource): FilterName[] {
  const related = relatedNames ? [...filterNames(map, { depth: 1 })] : [];
  const names = [...filterNames(map, { long: true }), ...related];
  return [...new Map(names.map((one) => [one.name, one])).values()];
}

function namedFilters(
  entry: SchemaResource,
): Record<string, { type: GraphQLInputType; description?: string }> {
  const fields: Record<string, { type: GraphQLInputType; description?: string }> = {};
  for (const { name, type, choices } of namesOfFilters(entry)) {
    fields[name] = {
      type: VALUES[type],
      ...(choices === undefined || name.includes("__")
        ? {}
        : { description: `One of ${choices.map((one) => `\`${one}\``).join(", ")}.` }),
    };
  }
  return fields;
}

const CUSTOM_FILTERS: { type: GraphQLInputType; description: string } = {
  type: JSON_SCALAR,
  description: 'Filters of custom fields by name, with suffixes as in REST: `{room: "B12", shelf__gte: 4}`.',
};

/** Lists everywhere, because GraphQL coerces a single value to a list of one. */
const VALUES: Readonly<Record<FilterType, GraphQLInputType>> = {
  string: new GraphQLList(GraphQLString),
  choice: new GraphQLList(GraphQLString),
  datetime: new GraphQLList(GraphQLString),
  hex: new GraphQLList(GraphQLString),
  regex: new GraphQLList(GraphQLString),
  integer: new GraphQLList(GraphQLInt),
  boolean: new GraphQLList(GraphQLBoolean),
};

function acrossFilters(
  { resource }: SchemaResource,
): Record<string, { type: GraphQLInputType; description: string }> {
  const fields: Record<string, { type: GraphQLInputType; description: string }> = {};
  for (const [name, field] of Object.entries(resource.map.fields)) {
    if (field.kind !== "reference" && field.kind !== "many") continue;
    const { objectType } = field.target();
    const target = SCHEMA_RESOURCES.find((entry) => entry.resource.objectType === objectType);
    if (target === undefined) continue;
    fields[`${name}${ACROSS}`] = {
      type: filterType(target),
      description: `Filters of the related ${target.resource.label}.`,
    };
  }
  return fields;
}
