/** Operations of the API, and the one of a request. */

import { type Operation, operationTable } from "../../src/rest/mod.ts";

export const operations: readonly Operation[] = operationTable();

/** Returns the operation of a request, or undefined. */
export function operationOf(method: string, path: string): Operation | undefined {
  const { pathname } = new URL(path, "http://any.example");
  const template = pathname.replace(/\/\d+(?=\/)/, "/{id}");
  return operations.find((operation) => operation.method === method && operation.path === template);
}
