/** Runs all scenarios, and checks that together they show every status of every operation. */

import assert from "node:assert/strict";
import { document } from "../support/contract.ts";
import { operations } from "../support/operations.ts";
import { seen } from "../support/scenario.ts";

for (const { name } of Deno.readDirSync(new URL("./scenarios/", import.meta.url))) {
  await import(`./scenarios/${name}`);
}

/**
 * Statuses that depend on the address of the caller (429), on dependent objects (409), or on the load of the service
 * (503); each has its own tests.
 */
const ELSEWHERE = ["409", "429", "503"];
/** A page whose long texts are too large needs megabytes of rows: long_texts_test.ts has them. */
const LARGE_PAGE = "413";

Deno.test("every answer that the API document promises is shown by a scenario", () => {
  const missing = operations.filter((operation) => operation.tag !== "schema").flatMap((operation) => {
    const { responses } = document.paths[operation.path][operation.method.toLowerCase()];
    const shown = seen.get(operation.operationId) ?? new Set();
    return Object.keys(responses).filter((status) =>
      !ELSEWHERE.includes(status) && !shown.has(Number(status)) &&
      !(operation.method === "GET" && status === LARGE_PAGE)
    )
      .map((status) => `${operation.operationId} ${status}`);
  });
  assert.deepEqual(missing, []);
});
