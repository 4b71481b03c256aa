/** Generates the OpenAPI 3.1 document from the table of operations, and renders it once for all origins. */

import type { z } from "zod";
import { sha256Hex } from "../../base/bytes.ts";
import { VERSION } from "../../base/version.ts";
import { resources } from "../../domain/registry.ts";
import { yamlDocument } from "../../formats/mod.ts";
import { toJsonSchema } from "../../resource/mod.ts";
import type { Operation, Parameter, ResponseDoc } from "../operation.ts";
import type { DocumentForm } from "./mod.ts";
import { COMMON_SCHEMAS, resourceSchemas } from "./schemas.ts";

type Node = Record<string, unknown>;

const JSON_TYPE = "application/json";

/** Returns the document for a service at `origin`. */
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
        "Certificate inventory service. Requests carry `Authorization: Token <key>`. Objects that the caller may not view " +
        "behave as if they did not exist. Bodies are JSON in UTF-8. An invalid request gets all its errors by field, and " +
        "nothing is stored. Private keys are refused everywhere.",
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

/** Returns the schemas to which a node refers, directly or indirectly. */
function referredTo(from: Node, schemas: Readonly<Record<string, Node>>): Record<string, Node> {
  const found: Record<string, Node> = {};
  const open: Node[] = [from];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const [, name = ""] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const schema = schemas[name];
      if (schema === undefined) throw new Error(`The API document refers to the missing schema "${name}"`);
      if (!(name in found)) open.push(found[name] = schema);
    }
  }
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => name in found));
}

function describe(operation: Operation): Node {
  const hasId = operation.path.includes("{id}");
  const parameters = [
    ...(hasId ? [{ name: "id", in: "path", required: true, schema: { type: "integer", minimum: 0 } }] : []),
    ...(operation.parameters?.() ?? []).map(describeParameter),
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
    responses: { ...responsesOf(operation), ...errors(operation, hasId) },
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

function responsesOf(operation: Operation): Record<string, Node> {
  return Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => [status, {
      description: response.description,
      ...contentOf(response),
    }]),
  );
}

function contentOf(response: ResponseDoc): Node {
  if (response.schema === undefined && response.mediaTypes === undefined) return {};
  const schema = response.schema === undefined ? {} : { schema: schemaNode(response.schema) };
  return {
    // The schema describes only the JSON form.
    content: Object.fromEntries(
      (response.mediaTypes ?? [JSON_TYPE]).map((type) => [type, type === JSON_TYPE ? schema : {}]),
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
  return method === "DELETE" ? "Other objects require it." : "The stored data does not allow the change.";
}

/** Returns whether an operation returns pages that can contain long texts. */
function listsLongTexts({ method, parameters }: Operation): boolean {
  const names = (parameters?.() ?? []).map(({ name }) => name);
  return method === "GET" && names.includes("include_pem") && names.includes("limit");
}

/** Returns the error responses of an operation. */
function errors(operation: Operation, hasId: boolean): Record<string, Node> {
  const writes = operation.method !== "GET";
  return {
    ...(operation.request !== undefined || operation.parameters !== undefined
      ? { 400: failure("The request is invalid.", "Invalid") }
      : {}),
    ...(operation.anonymous && !operation.operationId.startsWith("provision")
      ? {}
      : { 401: failure("Missing or invalid credentials.", "Detail") }),
    ...(operation.anonymous ? {} : { 403: failure("Not permitted.", "Detail") }),
    ...(hasId ? { 404: failure("Not found, or hidden from the caller.", "Detail") } : {}),
    ...(operation.request === undefined ? {} : { 408: failure("The body arrived too slowly.", "Detail") }),
    ...(writes ? { 409: failure(conflictOf(operation), "Detail") } : {}),
    ...(hasId && writes && operation.method !== "POST"
      ? { 412: failure("The object has changed.", "Detail") }
      : {}),
    ...(operation.request === undefined ? {} : {
      413: failure("The body or the long texts of the objects are too large.", "Detail"),
      415: failure("Unsupported media type.", "Detail"),
    }),
    ...(listsLongTexts(operation)
      ? { 413: failure("The long texts of the page are too large.", "Detail") }
      : {}),
    429: failure("Too many requests.", "Detail"),
  };
}

/** Placeholder for the origin in the cached text. */
const PLACEHOLDER = "https://origin.invalid";

/** The bytes before and after the origin. */
interface Rendered {
  readonly before: Uint8Array<ArrayBuffer>;
  readonly after: Uint8Array<ArrayBuffer>;
  readonly hash: string;
}

/** Bytes per chunk, so that a slow client keeps no more than this in memory. */
const CHUNK_BYTES = 64 * 1024;

/** A document with its entity tag. */
export interface SentDocument {
  /** Returns a new stream. All requests share the bytes of one text of about a megabyte. */
  readonly stream: () => ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly length: number;
  readonly etag: string;
}

/** Returns the document for an origin. */
export type DocumentWriter = (form: DocumentForm, origin: string) => SentDocument;

export function documentWriter(table: () => readonly Operation[]): DocumentWriter {
  const kept: Partial<Record<DocumentForm, Rendered>> = {};
  return (form, origin) => {
    const { before, after, hash } = (kept[form] ??= render(form, table()));
    // Every JSON string is also a YAML string.
    const name = new TextEncoder().encode(JSON.stringify(origin));
    const parts = [before, name, after];
    return {
      stream: () => streamOf(parts),
      length: parts.reduce((sum, part) => sum + part.length, 0),
      etag: `W/"${sha256Hex(`${hash} ${origin}`).slice(0, 32)}"`,
    };
  };
}

/** Streams views of shared bytes without copying them. */
function streamOf(parts: readonly Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = parts.flatMap((part) =>
    Array.from(
      { length: Math.ceil(part.length / CHUNK_BYTES) },
      (_, index) => part.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
    )
  ).values();
  return new ReadableStream({
    pull(controller): void {
      const { value, done } = chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

function render(form: DocumentForm, operations: readonly Operation[]): Rendered {
  const document = apiDocument(operations, PLACEHOLDER);
  const text = form === "json" ? JSON.stringify(document) : yamlDocument(document);
  const [before = "", after = "", ...rest] = text.split(`"${PLACEHOLDER}"`);
  if (rest.length > 0 || after === "") throw new Error("The API document names its origin more than once");
  const encoder = new TextEncoder();
  return { before: encoder.encode(before), after: encoder.encode(after), hash: sha256Hex(text) };
}
