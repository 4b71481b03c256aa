/**
 * The REST API on Hono's router: finds the operation of a request, authenticates the caller, and runs the
 * operation.
 */

import { type Context as HonoContext, Hono } from "hono";
import { type AppEnv, type AppOptions, contextOf } from "../app_options.ts";
import { authenticate, type Context, isGranted, refuseReadOnlyToken } from "../auth/mod.ts";
import { AppError, invalid, notFound } from "../base/errors.ts";
import { findingAt } from "../base/findings.ts";
import { MAX_ANONYMOUS_BODY_BYTES } from "../base/limits.ts";
import {
  ALWAYS_KNOWN,
  type Field,
  type Method,
  refreshCustomFields,
  type Resource,
  shapeOf,
} from "../resource/mod.ts";
import { readForm, readJson } from "./body.ts";
import { ERROR_FORMAT, jsonResponse } from "./http.ts";
import type { Operation } from "./operation.ts";
import { collectionOf } from "./table.ts";

/** Answers OPTIONS for a collection, or for an item. Lists only the `actions` that the caller may perform. */
function describeOptions(
  resource: Resource,
  { ctx, methods, item }: { ctx: Context; methods: readonly Method[]; item: boolean },
): Response {
  const actions: { POST?: object; PUT?: object } = {};
  const may = (action: string): boolean =>
    [action, resource.written?.action].some((one) =>
      one !== undefined && isGranted(ctx, one, resource.objectType)
    );
  if (!item && methods.includes("POST") && may("add")) actions.POST = describeFields(resource);
  if (item && methods.includes("PUT") && may("change")) actions.PUT = describeFields(resource);
  const allow = [...methods, "HEAD", "OPTIONS"].join(", ");
  return jsonResponse({
    name: item ? resource.label : `${resource.label} list`,
    description: "",
    renders: ["application/json"],
    parses: ["application/json"],
    actions,
  }, { headers: { allow } });
}

function describeFields(resource: Resource): object {
  const described: Record<string, object> = {};
  for (const field of Object.values(resource.fields)) {
    // Neither readable nor writable: only recorded in the change log.
    if (field.readOnly && field.writeOnly) continue;
    const { choices, maxLength } = shapeOf(field);
    described[field.name] = {
      type: typeOf(field),
      required: field.required,
      read_only: field.readOnly,
      label: labelOf(field.name),
      help_text: field.description,
      ...(maxLength === undefined ? {} : { max_length: maxLength }),
      ...(choices === undefined ? {} : { choices: choices.filter(Boolean).map(choiceOf) }),
    };
  }
  return described;
}

