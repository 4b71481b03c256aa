/** The OpenAPI 3.1 document, made from the same table that answers the requests. */

import type { z } from "zod";
import { resources } from "../../domain/registry.ts";
import { VERSION } from "../../domain/system/status/mod.ts";
import type { Answer, Operation, Parameter } from "../operation.ts";
import { COMMON_SCHEMAS, resourceSchemas, toJsonSchema } from "./schemas.ts";

type Node = Record<string, unknown>;

const JSON_TYPE = "application/json";

/** The document for a service that is reached at `origin`. */
export function apiDocument(operations: readonly Operation[], origin: string): Node {
  const paths: Record<string, Node> = {};
  for (const operation of operations) {
    const path = paths[operation.path] ??= {};
    path[operation.method.toLowerCase()] = describe(operation);
  }
  const schemas = { ...COMMON_SCHEMAS, ...Object.assign({}, ...resources.map(resourceSchemas)) };
  return {
    openapi: "3.1.0",
    info: {
      title: "certmgr",
      version: VERSION,
      description:
        "Certificate inventory service. Requests carry `Authorization: Token <key>`; what the caller may not view is " +
        "not there for him. Bodies are JSON in UTF-8. What is wrong with a request is told by field, all of it at " +
        "once, and nothing is stored then. Private keys are refused wherever they are sent to.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: origin }],
    security: [{ token: [] }],
    tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: "apiKey",
          in: "header",
          name: "Authorization",
          description: "`Token <key>`; `Bearer <key>` means the same.",
        },
      },
      schemas: referredTo(paths, schemas),
    },
  };
}

/** The schemas that are referred to from a node, directly or by way of each other. */
function referredTo(from: Node, schemas: Readonly<Record<string, Node>>): Record<string, Node> {
  const found: Record<string, Node> = {};
  const open: Node[] = [from];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const [, name = ""] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const schema = schemas[name];
      if (schema === undefined) throw new Error(`No schema "${name}" for the API document`);
      if (!(name in found)) open.push(found[name] = schema);
    }
  }
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => name in found));
}

function describe(operation: Operation): Node {
  const hasId = operation.path.includes("{id}");
  const parameters = [
    ...(hasId ? [{ name: "id", in: "path", required: true, schema: { type: "integer", minimum: 0 } }] : []),
    ...(operation.parameters ?? []).map(describeParameter),
  ];
  return {
    operationId: operation.operationId,
    summary: operation.summary,
    description: operation.description,
    tags: [operation.tag],
    ...(operation.anonymous ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.request === undefined ? {} : {
      requestBody: {
        required: !mayBeAbsent(operation.request),
        content: { [operation.requestType ?? "application/json"]: { schema: schemaNode(operation.request) } },
      },
    }),
    responses: { ...answers(operation), ...errors(operation, hasId) },
  };
}

function describeParameter(parameter: Parameter): Node {
  return {
    name: parameter.name,
    in: "query",
    description: parameter.description,
    ...(parameter.required ? { required: true } : {}),
    schema: parameter.repeatable ? { type: "array", items: parameter.schema } : parameter.schema,
    ...(parameter.repeatable ? { style: "form", explode: true } : {}),
  };
}

function schemaNode(schema: z.ZodType | { readonly $ref: string }): Node {
  return "$ref" in schema ? { $ref: schema.$ref } : toJsonSchema(schema);
}

function mayBeAbsent(schema: z.ZodType | { readonly $ref: string }): boolean {
  return !("$ref" in schema) && schema.safeParse(undefined).success;
}

function answers(operation: Operation): Record<string, Node> {
  return Object.fromEntries(
    Object.entries(operation.answers).map(([status, answer]) => [status, {
      description: answer.description,
      ...contentOf(answer),
    }]),
  );
}

function contentOf(answer: Answer): Node {
  if (answer.schema === undefined && answer.mediaTypes === undefined) return {};
  const schema = answer.schema === undefined ? {} : { schema: schemaNode(answer.schema) };
  return {
    // A schema says how JSON looks; of the same answer in another form it says nothing.
    content: Object.fromEntries(
      (answer.mediaTypes ?? [JSON_TYPE]).map((type) => [type, type === JSON_TYPE ? schema : {}]),
    ),
  };
}

function failure(description: string, schema: string): Node {
  return {
    description,
    content: { "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } },
  };
}

function conflictOf({ method }: Operation): string {
  return method === "DELETE" ? "Other objects need it." : "What is stored does not allow the change.";
}

/** Whether an operation answers a page that may contain long texts. */
function listsLongTexts({ method, parameters }: Operation): boolean {
  const names = (parameters ?? []).map(({ name }) => name);
  return method === "GET" && names.includes("include_pem") && names.includes("limit");
}

/** Refusals that follow from what an operation is. */
function errors(operation: Operation, hasId: boolean): Record<string, Node> {
  const writes = operation.method !== "GET";
  return {
    ...(operation.request !== undefined || operation.parameters !== undefined
      ? { 400: failure("The request is invalid.", "Invalid") }
      : {}),
    ...(operation.anonymous && !operation.operationId.startsWith("provision")
      ? {}
      : { 401: failure("No or bad credentials.", "Detail") }),
    ...(operation.anonymous ? {} : { 403: failure("Not permitted.", "Detail") }),
    ...(hasId ? { 404: failure("Absent, or hidden from the caller.", "Detail") } : {}),
    ...(operation.request === undefined ? {} : { 408: failure("The body arrived too slowly.", "Detail") }),
    ...(writes ? { 409: failure(conflictOf(operation), "Detail") } : {}),
    ...(hasId && writes && operation.method !== "POST"
      ? { 412: failure("Another version is stored.", "Detail") }
      : {}),
    ...(operation.request === undefined ? {} : {
      413: failure("The body is too large, or the long texts of the objects are.", "Detail"),
      415: failure("The body is of another type.", "Detail"),
    }),
    ...(listsLongTexts(operation)
      ? { 413: failure("The long texts of the page are too large.", "Detail") }
      : {}),
    429: failure("Too many requests.", "Detail"),
  };
}
