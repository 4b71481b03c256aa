/** Builds the schema from the resource definitions. */

import {
  type GraphQLFieldConfig,
  GraphQLID,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  lexicographicSortSchema,
  printSchema,
} from "graphql";
import type { Node } from "../../resource/mod.ts";
import { listArguments, totalArguments } from "./filters.ts";
import { allMembers, type SchemaField } from "./members.ts";
import { pascal, SCHEMA_RESOURCES, type SchemaResource, schemaResourceOf } from "./names.ts";
import { outputType, outputValue } from "./values.ts";

/** Returns the schema in the GraphQL schema definition language, sorted by name. */
export function schemaText(): string {
  return `${printSchema(lexicographicSortSchema(buildModel().schema))}\n`;
}

/** What a root field requests. */
export interface RootMeaning {
  readonly kind: "list" | "total" | "one";
  readonly entry: SchemaResource;
}

/** The root value of resolvers: returns the result of a root field by its key in the response. */
export interface Answers {
  readonly answer: (key: string) => Promise<unknown>;
}

/** The schema, and what its fields mean. */
export interface Model {
  readonly schema: GraphQLSchema;
  readonly roots: ReadonlyMap<string, RootMeaning>;
  /** By type and name. */
  readonly members: ReadonlyMap<string, ReadonlyMap<string, SchemaField>>;
}

type NodeField = GraphQLFieldConfig<Node, Answers>;
type RootField = GraphQLFieldConfig<unknown, Answers>;

/** Builds the schema. */
export function buildModel(): Model {
  const members = allMembers();
  const types = new Map<string, GraphQLObjectType<Node, Answers>>();
  const typeOf = (entry: SchemaResource): GraphQLObjectType<Node, Answers> =>
    types.get(entry.type) as GraphQLObjectType<Node, Answers>;
  for (const { type, resource } of SCHEMA_RESOURCES) {
    const made = new GraphQLObjectType<Node, Answers>({
      name: type,
      description: `A ${resource.label}.`,
      fields: () =>
        Object.fromEntries(
          [...members.get(type)?.values() ?? []].map((
            member,
          ) => [member.name, nodeField(member, { type, typeOf })]),
        ),
    });
    types.set(type, made);
  }
  const roots = new Map<string, RootMeaning>();
  const fields: Record<string, RootField> = {};
  for (const entry of SCHEMA_RESOURCES) {
    for (const [name, meaning, field] of rootFields(entry, typeOf(entry))) {
      roots.set(name, meaning);
      fields[name] = field;
    }
  }
  const query = new GraphQLObjectType<unknown, Answers>({ name: "Query", fields });
  return { schema: new GraphQLSchema({ query }), roots, members };
}

function nodeField(
  member: SchemaField,
  { type, typeOf }: { type: string; typeOf: (entry: SchemaResource) => GraphQLObjectType<Node, Answers> },
): NodeField {
  const { name, description } = member;
  const related: NonNullable<NodeField["resolve"]> = ({ related }, _, __, { path }) => related[path.key];
  switch (member.kind) {
    case "value": {
      const output: GraphQLOutputType = member.field === undefined
        ? new GraphQLNonNull(GraphQLString)
        : outputType(member.field);
      return { type: output, description, resolve: ({ object }) => outputValue(member.field, object[name]) };
    }
    case "ref": {
      const targets = member.targets.map(typeOf);
      const target = member.union
        ? unionOf(`${type.replace(/Type$/, "")}${pascal(name)}`, targets)
        : targets[0];
      return { type: target as GraphQLOutputType, description, resolve: related };
    }
    case "list":
      return {
        type: listOf(typeOf(member.target)),
        description,
        args: listArguments(member.target),
        resolve: related,
      };
    case "total":
      return {
        type: new GraphQLNonNull(GraphQLInt),
        description,
        args: totalArguments(member.target),
        resolve: related,
      };
  }
}

function unionOf(name: string, types: readonly GraphQLObjectType[]): GraphQLUnionType {
  return new GraphQLUnionType({
    name,
    types,
    resolveType: ({ resource }: Node) => schemaResourceOf(resource)?.type,
  });
}

function listOf(type: GraphQLObjectType): GraphQLOutputType {
  return new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));
}

function rootFields(
  entry: SchemaResource,
  type: GraphQLObjectType<Node, Answers>,
): (readonly [string, RootMeaning, RootField])[] {
  const { name, resource } = entry;
  const resolve: RootField["resolve"] = (_, __, { answer }, { path }) => answer(path.key as string);
  return [
    [`${name}_list`, { kind: "list", entry }, {
      type: listOf(type),
      description: `The ${resource.labelPlural} that the caller may view.`,
      args: listArguments(entry),
      resolve,
    }],
    [`${name}_list_total`, { kind: "total", entry }, {
      type: new GraphQLNonNull(GraphQLInt),
      description: `Total number of rows of \`${name}_list\` with these filters.`,
      args: totalArguments(entry),
      resolve,
    }],
    [name, { kind: "one", entry }, {
      type,
      description: `One ${resource.label}; null if it does not exist or the caller may not view it.`,
      args: { id: { type: new GraphQLNonNull(GraphQLID) } },
      resolve,
    }],
  ];
}
