/** Runs every table of scenarios, and sees to it that together they show every answer of every operation. */

import assert from "node:assert/strict";
import { document } from "../support/contract.ts";
import { operations } from "../support/operations.ts";
import { seen } from "../support/scenario.ts";

for (const { name } of Deno.readDirSync(new URL("./scenarios/", import.meta.url))) {
  await import(`./scenarios/${name}`);
}

/**
 * Answers that depend on the address of the caller (429), on what hangs on an object (409), or on how busy the
 * service is (503); each has tests of its own.
 */
const ELSEWHERE = ["409", "429", "503"];

Deno.test("every answer that the API document promises is shown by a scenario", () => {
  const missing = operations.filter((operation) => operation.tag !== "schema").flatMap((operation) => {
    const { responses } = document.paths[operation.path][operation.method.toLowerCase()];
    const shown = seen.get(operation.operationId) ?? new Set();
    return Object.keys(responses).filter((status) =>
      !ELSEWHERE.includes(status) && !shown.has(Number(status))
    )
      .map((status) => `${operation.operationId} ${status}`);
  });
  assert.deepEqual(missing, []);
});
