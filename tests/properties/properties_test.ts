/**
 * The short form of `deno task properties`: about 20,000 requests in all, the same in every run. CERTMGR_TEST_SEED sets
 * another seed.
 */

import assert from "node:assert/strict";
import { operations } from "../support/operations.ts";
import { runCases } from "./run_cases.ts";

const CASES = 20_000;
const SEED = Number(Deno.env.get("CERTMGR_TEST_SEED") ?? 20_261_122);

/** Returns whether requests hash a password, which takes a hundred times as long as anything else. */
function hashes(operationId: string): boolean {
  return /User$/.test(operationId) || operationId === "provisionToken";
}

for (const operation of operations) {
  Deno.test(`random requests to ${operation.operationId} (seed ${SEED}): no failure, documented answers, allowed bodies are accepted`, async () => {
    const cases = Math.ceil(CASES / operations.length / (hashes(operation.operationId) ? 4 : 1));
    assert.deepEqual(await runCases(operation, { cases, seed: SEED }), []);
  });
}
