/** `deno run -A tests/bench/queries.ts FILE`: measures the usual queries on a generated database, in ms. */

import { sql } from "drizzle-orm";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { USUAL_QUERIES } from "./usual_queries.ts";

const [path] = Deno.args;
if (path === undefined) {
  console.error("Usage: queries.ts <file made by generate.ts>");
  Deno.exit(2);
}

const database = await openFileDatabase({ path });
console.log("  median   first  query");
for (const [name, query] of Object.entries(USUAL_QUERIES)) {
  const times: number[] = [];
  for (let round = 0; round < 9; round++) {
    const started = performance.now();
    await database.all(sql.raw(query.sql));
    times.push(performance.now() - started);
  }
  const first = times[0]!;
  const median = times.sort((a, b) => a - b)[4]!;
  console.log(`${median.toFixed(2).padStart(8)}${first.toFixed(1).padStart(8)}  ${name}`);
}
database.close();
