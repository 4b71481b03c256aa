/**
 * A process of its own for `file_processes_test.ts`. `PATH write NAME COUNT` writes rows one by one and says the
 * number of each when it is stored; `PATH hold NAME MS` says `holding` and commits one row after a while.
 */

import { sql } from "drizzle-orm";
import { openFileDatabase } from "../../src/db/file_client.ts";

const [path, task, name, amount] = Deno.args as [string, string, string, string];
const database = await openFileDatabase({ path });

if (task === "write") {
  for (let n = 1; n <= Number(amount); n++) {
    await database.write((tx) => tx.run(sql`INSERT INTO t (writer) VALUES (${name})`));
    console.log(n);
  }
} else {
  await database.write(async (tx) => {
    await tx.run(sql`INSERT INTO t (writer) VALUES (${name})`);
    console.log("holding");
    await new Promise((done) => setTimeout(done, Number(amount)));
  });
}
database.close();
