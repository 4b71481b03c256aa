/** Shared schemas of the API document: the forms of every resource, and errors. */

import { STATUS } from "../../base/errors.ts";
import { CODES } from "../../messages/mod.ts";
import type { z } from "zod";
import { MAX_BULK_OBJECTS } from "../../base/limits.ts";
import {
  CHANGELOG_MESSAGE,
  type Field,
  messageSchema,
  type Resource,
  schemaName,
  toJsonSchema,
} from "../../resource/mod.ts";

type JsonSchema = Record<string, unknown>;

const ID: JsonSchema = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

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

/** Members that every object has in addition to its fields. */
const IDENTITY = {
  url: { type: "string", format: "uri", readOnly: true, description: "Address of the object." },
  display_url: {
    type: "string",
    format: "uri",
    readOnly: true,
    description: "Address of the object's page.",
  },
  display: { type: "string", readOnly: true, description: "Display name of the object." },
};

function pageSchema(name: string): JsonSchema {
  return {
    type: "object",
    required: ["count", "next", "previous", "results"],
    properties: {
      count: {
        type: ["integer", "null"],
        description: "Number of matching objects; null with cursor paging.",
      },
      next: { type: ["string", "null"], format: "uri" },
      previous: { type: ["string", "null"], format: "uri" },
      results: { type: "array", items: ref(name) },
    },
  };
}

/** Returns the schemas for reading, creating and changing a resource, and for lists of these. */
export function resourceSchemas(resource: Resource): Record<string, JsonSchema> {
  const name = schemaName(resource);
  const fields = Object.values(resource.fields);
  const readable = fields.filter((field) => !field.writeOnly);
  const input = {
    ...properties(fields, (field) => field.input),
    [CHANGELOG_MESSAGE]: {
      ...toJsonSchema(messageSchema),
      description: "Stored with the change in the change log.",
    },
  };
  const required = fields.filter((field) => field.required).map((field) => field.name);
  const closed = resource.written?.knownOnly ? { additionalProperties: false } : {};
  const create = {
    type: "object",
    properties: input,
    ...(required.length > 0 ? { required } : {}),
    ...closed,
  };
  const change = { type: "object", properties: input, ...closed };
  const changeItem = { type: "object", required: ["id"], properties: { id: ID, ...input }, ...closed };
  return {
    [name]: { type: "object", properties: { ...properties(readable, (field) => field.output), ...IDENTITY } },
    [`${name}Page`]: pageSchema(name),
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

/** Schemas of errors and ids. */
export const COMMON_SCHEMAS: Record<string, JsonSchema> = {
  Detail: {
    type: "object",
    required: ["detail"],
    properties: { detail: { type: "string" } },
    additionalProperties: true,
  },
  FieldErrors: {
    type: "object",
    description: "Messages by field; `__all__` has those about several fields.",
    additionalProperties: { type: "array", items: { type: "string" } },
  },
  ErrorCodes: {
    type: "object",
    description: "The form of errors with the query parameter `error_format=codes`.",
    required: ["errors"],
    properties: {
      errors: {
        type: "array",
        items: {
          type: "object",
          required: ["code", "field", "params", "message"],
          properties: {
            code: { type: "string", enum: [...new Set([...Object.keys(STATUS), ...Object.keys(CODES)])] },
            field: { type: ["string", "null"], description: "`__all__` for several fields." },
            path: { type: "array", description: "Where in the value of the field.", items: {} },
            params: { type: "object", additionalProperties: true },
            message: { type: "string" },
            row: { type: "integer", minimum: 1, description: "The position in a list of objects." },
          },
        },
      },
    },
    additionalProperties: false,
  },
  Invalid: {
    oneOf: [
      ref("Detail"),
      ref("FieldErrors"),
      { type: "array", items: ref("FieldErrors") },
      ref("ErrorCodes"),
    ],
  },
  IdList: {
    type: "array",
    minItems: 1,
    maxItems: MAX_BULK_OBJECTS,
    items: {
      type: "object",
      required: ["id"],
      properties: { id: ID, [CHANGELOG_MESSAGE]: toJsonSchema(messageSchema) },
    },
  },
};
