/** Converts errors to GraphQL errors. */

import { GraphQLError } from "graphql";
import { AppError, type AppErrorCode } from "../base/errors.ts";

const FORMS = {
  invalid: { code: "BAD_USER_INPUT", status: 400 },
  unauthenticated: { code: "UNAUTHENTICATED", status: 401 },
  forbidden: { code: "FORBIDDEN", status: 403 },
  not_found: { code: "NOT_FOUND", status: 404 },
  method_not_allowed: { code: "METHOD_NOT_ALLOWED", status: 405 },
  timeout: { code: "TIMEOUT", status: 408 },
  conflict: { code: "CONFLICT", status: 409 },
  precondition_failed: { code: "PRECONDITION_FAILED", status: 412 },
  too_large: { code: "TOO_LARGE", status: 413 },
  uri_too_long: { code: "URI_TOO_LONG", status: 414 },
  unsupported_media_type: { code: "UNSUPPORTED_MEDIA_TYPE", status: 415 },
  rate_limited: { code: "RATE_LIMITED", status: 429 },
  client_closed: { code: "CLIENT_CLOSED", status: 499 },
  unavailable: { code: "UNAVAILABLE", status: 503 },
} satisfies Record<AppErrorCode, { code: string; status: number }>;

/** Returns an error for the response. graphql-js adds the path. */
export function errorOf(error: AppError): GraphQLError {
  return new GraphQLError(messageOf(error), { extensions: { code: FORMS[error.code].code } });
}

/** Returns the error for a defect. It contains only the request id, with which the log entry can be found. */
export function maskedError(requestId?: string): GraphQLError {
  const known = requestId === undefined ? {} : { request_id: requestId };
  return new GraphQLError("Internal server error.", {
    extensions: { code: "INTERNAL_SERVER_ERROR", ...known },
  });
}

/**
 * Returns the response that rejects a whole request, in the requested media type (GraphQL over HTTP,
 * "Response").
 */
export function refusalResponse(error: AppError, request: Request): Response {
  const { code, status } = FORMS[error.code];
  const own = request.headers.get("accept")?.includes("application/graphql-response+json");
  return new Response(JSON.stringify({ errors: [{ message: messageOf(error), extensions: { code } }] }), {
    status,
    headers: {
      "content-type": `${own ? "application/graphql-response+json" : "application/json"}; charset=utf-8`,
      ...error.headers,
    },
  });
}

function messageOf({ public: body }: AppError): string {
  if (Array.isArray(body)) return "Invalid input.";
  if (typeof body.detail === "string") return body.detail;
  return Object.entries(body).map(([name, messages]) => `${name}: ${[messages].flat().join(" ")}`).join(" ");
}
