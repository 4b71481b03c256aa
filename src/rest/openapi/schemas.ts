/** The shared schemas of the API document: three forms of every resource, and the errors. */

import { z } from "zod";
import { MAX_BULK_OBJECTS } from "../../base/limits.ts";
import { asDocumented, type Field, type Resource, schemaName } from "../../resource/mod.ts";

type JsonSchema = Record<string, unknown>;

const ID: JsonSchema = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** A zod schema as JSON Schema, without the dialect's name. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: asDocumented,
  }) as JsonSchema;
  return rest;
}

function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

function properties(fields: readonly Field[], form: (field: Field) => z.ZodType | undefined): JsonSchema {
  return Object.fromEntries(fields.flatMap((field) => {
    const schema = form(field);
    if (schema === undefined) return [];
    const readOnly = field.readOnly ? { readOnly: true } : field.writeOnly ? { writeOnly: true } : {};
    return [[field.name, { description: field.description, ...toJsonSchema(schema), ...readOnly }]];
  }));
}

/** What is read, what is written on create, what is written on change; and the lists of them. */
export function resourceSchemas(resource: Resource): Record<string, JsonSchema> {
  const name = schemaName(resource);
  const fields = Object.values(resource.fields);
  const readable = fields.filter((field) => !field.writeOnly);
  const input = properties(fields, (field) => field.input);
  const required = fields.filter((field) => field.required).map((field) => field.name);
  const common = {
    url: { type: "string", format: "uri", readOnly: true, description: "The object's own address." },
    display: { type: "string", readOnly: true, description: "The object's name for people." },
  };
  const page = {
    type: "object",
    required: ["count", "next", "previous", "results"],
    properties: {
      count: { type: ["integer", "null"], description: "All that match; null in cursor paging." },
      next: { type: ["string", "null"], format: "uri" },
      previous: { type: ["string", "null"], format: "uri" },
      results: { type: "array", items: ref(name) },
    },
  };
  const closed = resource.refusesUnknown ? { additionalProperties: false } : {};
  const create = {
    type: "object",
    properties: input,
    ...(required.length > 0 ? { required } : {}),
    ...closed,
  };
  const change = { type: "object", properties: input, ...closed };
  const changeItem = {
    type: "object",
    required: ["id"],
    properties: { id: ID, ...(input as Record<string, unknown>) },
    ...closed,
  };
  return {
    [name]: { type: "object", properties: { ...properties(readable, (field) => field.output), ...common } },
    [`${name}Page`]: page,
    [`${name}OrList`]: { oneOf: [ref(name), { type: "array", items: ref(name) }] },
    [`${name}Create`]: create,
    [`${name}CreateOrList`]: {
      oneOf: [
        ref(`${name}Create`),
        { type: "array", minItems: 1, maxItems: MAX_BULK_OBJECTS, items: ref(`${name}Create`) },
      ],
    },
    [`${name}Change`]: change,
    [`${name}ChangeList`]: { type: "array", minItems: 1, maxItems: MAX_BULK_OBJECTS, items: changeItem },
    [`${name}ReplaceList`]: {
      type: "array",
      minItems: 1,
      maxItems: MAX_BULK_OBJECTS,
      items: { ...changeItem, required: ["id", ...required] },
    },
  };
}

/** Schemas that belong to no resource. */
export const COMMON_SCHEMAS: Record<string, JsonSchema> = {
  Detail: {
    type: "object",
    required: ["detail"],
    properties: { detail: { type: "string" } },
    additionalProperties: true,
  },
  FieldErrors: {
    type: "object",
    description: "Messages by field; `__all__` holds those about several fields.",
    additionalProperties: { type: "array", items: { type: "string" } },
  },
  Invalid: {
    oneOf: [ref("Detail"), ref("FieldErrors"), { type: "array", items: ref("FieldErrors") }],
  },
  IdList: {
    type: "array",
    minItems: 1,
    maxItems: MAX_BULK_OBJECTS,
    items: { type: "object", required: ["id"], properties: { id: ID } },
  },
};
