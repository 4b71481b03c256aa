/** The service's operations, and which of them a request means. */

import { type Operation, operationTable } from "../../src/rest/mod.ts";

/** Every operation. */
export const operations: readonly Operation[] = operationTable();

/** The operation of a request; undefined if there is none. */
export function operationOf(method: string, path: string): Operation | undefined {
  const { pathname } = new URL(path, "http://any.example");
  const template = pathname.replace(/\/\d+(?=\/)/, "/{id}");
  return operations.find((operation) => operation.method === method && operation.path === template);
}
