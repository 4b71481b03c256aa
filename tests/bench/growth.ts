/**
 * `deno task bench:growth [-- --counts 1000,1000000] [--folder F]`: prints the processor time of lists, searches and
 * details with few and with many certificates, as a table in Markdown. The inventories are measured alternately, so
 * that a busy machine slows all of them. The first request also counts the rows; the others use the cached count.
 */

import { sql } from "drizzle-orm";
import process from "node:process";
import type { App } from "../../src/app.ts";
import type { Database } from "../../src/db/mod.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { certificates } from "../../src/db/schema/mod.ts";
import { benchApp } from "./bench_app.ts";
import { BENCH_KEY, benchDatabase } from "./bench_database.ts";
import { benchOptions } from "./bench_options.ts";

const values = benchOptions("bench:growth", {
  counts: ["1000,1000000", "Numbers of certificates"],
  rounds: ["8", "Rounds for each inventory"],
  requests: ["8", "Requests per round"],
  folder: [undefined, "Folder that keeps the databases for the next run"],
});
const [ROUNDS, REQUESTS] = [Number(values.rounds), Number(values.requests)];
const BASE = "/api/plugins/certmgr/certificates/";

interface Inventory {
  readonly count: number;
  readonly database: Database;
  readonly app: App;
  /** The name of one certificate, as people search for it. */
  readonly host: string;
}

/** URLs of the requests. Each request has another number, so that no response is cached. */
const REQUESTED: Readonly<Record<string, (inventory: Inventory, n: number) => string>> = {
  "list of 50": (_, n) => `${BASE}?exclude=${n}`,
  "list of 50 by `valid_to`": (_, n) => `${BASE}?ordering=valid_to&exclude=${n}`,
  "`status` and tenant, 3 rows": (_, n) => `${BASE}?status=active&tenant_id=7&limit=3&exclude=${n}`,
  "`status=active`": (_, n) => `${BASE}?status=active&exclude=${n}`,
  "cursor page in the middle": ({ count }, n) => `${BASE}?start=${count >> 1}&exclude=${n}`,
  "detail": ({ count }, n) => `${BASE}${(n * 7919) % count + 1}/`,
  "`common_name__ic`, one host": ({ host }, n) => `${BASE}?common_name__ic=${host}&exclude=${n}`,
  "`q`, one host": ({ host }, n) => `${BASE}?q=${host}&exclude=${n}`,
  "`common_name__ic`, one in 38": (_, n) => `${BASE}?common_name__ic=API-&exclude=${n}`,
  "`q`, two letters": (_, n) => `${BASE}?q=ap&exclude=${n}`,
  "`q`, all rows": (_, n) => `${BASE}?q=example.com&exclude=${n}`,
  "`san__ic`, all rows": (_, n) => `${BASE}?san__ic=example.com&exclude=${n}`,
  "half-way `offset`": ({ count }, n) => `${BASE}?offset=${count >> 1}&exclude=${n}`,
  "half-way `offset` by `valid_to`": ({ count }, n) =>
    `${BASE}?offset=${count >> 1}&ordering=valid_to&exclude=${n}`,
};

async function open(count: number, folder: string): Promise<Inventory> {
  const database = await openFileDatabase({
    path: await benchDatabase(count, folder),
    queryTimeoutMs: 600_000,
  });
  const [row] = await database.all<{ common_name: string }>(
    sql`SELECT common_name FROM ${certificates} WHERE id = ${count >> 1}`,
  );
  return { count, database, app: benchApp(database), host: row?.common_name ?? "" };
}

async function ask({ app }: Inventory, path: string): Promise<void> {
  const headers = { authorization: `Token ${BENCH_KEY}` };
  const response = await app.fetch(new Request(`http://bench.test${path}`, { headers }));
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
}

/** Returns the processor time of all threads in milliseconds. */
async function cpu(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
}

function line(cells: readonly string[]): void {
  console.log(`| ${cells.join(" | ")} |`);
}

async function main(folder: string): Promise<void> {
  const inventories: Inventory[] = [];
  for (const count of values.counts.split(",").map(Number)) inventories.push(await open(count, folder));
  const heads = inventories.map(({ count }) => count.toLocaleString("en"));
  line(["Request: ms, of the first one", ...heads, "Growth"]);
  line(["---", ...heads.map(() => "---"), "---"]);
  for (const each of inventories) {
    for (let n = 0; n < 100; n++) await ask(each, `${BASE}?exclude=-${n}&limit=50`);
  }
  for (const [name, path] of Object.entries(REQUESTED)) {
    const first: number[] = [];
    for (const each of inventories) first.push(await cpu(() => ask(each, path(each, 1_000_000))));
    const times = inventories.map((): number[] => []);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, each] of inventories.entries()) {
        const took = await cpu(async () => {
          for (let n = 0; n < REQUESTS; n++) await ask(each, path(each, round * REQUESTS + n));
        });
        times[index]!.push(took / REQUESTS);
      }
    }
    const medians = times.map(median);
    line([
      name,
      ...medians.map((ms, index) => `${ms.toFixed(1)}, ${first[index]!.toFixed(first[index]! < 10 ? 1 : 0)}`),
      medians.slice(1).map((ms) => (ms / medians[0]!).toFixed(1)).join(", "),
    ]);
  }
  for (const { database } of inventories) database.close();
}

const folder = values.folder ?? await Deno.makeTempDir({ prefix: "certmgr-bench-" });
await Deno.mkdir(folder, { recursive: true });
try {
  await main(folder);
} finally {
  if (values.folder === undefined) await Deno.remove(folder, { recursive: true });
}
