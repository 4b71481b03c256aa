/** Converts the schema of a field to a GraphQL type. */

import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableOutputType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLString,
} from "graphql";
import { z } from "zod";
import type { Field } from "../../resource/mod.ts";
import { isDictionary } from "../../filters/mod.ts";

/** JSON values without a fixed structure, such as the parameters of a policy. */
export const JSON_SCALAR: GraphQLScalarType = new GraphQLScalarType({
  name: "JSON",
  description: "Any JSON value.",
});

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
}

/** Returns the type of a value. Datetimes are ISO 8601 texts and choices are plain texts, as in REST. */
export function outputType({ output, shown: { labels } = {} }: Field): GraphQLOutputType {
  if (labels !== undefined) {
    return output.safeParse(null).success ? GraphQLString : new GraphQLNonNull(GraphQLString);
  }
  const schema = z.toJSONSchema(output, { io: "output", unrepresentable: "any" }) as JsonSchema;
  return typeOf(schema);
}

function typeOf(schema: JsonSchema): GraphQLOutputType {
  const all = (schema.anyOf ?? [schema]).flatMap(({ type, items }) =>
    [type].flat().map((one) => ({ type: one, items }))
  );
  const alternatives = all.filter(({ type }) => type !== "null");
  const nullable = alternatives.length < all.length;
  const [only] = alternatives;
  const type = alternatives.length === 1 && only !== undefined ? plainType(only) : JSON_SCALAR;
  return nullable || type === JSON_SCALAR ? type : new GraphQLNonNull(type);
}

function plainType(
  schema: { readonly type: string | undefined; readonly items: JsonSchema | undefined },
): GraphQLNullableOutputType {
  switch (schema.type) {
    case "string":
      return GraphQLString;
    case "integer":
      return GraphQLInt;
    case "number":
      return GraphQLFloat;
    case "boolean":
      return GraphQLBoolean;
    case "array":
      return new GraphQLList(typeOf(schema.items ?? {}));
    default:
      return JSON_SCALAR;
  }
}

/** Returns the value of a field as the schema defines it: for a labelled choice, its plain value. */
export function outputValue(field: Field | undefined, value: unknown): unknown {
  return field?.shown?.labels !== undefined && isDictionary(value) ? value.value : value;
}
