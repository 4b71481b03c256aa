/** Converts errors to GraphQL errors. */

import { GraphQLError } from "graphql";
import { type AppError, STATUS } from "../base/errors.ts";

/** Returns the code of an error in GraphQL's notation. */
function codeOf({ code }: AppError): string {
  return code === "invalid" ? "BAD_USER_INPUT" : code.toUpperCase();
}

/** Returns an error for the response. graphql-js adds the path. */
export function errorOf(error: AppError): GraphQLError {
  return new GraphQLError(messageOf(error), { extensions: { code: codeOf(error) } });
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
  const own = request.headers.get("accept")?.includes("application/graphql-response+json");
  return new Response(JSON.stringify({ errors: [errorOf(error)] }), {
    status: STATUS[error.code],
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
