/** The REST surface: takes a request under `/api/`, finds its operation, authenticates, answers. */

import { authenticate, type Context, requireWritable } from "../auth/mod.ts";
import { type AppOptions, contextOf, type Envelope } from "../app_options.ts";
import { AppError, notFound } from "../base/errors.ts";
import { MAX_ANONYMOUS_BODY_BYTES } from "../base/limits.ts";
import { readForm, readJson } from "./body.ts";
import { json } from "./http.ts";
import type { Operation } from "./operation.ts";
import { describeOptions } from "./options.ts";
import { allowed, createRouter, type Match, operationFor } from "./router.ts";
import { collectionOf } from "./table.ts";

/** Answers requests under `/api/`; throws refusals. */
export type Surface = (request: Request, envelope: Envelope) => Promise<Response>;

/** The surface of a table of operations. */
export function createSurface(options: AppOptions, operations: readonly Operation[]): Surface {
  const route = createRouter(operations);

  async function contextFor(request: Request, envelope: Envelope, anonymous: boolean): Promise<Context> {
    const credentials = {
      authorization: request.headers.get("authorization"),
      address: envelope.client.address,
    };
    const actor = anonymous ? NOBODY : await authenticate(options, credentials);
    if (!anonymous) envelope.note.username = actor.username;
    return contextOf(options, envelope, actor);
  }

  async function describe(request: Request, envelope: Envelope, match: Match): Promise<Response> {
    const resource = collectionOf(match.endpoint.path);
    const anonymous = [...match.endpoint.operations.values()].every((one) => one.anonymous);
    const ctx = await contextFor(request, envelope, anonymous);
    if (resource === undefined) {
      return json({ renders: ["application/json"] }, {
        headers: { allow: allowed(match.endpoint).join(", ") },
      });
    }
    const methods = [...match.endpoint.operations.keys()];
    const id = match.endpoint.path.endsWith("{id}/") ? match.id : undefined;
    return await describeOptions(resource, { ctx, methods, id });
  }

  return async (request, envelope) => {
    const { pathname, searchParams } = envelope.url;
    const match = route(pathname);
    if (match === undefined) return withoutSlash(request, envelope, route(`${pathname}/`) !== undefined);
    envelope.note.route = match.endpoint.path;
    if (request.method === "OPTIONS") return await describe(request, envelope, match);
    const operation = operationFor(match.endpoint, request.method);
    const ctx = await contextFor(request, envelope, operation.anonymous ?? false);
    // Whatever the verb does: a read-only token is good for safe methods only (RFC 9110 §9.2.1).
    if (operation.method !== "GET" && !operation.anonymous) requireWritable(ctx, "change");
    const { body } = envelope;
    const maxBytes = operation.anonymous
      ? Math.min(MAX_ANONYMOUS_BODY_BYTES, options.maxBodyBytes)
      : options.maxBodyBytes;
    return await operation.handle({
      ctx,
      request,
      query: searchParams,
      id: match.id,
      address: envelope.client.address,
      json: () => readJson({ request, body, maxBytes }),
      form: () => readForm({ request, body, maxBytes }),
    });
  };
}

/** An actor without any right, for what is public. */
const NOBODY: Context["actor"] = {
  userId: null,
  username: "",
  isSuperuser: false,
  mayWrite: false,
  grants: [],
};

/** A trailing slash is canonical: GET is sent there, other methods are told. */
function withoutSlash(request: Request, { url, client }: Envelope, known: boolean): Response {
  if (!known) throw notFound();
  const slashed = `${client.origin}${url.pathname}/${url.search}`;
  if (request.method === "GET" || request.method === "HEAD") {
    return new Response(null, { status: 301, headers: { location: slashed } });
  }
  throw new AppError(
    "not_found",
    `Not found. The address is ${client.origin}${url.pathname}/ (with a slash at the end).`,
  );
}
