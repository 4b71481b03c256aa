/**
 * `deno task bench:graphql [-- --counts 1000,100000] [--seconds 1]`: compares the query of the specification for 100
 * certificates with the REST list of 100, and with the minimum: the same SQL run by the plain libSQL client, and the
 * same response made by `JSON.stringify`.
 */

import { createClient } from "@libsql/client";
import { createApp } from "../../src/app.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { migrate } from "../../src/db/mod.ts";
import { MIGRATIONS } from "../../src/db/migration_files.ts";
import { signIn } from "../support/actors.ts";
import { testClock, testContext } from "../support/context.ts";
import { fillInventory, GENERATED_NOW } from "./inventory.ts";
import { type Recorded, recording } from "./recording.ts";
import { benchOptions } from "./bench_options.ts";

const values = benchOptions("bench:graphql", {
  counts: ["1000,100000", "Numbers of certificates"],
  seconds: ["1", "Seconds of each measurement"],
});

/** Returns the query of the specification's table for this number of certificates. */
function specified(limit: number): string {
  return `{ certificate_list(filters: {status: "active"}, pagination: {limit: ${limit}}) {
    id common_name valid_to days_remaining tenant { name }
    assignments { id is_primary assigned_object {
      ... on ServiceType { name ports device { name } } ... on DeviceType { name } ... on VirtualMachineType { name }
    } } } }`;
}

interface Case {
  readonly name: string;
  readonly path: string;
  readonly query?: string;
}

const REST = "/api/plugins/certmgr/certificates/?status=active&limit=100";
const CASES: readonly Case[] = [
  { name: "REST, 100 brief", path: `${REST}&brief=true` },
  { name: "REST, 100 whole", path: REST },
  { name: "GraphQL, 100 flat", path: "/graphql/", query: specified(100).replace(/ tenant[^]*/, "} }") },
  { name: "GraphQL, 100 as specified", path: "/graphql/", query: specified(100) },
  { name: "GraphQL, 1000 as specified", path: "/graphql/", query: specified(1_000) },
];

/** Returns the median microseconds of a run. */
async function median(run: () => Promise<unknown>): Promise<number> {
  for (let n = 0; n < 20; n++) await run();
  const times: number[] = [];
  const end = performance.now() + Number(values.seconds) * 1000;
  while (performance.now() < end) {
    const started = performance.now();
    await run();
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b)[times.length >> 1]! * 1000;
}

async function floorOf(path: string, { statements }: Recorded, answer: unknown): Promise<number> {
  const client = createClient({ url: `file:${path}` });
  try {
    return await median(async () => {
      for (const statement of statements) await client.execute({ ...statement });
      JSON.stringify(answer);
    });
  } finally {
    client.close();
  }
}

async function benchOne(count: number, folder: string): Promise<void> {
  const path = `${folder}/inventory-${count}.db`;
  const file = await openFileDatabase({ path });
  await migrate(file, { migrations: MIGRATIONS, now: GENERATED_NOW });
  await fillInventory(file, { count });
  const headers = { ...await signIn(file, "superuser", GENERATED_NOW), "content-type": "application/json" };
  const database = recording(file);
  const clock = testClock(GENERATED_NOW);
  const options = { trustedProxies: [], corsOrigins: [], maxBodyBytes: 1_000_000, rateLimit: 0 };
  const app = createApp({ ...testContext({ database, clock }), ...options });
  for (const { name, path: address, query } of CASES) {
    const send = (): Promise<Response> =>
      app.fetch(
        new Request(`http://bench.test${address}`, {
          headers,
          ...(query === undefined ? {} : { method: "POST", body: JSON.stringify({ query }) }),
        }),
      );
    await (await send()).text();
    database.begin();
    const answer = await (await send()).json();
    const recorded = database.end();
    if (answer.errors !== undefined || answer.detail !== undefined) throw new Error(JSON.stringify(answer));
    const ours = await median(async () => await (await send()).text());
    const floor = await floorOf(path, recorded, answer);
    print([
      count,
      name,
      recorded.statements.length,
      Math.round(ours),
      Math.round(floor),
      (floor / ours).toFixed(2),
    ]);
  }
  database.close();
}

function print(cells: readonly (string | number)[]): void {
  console.log(
    cells.map((cell, index) => index === 1 ? String(cell).padEnd(28) : String(cell).padStart(8)).join(" "),
  );
}

const folder = await Deno.makeTempDir({ prefix: "certmgr-bench-" });
try {
  print(["rows", "request", "SQL", "µs", "floor µs", "of floor"]);
  for (const count of values.counts.split(",").map(Number)) await benchOne(count, folder);
} finally {
  await Deno.remove(folder, { recursive: true });
}
