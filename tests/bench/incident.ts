/**
 * `deno task bench:incident [count]`: what an incident over all certificates costs: its preview, and the imports
 * while it is open, as processor time with and without it.
 */

import process from "node:process";
import { sql } from "drizzle-orm";
import { keepIncidents } from "../../src/domain/incidents/mod.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { testContext } from "../support/context.ts";
import { benchApp } from "./bench_app.ts";
import { BENCH_KEY, benchDatabase } from "./bench_database.ts";
import { casesOf, prepared, sender } from "./compare_cases.ts";
import { GENERATED_NOW } from "./inventory.ts";

const [ROUNDS, IMPORTS] = [6, 200];
const INCIDENTS = "/api/plugins/certmgr/incidents/";
const count = Number(Deno.args[0] ?? 100_000);

const folder = await Deno.makeTempDir({ prefix: "certmgr-bench-" });
const database = await openFileDatabase({ path: await benchDatabase(count, folder), durable: false });
const app = benchApp(database);
const send = sender(app, BENCH_KEY);
const ctx = testContext({ database, now: GENERATED_NOW });
const criteria = { valid_from__gte: "2000-01-01" };

for (let time = 0; time < 5; time++) {
  const began = performance.now();
  await send({ path: `${INCIDENTS}preview/`, body: { criteria } });
  console.log(`preview of ${count}: ${(performance.now() - began).toFixed(0)} ms`);
}

const request = casesOf(count)["import of a PEM with chain"]!.request;
let n = 5_000_000;

/** Imports certificates, then brings incidents up to date; returns the milliseconds of processor time of both. */
async function round(): Promise<[imports: number, incidents: number]> {
  const asked = [];
  for (let i = 0; i < IMPORTS; i++) asked.push(await prepared(send, await request(n++)));
  const cpu = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  const start = cpu();
  for (const one of asked) await send(one);
  const imported = cpu();
  await keepIncidents({ ctx });
  return [imported - start, cpu() - imported];
}

await round();
const costs: Record<"without" | "with" | "kept", number[]> = { without: [], with: [], kept: [] };
for (let time = 0; time < ROUNDS; time++) {
  costs.without.push((await round())[0]);
  if (time === 0) {
    await send({ path: INCIDENTS, body: { name: "All", kind: "other", criteria } });
    await keepIncidents({ ctx });
  }
  await database.write((tx) => tx.run(sql`UPDATE incidents SET status = 'open'`));
  await round();
  const [imports, kept] = await round();
  costs.with.push(imports);
  costs.kept.push(kept);
  await database.write((tx) => tx.run(sql`UPDATE incidents SET status = 'closed'`));
}
const least = (all: readonly number[]): number => Math.min(...all) / IMPORTS;
const [without, open, kept] = [least(costs.without), least(costs.with), least(costs.kept)];
console.log(
  `import: ${without.toFixed(2)} ms without, ${open.toFixed(2)} ms with an open incident; kept up to date: ${
    kept.toFixed(3)
  } ms, together ${(100 * ((open + kept) / without - 1)).toFixed(1)} % more`,
);
database.close();
await Deno.remove(folder, { recursive: true });