function labelOf(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function choiceOf(value: string): { value: string; display_name: string } {
  return { value, display_name: labelOf(value) };
}

/** Returns NetBox's name of a field's type. */
function typeOf(field: Field): string {
  const { kind } = shapeOf(field);
  if (kind === "references") return "list";
  return kind === "reference" || kind === "object" ? "field" : kind;
}

type C = HonoContext<AppEnv>;

/** Maximum number of digits of an id; longer numbers are not safe integers. */
const MAX_ID_DIGITS = 15;

/** Registers the paths of all operations. Throws if two operations share a method and a path. */
export function createRest(options: AppOptions, operations: readonly Operation[]): Hono<AppEnv> {
  const api = new Hono<AppEnv>();
  for (const [path, endpoint] of byPath(operations)) {
    const pattern = path.replace("{id}", ":id{[0-9]+}");
    // One route for all methods: a path with one for each method takes ten times as long to register.
    api.all(pattern, (c) => respond(options, endpoint, at(c, path)));
    if (path.endsWith("/")) api.all(pattern.slice(0, -1), addSlash);
  }
  return api;
}

/** Groups operations by path. Throws if two of them have the same method. */
function byPath(operations: readonly Operation[]): Map<string, readonly Operation[]> {
  const paths = Map.groupBy(operations, ({ path }) => path);
  for (const [path, endpoint] of paths) {
    const methods = endpoint.map(({ method }) => method);
    const twice = methods.find((method, index) => methods.indexOf(method) !== index);
    if (twice !== undefined) throw new Error(`Two operations have the method and path ${twice} ${path}`);
  }
  return paths;
}

/** Calls the operation of the request's method. Errors: method_not_allowed, those of the operation. */
async function respond(options: AppOptions, endpoint: readonly Operation[], c: C): Promise<Response> {
  const { method } = c.req;
  const { searchParams } = c.env.url;
  if (searchParams.get(ERROR_FORMAT) === "codes") searchParams.delete(ERROR_FORMAT);
  if (method === "OPTIONS") return await describe(options, endpoint, c);
  const operation = endpoint.find((one) => one.method === (method === "HEAD" ? "GET" : method));
  return operation === undefined ? refuseMethod(endpoint, c) : await run(options, operation, c);
}

/** Sets the path template of the route. Errors: not_found (an id with too many digits). */
function at(c: C, path: string): C {
  requireShortId(c);
  c.set("route", path);
  return c;
}

function requireShortId(c: C): void {
  if ((c.req.param("id") ?? "").length > MAX_ID_DIGITS) throw notFound();
}

async function run(options: AppOptions, operation: Operation, c: C): Promise<Response> {
  const anonymous = operation.anonymous ?? false;
  const ctx = await contextFor(options, c, { anonymous });
  // A read-only token allows only safe methods, whatever the operation does (RFC 9110 §9.2.1).
  if (operation.method !== "GET" && !anonymous) refuseReadOnlyToken(ctx, "change");
  refuseParameters(operation, c.env.url.searchParams);
  const body = c.get("body");
  const maxBytes = anonymous
    ? Math.min(MAX_ANONYMOUS_BODY_BYTES, options.maxBodyBytes)
    : options.maxBodyBytes;
  const request = c.req.raw;
  return await operation.handle({
    ctx,
    request,
    query: c.env.url.searchParams,
    id: idOf(c),
    address: c.get("client").address,
    json: () => readJson({ request, body, maxBytes }),
    form: () => readForm({ request, body, maxBytes }),
  });
}

/** Refuses parameters that an operation would ignore; NetBox's clients send some with writes of objects. Errors: invalid. */
function refuseParameters({ method, parameters, runs }: Operation, query: URLSearchParams): void {
  if (method === "GET" || parameters !== undefined) return;
  const names = [...new Set(query.keys())].filter((name) =>
    runs !== undefined || !ALWAYS_KNOWN.includes(name)
  );
  if (names.length > 0) throw invalid(names.map((name) => findingAt(name, "no_parameters", { method })));
}

/** Returns the `{id}` of the path; 0 if the path has none. */
function idOf(c: C): number {
  return Number(c.req.param("id") ?? 0);
}

/** Answers OPTIONS: the fields of a resource, or the media type of anything else. */
async function describe(options: AppOptions, endpoint: readonly Operation[], c: C): Promise<Response> {
  const path = endpoint[0]?.path ?? "";
  const ctx = await contextFor(options, c, { anonymous: endpoint.every((one) => one.anonymous) });
  const resource = collectionOf(path);
  if (resource === undefined) {
    return jsonResponse({ renders: ["application/json"] }, { headers: { allow: allowed(endpoint) } });
  }
  const methods = endpoint.map(({ method }) => method);
  return describeOptions(resource, { ctx, methods, item: path.endsWith("{id}/") });
}

/** Refuses a method that the path does not support. Errors: method_not_allowed. */
function refuseMethod(endpoint: readonly Operation[], c: C): never {
  throw new AppError("method_not_allowed", `Method "${c.req.method.slice(0, 20)}" not allowed.`, {
    headers: { allow: allowed(endpoint) },
  });
}

/** Returns the `Allow` header of a path (RFC 9110 §10.2.1). */
function allowed(endpoint: readonly Operation[]): string {
  const methods = endpoint.map(({ method }) => method);
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}

/** Returns the caller's context. Errors: unauthenticated, forbidden. */
async function contextFor(
  options: AppOptions,
  c: C,
  { anonymous }: { anonymous: boolean },
): Promise<Context> {
  await refreshCustomFields(options);
  if (anonymous) return contextOf(options, c, ANONYMOUS);
  const authorization = c.req.header("authorization") ?? null;
  const actor = await authenticate(options, { authorization, address: c.get("client").address });
  c.set("username", actor.username);
  return contextOf(options, c, actor);
}

/** The actor of operations without authentication; it has no permissions. */
const ANONYMOUS: Context["actor"] = {
  userId: null,
  username: "",
  isSuperuser: false,
  mayWrite: false,
  grants: [],
};

/**
 * Redirects GET to the URL with a slash at its end. For other methods, the error names this URL. Errors:
 * not_found.
 */
function addSlash(c: C): Response {
  requireShortId(c);
  c.set("route", "/api/*");
  const { pathname, search } = c.env.url;
  const slashed = `${c.get("client").origin}${pathname}/`;
  // Other methods are not redirected: clients would change them to GET, or send their body twice.
  if (c.req.method === "GET" || c.req.method === "HEAD") {
    return new Response(null, { status: 301, headers: { location: slashed + search } });
  }
  throw new AppError("not_found", `Not found. The address is ${slashed} (with a slash at the end).`);
}
