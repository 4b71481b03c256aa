/** Errors about a query, with their path in the response. */

import { GraphQLError } from "graphql";
import { type Finding, textsByField } from "../../base/findings.ts";
import { MAX_GRAPHQL_MESSAGE_CHARS } from "../limits.ts";

/**
 * HTTP status of a query that is not executed. With `application/json` it is 200 nevertheless (GraphQL over
 * HTTP).
 */
const REFUSED = { status: 400, spec: true };

/** Returns the error of a query that is refused before it is executed. */
export function queryRefused(
  message: string,
  options: { code?: string; path?: readonly string[] } = {},
): GraphQLError {
  const { code = "BAD_USER_INPUT", path } = options;
  return new GraphQLError(message, {
    ...(path === undefined ? {} : { path: [...path] }),
    extensions: { code, http: REFUSED },
  });
}

/** Returns one error for each invalid argument: `filters.status: Select a valid choice …`. */
export function badArguments(
  errors: readonly Finding[],
  options: { prefix: string; path: readonly string[] },
): GraphQLError[] {
  const { prefix, path } = options;
  return Object.entries(textsByField(errors)).map(([name, messages]) => {
    const place = name === "__all__" ? prefix : prefix === "" ? name : `${prefix}.${name}`;
    return queryRefused(`${place}: ${messages.join(" ")}`, { path });
  });
}

/**
 * Returns an error of graphql-js about a variable, with a message that is cut off if it repeats a long value.
 */
export function badVariable({ message, nodes }: GraphQLError): GraphQLError {
  const shown = message.length <= MAX_GRAPHQL_MESSAGE_CHARS
    ? message
    : `${message.slice(0, MAX_GRAPHQL_MESSAGE_CHARS)}…`;
  return new GraphQLError(shown, {
    ...(nodes === undefined ? {} : { nodes }),
    extensions: { code: "BAD_USER_INPUT", http: { status: REFUSED.status } },
  });
}
