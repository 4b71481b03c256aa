/** Generates the operations of a resource from its definition. */

import { z } from "zod";
import { AppError } from "../base/errors.ts";
import {
  CHANGELOG_MESSAGE,
  createObject,
  createObjects,
  deleteObject,
  deleteObjects,
  getObject,
  listObjects,
  messageSchema,
  type Method,
  parseDetailQuery,
  parseListQuery,
  type Resource,
  schemaName,
  type UpdateMode,
  updateObject,
  updateObjects,
} from "../resource/mod.ts";
import { created, ifMatch, jsonResponse, listResponse, objectResponse } from "./http.ts";
import type { Call, Operation, ResponseDoc } from "./operation.ts";
import { detailParameters, listParameters } from "./parameters.ts";
import {
  describeChange,
  describeChangeMany,
  describeCreate,
  describeDelete,
  describeDeleteMany,
  describeGet,
  describeList,
} from "./resource_descriptions.ts";

export function resourceOperations(resource: Resource): Operation[] {
  const base = `/api/${resource.path}/`;
  return [
    ...resource.methods.collection.map((method) => collectionOperation(resource, method, base)),
    ...resource.methods.item.map((method) => itemOperation(resource, method, `${base}{id}/`)),
  ];
}

const UNCHANGED: ResponseDoc = { description: "Not changed since the version named in If-None-Match." };

/** The body of a deletion, which is optional. */
const DELETION = z.looseObject({ [CHANGELOG_MESSAGE]: messageSchema.optional() }).optional();

type Parts =
  & Pick<Operation, "method" | "path" | "operationId" | "summary" | "responses" | "handle">
  & Partial<Pick<Operation, "request" | "parameters">>
  & { readonly description: () => string };

/**
 * Returns an operation. Descriptions are made only for the API document, so that they do not
 * delay the start.
 */
function operation(
  resource: Resource,
  { method, path, description, ...parts }: Parts,
): Operation {
  return {
    method,
    path,
    tag: resource.path.split("/").slice(0, -1).join("/"),
    ...parts,
    get description(): string {
      return description();
    },
  };
}

function ref(name: string): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

function collectionOperation(resource: Resource, method: Method, path: string): Operation {
  const name = schemaName(resource);
  const many = resource.labelPlural;
  const listed: ResponseDoc = { description: `The ${many}.`, schema: ref(`${name}OrList`) };
  switch (method) {
    case "GET":
      return operation(resource, {
        method,
        path,
        operationId: `list${name}`,
        summary: `List ${many}`,
        description: () => describeList(resource),
        parameters: () => listParameters(resource),
        responses: { 200: { description: `A page of ${many}.`, schema: ref(`${name}Page`) } },
        handle: (call) => list(call, resource),
      });
    case "POST":
      return operation(resource, {
        method,
        path,
        operationId: `create${name}`,
        summary: `Create ${withArticle(resource.label)}${
          resource.written?.oneByOne ? "" : ", or a list of them"
        }`,
        description: () => describeCreate(resource),
        request: ref(resource.written?.oneByOne ? `${name}Create` : `${name}CreateOrList`),
        responses: {
          201: resource.written?.oneByOne
            ? { description: `The ${resource.label}.`, schema: ref(name) }
            : listed,
        },
        handle: (call) => create(call, resource),
      });
    case "PUT":
    case "PATCH":
      return operation(resource, {
        method,
        path,
        operationId: `${method === "PUT" ? "replace" : "update"}Many${name}`,
        summary: `Change a list of ${many}`,
        description: () => describeChangeMany(resource, method),
        request: ref(`${name}${method === "PUT" ? "Replace" : "Change"}List`),
        responses: { 200: listed },
        handle: (call) => updateMany(call, resource, modeOf(method)),
      });
    case "DELETE":
      return operation(resource, {
        method,
        path,
        operationId: `deleteMany${name}`,
        summary: `Delete a list of ${many}`,
        description: () => describeDeleteMany(resource),
        request: ref("IdList"),
        responses: { 204: { description: "Deleted." } },
        handle: (call) => deleteMany(call, resource),
      });
  }
}

