/** From the table of operations to answers: addresses, methods, slashes. */

import { AppError } from "../base/errors.ts";
import type { Method } from "../resource/mod.ts";
import type { Operation } from "./operation.ts";

/** Every method of one address. */
export interface Endpoint {
  readonly path: string;
  readonly operations: ReadonlyMap<Method, Operation>;
}

/** What a path means: an endpoint with its `{id}`, or nothing. */
export interface Match {
  readonly endpoint: Endpoint;
  readonly id: number;
}

/** Finds the endpoint of a path in constant time: ids are the only part that varies. */
export type Router = (pathname: string) => Match | undefined;

const ID = /\/(\d{1,15})(?=\/)/;

/** Makes a router out of the table. Throws when two operations share method and path. */
export function createRouter(operations: readonly Operation[]): Router {
  const endpoints = new Map<string, Map<Method, Operation>>();
  for (const operation of operations) {
    const methods = endpoints.get(operation.path) ?? new Map<Method, Operation>();
    if (methods.has(operation.method)) {
      throw new Error(`Two operations for ${operation.method} ${operation.path}`);
    }
    endpoints.set(operation.path, methods.set(operation.method, operation));
  }
  return (pathname) => {
    const id = ID.exec(pathname)?.[1];
    const path = id === undefined ? pathname : pathname.replace(ID, "/{id}");
    const found = endpoints.get(path);
    return found === undefined ? undefined : { endpoint: { path, operations: found }, id: Number(id ?? 0) };
  };
}

/** The operation of a method at an endpoint; HEAD is GET without a body. Errors: method_not_allowed. */
export function operationFor(endpoint: Endpoint, method: string): Operation {
  const operation = endpoint.operations.get((method === "HEAD" ? "GET" : method) as Method);
  if (operation !== undefined) return operation;
  throw new AppError("method_not_allowed", `Method "${method.slice(0, 20)}" not allowed.`, {
    headers: { allow: allowed(endpoint).join(", ") },
  });
}

/** Methods of an endpoint, those that every endpoint has included. */
export function allowed(endpoint: Endpoint): string[] {
  return [...endpoint.operations.keys(), ...(endpoint.operations.has("GET") ? ["HEAD"] : []), "OPTIONS"];
}
