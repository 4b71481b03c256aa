/** `deno run -A tests/bench/generate.ts --count 1000000 --out inventory.db`: makes a database to measure with. */

import { parseArgs } from "node:util";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { migrate } from "../../src/db/migrate.ts";
import { MIGRATIONS } from "../../src/db/migration_files.ts";
import { fillInventory, GENERATED_NOW } from "./inventory.ts";

const { values } = parseArgs({ options: { count: { type: "string" }, out: { type: "string" } } });
const count = Number(values.count ?? 100_000);
if (values.out === undefined || !Number.isSafeInteger(count) || count < 1) {
  console.error("Usage: generate.ts --count <certificates> --out <file>");
  Deno.exit(2);
}

const started = performance.now();
const database = await openFileDatabase({ path: values.out });
await migrate(database, { migrations: MIGRATIONS, now: GENERATED_NOW });
await fillInventory(database, { count, progress: report });
database.close();

function report(done: number): void {
  const seconds = (performance.now() - started) / 1_000;
  console.log(`${done} certificates, ${seconds.toFixed(0)} s, ${Math.round(done / seconds)} a second`);
}
