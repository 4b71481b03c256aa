/**
 * `deno task properties [--cases 100000] [--seed 7] [--only createTag]`: random requests to every operation of the API
 * document, in-process on a database file. The same seed generates the same requests.
 */

import { parseArgs } from "node:util";
import { operations } from "../support/operations.ts";
import { type Failure, runCases } from "./run_cases.ts";

const { values } = parseArgs({
  args: Deno.args.filter((arg) => arg !== "--"),
  options: {
    cases: { type: "string", default: "20000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    only: { type: "string", default: "" },
  },
});
const seed = Number(values.seed);
const chosen = operations.filter(({ operationId }) => operationId.includes(values.only));
const each = Math.ceil(Number(values.cases) / chosen.length);
console.log(`Seed ${seed}: ${each} cases for each of ${chosen.length} operations`);
let [passed, failed] = [0, 0];
for (const operation of chosen) {
  const started = performance.now();
  const failures = await runCases(operation, { cases: each, seed });
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.log(`${failures.length === 0 ? "ok  " : "FAIL"} ${operation.operationId} (${seconds} s)`);
  for (const one of distinct(failures)) {
    console.log(`       ${one.fault}\n         ${JSON.stringify(one.request).slice(0, 600)}`);
  }
  if (failures.length === 0) passed++;
  else failed++;
}
console.log(`${passed} passed, ${failed} failed`);
Deno.exit(failed === 0 ? 0 : 1);

/** Returns one case for each error; errors that differ only in numbers are the same. */
function distinct(failures: readonly Failure[]): Failure[] {
  const found = new Map(failures.map((one) => [one.fault.replace(/\d+/g, "0").slice(0, 60), one]));
  return [...found.values()];
}
