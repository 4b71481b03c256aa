/**
 * A separate process for `file_processes_test.ts`. `PATH write NAME COUNT` writes rows one by one and says the
 * number of each when it is stored; `PATH hold NAME MS` says `holding` and commits one row after a while.
 * `PATH scan NAME COUNT` starts as many long reads at a time, then stores a row, and says what has ended: `row` or `scan`.
 */

import { sql } from "drizzle-orm";
import { inBackground } from "../../src/base/pace.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";

const [path, task, name, amount] = Deno.args as [string, string, string, string];
const database = await openFileDatabase({ path, queryTimeoutMs: 600_000 });

/** Takes a second or more. */
const LONG =
  sql`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 4000000)
  SELECT max(n) AS n FROM numbers`;

if (task === "write") {
  for (let n = 1; n <= Number(amount); n++) {
    await database.write((tx) => tx.run(sql`INSERT INTO t (writer) VALUES (${name})`));
    console.log(n);
  }
} else if (task === "scan") {
  const scans = Array.from({ length: Number(amount) }, async (_, user) => {
    await database.all(sql`${LONG} WHERE n > ${user}`, { long: true, owner: user });
    console.log("scan");
  });
  // As background work, it commits on a thread as well.
  await inBackground(() => database.write((tx) => tx.run(sql`INSERT INTO t (writer) VALUES (${name})`)));
  console.log("row");
  await Promise.all(scans);
} else {
  await database.write(async (tx) => {
    await tx.run(sql`INSERT INTO t (writer) VALUES (${name})`);
    console.log("holding");
    await new Promise((done) => setTimeout(done, Number(amount)));
  });
}
database.close();
