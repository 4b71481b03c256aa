/** `deno run -A tests/bench/generate.ts --count 1000000 --out inventory.db`: creates a database for benchmarks. */

import { parseArgs } from "node:util";
import { fillFile } from "./fill_file.ts";

const { values } = parseArgs({ options: { count: { type: "string" }, out: { type: "string" } } });
const count = Number(values.count ?? 100_000);
if (values.out === undefined || !Number.isSafeInteger(count) || count < 1) {
  console.error("Usage: generate.ts --count <certificates> --out <file>");
  Deno.exit(2);
}

const started = performance.now();
await fillFile(values.out, { count, progress: report });

function report(step: string, done: number): void {
  const seconds = (performance.now() - started) / 1_000;
  console.log(`${seconds.toFixed(0)} s: ${done} ${step}`);
}
