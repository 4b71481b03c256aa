/** The arguments of lists: filters as REST has them, pagination, ordering. */

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
import { type FieldMap, filterNames, type FilterType } from "../../filters/mod.ts";
import { fieldMap } from "../../resource/mod.ts";
import { ENTRIES, type Entry } from "./names.ts";

/** Ends the name of a filter that holds the filters of a related object: `tenant__where: {name__ic: "acme"}`. */
export const ACROSS = "__where";

const PAGINATION = new GraphQLInputObjectType({
  name: "Pagination",
  description: "Which part of a list.",
  fields: {
    limit: { type: GraphQLInt, description: "Rows at the most; 0: as many as one page may have." },
    offset: { type: GraphQLInt, description: "Rows to pass over." },
    start: {
      type: GraphQLInt,
      description: "Rows with this id or a larger one, in id order; not with `offset` or `ordering`.",
    },
  },
});

const ORDERING = new GraphQLList(new GraphQLNonNull(GraphQLString));

const NOTE = "Different filters are AND, several values of one are OR, null is null. Suffixes as in REST: " +
  "`n` not, `ic` contains, `isw` starts with, `iew` ends with, `ie` equals (these ignore case; a leading `n` negates " +
  "them), `lt` `lte` `gt` `gte`, `empty`, `regex`, `iregex`; Django's longer names mean the same. `OR` adds " +
  "alternatives to the filters beside it.";

const types = new Map<string, GraphQLInputObjectType>(
  ENTRIES.map((entry) => [entry.filter, inputType(entry)]),
);

/** The filters of a resource. */
export function filterType({ filter }: Entry): GraphQLInputObjectType {
  return types.get(filter) as GraphQLInputObjectType;
}

/** The arguments of a list. */
export function listArguments(entry: Entry): GraphQLFieldConfigArgumentMap {
  return {
    filters: { type: filterType(entry) },
    pagination: { type: PAGINATION },
    ordering: {
      type: ORDERING,
      description: "Names of fields, each with a minus for descending: `-valid_to`.",
    },
  };
}

/** The argument of a count. */
export function totalArguments(entry: Entry): GraphQLFieldConfigArgumentMap {
  return { filters: { type: filterType(entry) } };
}

function inputType(entry: Entry): GraphQLInputObjectType {
  return new GraphQLInputObjectType({
    name: entry.filter,
    description: NOTE,
    fields: () => {
      const own = new GraphQLList(new GraphQLNonNull(filterType(entry)));
      return {
        ...namedFilters(fieldMap(entry.resource)),
        ...acrossFilters(entry),
        AND: { type: own },
        OR: { type: own },
        NOT: { type: own },
      };
    },
  });
}

/** REST's names: of the resource's own fields in every spelling, and of related ones in the short spelling. */
function namedFilters(map: FieldMap): Record<string, { type: GraphQLInputType; description?: string }> {
  const fields: Record<string, { type: GraphQLInputType; description?: string }> = {};
  for (
    const { name, type, choices } of [...filterNames(map, { long: true }), ...filterNames(map, { depth: 1 })]
  ) {
    if (name in fields) continue;
    fields[name] = {
      type: VALUES[type],
      ...(choices === undefined || name.includes("__")
        ? {}
        : { description: `One of ${choices.map((one) => `\`${one}\``).join(", ")}.` }),
    };
  }
  return fields;
}

/** A single value is taken for a list of one. */
const VALUES: Readonly<Record<FilterType, GraphQLInputType>> = {
  string: new GraphQLList(GraphQLString),
  choice: new GraphQLList(GraphQLString),
  datetime: new GraphQLList(GraphQLString),
  hex: new GraphQLList(GraphQLString),
  regex: new GraphQLList(GraphQLString),
  integer: new GraphQLList(GraphQLInt),
  boolean: new GraphQLList(GraphQLBoolean),
};

function acrossFilters({ resource }: Entry): Record<string, { type: GraphQLInputType; description: string }> {
  const fields: Record<string, { type: GraphQLInputType; description: string }> = {};
  for (const [name, field] of Object.entries(fieldMap(resource).fields)) {
    if (field.kind !== "reference" && field.kind !== "many") continue;
    const { objectType } = field.target();
    const target = ENTRIES.find((entry) => entry.resource.objectType === objectType);
    if (target === undefined) continue;
    fields[`${name}${ACROSS}`] = {
      type: filterType(target),
      description: `Filters of the related ${target.resource.label}.`,
    };
  }
  return fields;
}
