/** The service's operations, and which of them a request means. */

import { createRouter } from "../../src/rest/router.ts";
import { type Operation, operationTable } from "../../src/rest/mod.ts";

/** Every operation. */
export const operations: readonly Operation[] = operationTable();

const route = createRouter(operations);

/** The operation of a request; undefined where there is none. */
export function operationOf(method: string, path: string): Operation | undefined {
  const { pathname } = new URL(path, "http://any.example");
  const methods: ReadonlyMap<string, Operation> | undefined = route(pathname)?.endpoint.operations;
  return methods?.get(method);
}