function itemOperation(resource: Resource, method: Method, path: string): Operation {
  const name = schemaName(resource);
  const one: ResponseDoc = { description: `The ${resource.label}.`, schema: ref(name) };
  switch (method) {
    case "GET":
      return operation(resource, {
        method,
        path,
        operationId: `get${name}`,
        summary: `Read ${withArticle(resource.label)}`,
        description: () => describeGet(resource),
        parameters: detailParameters,
        responses: { 200: one, ..."last_updated" in resource.fields ? { 304: UNCHANGED } : {} },
        handle: (call) => detail(call, resource),
      });
    case "PUT":
    case "PATCH":
      return operation(resource, {
        method,
        path,
        operationId: `${method === "PUT" ? "replace" : "update"}${name}`,
        summary: method === "PUT"
          ? `Replace ${withArticle(resource.label)}`
          : `Change some fields of ${withArticle(resource.label)}`,
        description: () => describeChange(resource, method),
        request: ref(method === "PUT" ? `${name}Create` : `${name}Change`),
        responses: { 200: one },
        handle: (call) => update(call, resource, modeOf(method)),
      });
    default:
      return operation(resource, {
        method: "DELETE",
        path,
        operationId: `delete${name}`,
        summary: `Delete ${withArticle(resource.label)}`,
        description: () => describeDelete(resource),
        request: DELETION,
        responses: { 204: { description: "Deleted." } },
        handle: async (call) => {
          const { ctx, id, request } = call;
          await deleteObject({ ctx, resource, id, accepts: ifMatch(request), input: await call.json() });
          return new Response(null, { status: 204 });
        },
      });
  }
}

function withArticle(label: string): string {
  return `${/^[aeio]/.test(label) ? "an" : "a"} ${label}`;
}

function modeOf(method: "PUT" | "PATCH"): UpdateMode {
  return method === "PUT" ? "replace" : "patch";
}

async function list(call: Call, resource: Resource): Promise<Response> {
  const { ctx, query } = call;
  const parsed = parseListQuery(ctx, { resource, params: query });
  return listResponse(call, { ...await listObjects({ ctx, resource, query: parsed }), query: parsed });
}

async function create({ ctx, json: body }: Call, resource: Resource): Promise<Response> {
  const input = await body();
  if (Array.isArray(input)) {
    return jsonResponse(await createObjects({ ctx, resource, input }), { status: 201 });
  }
  const object = await createObject({ ctx, resource, input });
  return created(object);
}

async function detail({ ctx, query, request, id }: Call, resource: Resource): Promise<Response> {
  const selection = parseDetailQuery(resource, query);
  const { object, etag: version } = await getObject({ ctx, resource, id, selection });
  return objectResponse(object, { version, request });
}

async function update(
  { ctx, json: body, request, id }: Call,
  resource: Resource,
  mode: UpdateMode,
): Promise<Response> {
  const input = await body();
  const object = await updateObject({ ctx, resource, id, input, mode, accepts: ifMatch(request) });
  return objectResponse(object);
}

async function updateMany(
  { ctx, json: body }: Call,
  resource: Resource,
  mode: UpdateMode,
): Promise<Response> {
  return jsonResponse(await updateObjects({ ctx, resource, input: listOf(await body()), mode }));
}

async function deleteMany({ ctx, json: body }: Call, resource: Resource): Promise<Response> {
  await deleteObjects({ ctx, resource, input: listOf(await body()) });
  return new Response(null, { status: 204 });
}

function listOf(input: unknown): unknown[] {
  if (Array.isArray(input)) return input;
  throw new AppError("invalid", "Expected a list of objects with their ids.");
}
