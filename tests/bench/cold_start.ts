/**
 * Prints how long an edge takes from nothing to its first answer with a row of the database in it, and the service
 * with its own file: `deno run -P=test tests/bench/cold_start.ts`. The first run of each, which fills caches of the
 * runtime, does not count.
 */

import { systemClock } from "../../src/base/clock.ts";
import { migrate, MIGRATIONS } from "../../src/db/mod.ts";
import { openRemoteDatabase } from "../../src/db/remote_client.ts";
import { startService, testFolder } from "../cli/process.ts";
import { startEdge } from "../support/edge.ts";
import { startLibsqlServer } from "../support/libsql_server.ts";

const RUNS = 5;

async function measure(name: string, run: () => Promise<number>): Promise<void> {
  await run();
  const times: number[] = [];
  for (let n = 0; n < RUNS; n++) times.push(await run());
  const [least, median, most] = [0, RUNS >> 1, RUNS - 1].map((at) => times.sort((a, b) => a - b)[at]);
  const ms = (time = 0): string => `${Math.round(time)} ms`;
  console.log(`${name}: ${ms(median)} (${ms(least)} to ${ms(most)})`);
}

async function edge(): Promise<number> {
  await using started = await startEdge({ CERTMGR_DATABASE_URL: server.url }, "/readyz");
  return started.firstAnswerMs;
}

async function service(): Promise<number> {
  const began = performance.now();
  await using started = await startService({ CERTMGR_DATA_DIR: `${folder.path}/data` });
  await (await fetch(`${started.url}/readyz`)).text();
  return performance.now() - began;
}

await using server = await startLibsqlServer();
await using folder = await testFolder();
const database = openRemoteDatabase({ url: server.url });
await migrate(database, { migrations: MIGRATIONS, now: systemClock.now() });
database.close();
await measure("Edge, to its first answer", edge);
await measure("Service, to its first answer", service);
