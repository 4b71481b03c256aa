/**
 * `deno task bench:searches [-- --counts 100000,1000000] [--folder F]`: measures searches for common and rare texts,
 * the first time, repeated, and after each import; and how long details wait while one client repeats a search.
 * Requests go through a socket, so that processor time is also that of the client.
 */

import process from "node:process";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { benchApp } from "./bench_app.ts";
import { BENCH_KEY, benchDatabase } from "./bench_database.ts";
import { benchOptions } from "./bench_options.ts";

const values = benchOptions("bench:searches", {
  counts: ["100000,1000000", "Numbers of certificates"],
  seconds: ["3", "Seconds of each measurement"],
  folder: [undefined, "Folder that keeps the databases for the next run"],
});
const SECONDS = Number(values.seconds);
const BASE = "/api/plugins/certmgr/certificates/";
/** Clients that read details. */
const READERS = 4;

const SEARCHES: Readonly<Record<string, string>> = {
  "q, a text in all rows": "q=example.com",
  "q, a text in all rows, from row 1,000": "q=example.com&offset=1000",
  "q, two letters": "q=ap",
  "q, a text in no row": "q=xyzzy-plugh",
  "common_name__ic, all rows": "common_name__ic=example.com",
  "common_name__ic, one in 38": "common_name__ic=API-",
  "common_name__nic": "common_name__nic=xyzzy",
  "san__ic, all rows": "san__ic=example.com",
  "status=active": "status=active",
  "q, all rows, by valid_to": "q=example.com&ordering=valid_to",
};

async function main(): Promise<void> {
  const folder = values.folder ?? await Deno.makeTempDir({ prefix: "certmgr-bench-" });
  try {
    for (const count of values.counts.split(",").map(Number)) await benchOne(count, folder);
  } finally {
    if (values.folder === undefined) await Deno.remove(folder, { recursive: true });
  }
}

async function benchOne(count: number, folder: string): Promise<void> {
  const database = await openFileDatabase({
    path: await benchDatabase(count, folder),
    queryTimeoutMs: 30_000,
  });
  const app = benchApp(database);
  const server = Deno.serve({ port: 0, onListen: () => undefined }, (request) => app.fetch(request));
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const ask = async (path: string, body?: unknown): Promise<number> => {
    const started = performance.now();
    const response = await fetch(`${origin}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Token ${BENCH_KEY}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return performance.now() - started;
  };
  let made = 0;
  const create = (): Promise<number> => ask(BASE, metadata(made++));
  try {
    const detail = (n: number): Promise<number> => ask(`${BASE}${(n * 7919) % count + 1}/`);
    for (let n = 0; n < 300; n++) await detail(n);
    const idle = await details(detail);
    console.log(`\n${count} certificates; details alone: ${quantiles(idle)}`);
    console.log("   first     CPU  median  written  search, in ms; then details meanwhile");
    for (const [name, query] of Object.entries(SEARCHES)) {
      const search = (): Promise<number> => ask(`${BASE}?${query}&limit=50`);
      const before = process.cpuUsage();
      const first = await search();
      const { user, system } = process.cpuUsage(before);
      const repeated = await times(5, search);
      const written = await times(3, async () => (await create(), await search()));
      let over = false;
      const looping = (async (): Promise<void> => {
        while (!over) await search();
      })();
      const meanwhile = await details(detail);
      over = true;
      await looping;
      console.log(
        `${
          [first, (user + system) / 1_000, median(repeated), median(written)].map((each) =>
            each.toFixed(1).padStart(8)
          ).join("")
        }  ${name.padEnd(40)} ${quantiles(meanwhile)}`,
      );
    }
  } finally {
    await server.shutdown();
    database.close();
  }
}

/** Returns the milliseconds of details that several clients request at the same time. */
async function details(detail: (n: number) => Promise<number>): Promise<number[]> {
  const end = performance.now() + SECONDS * 1_000;
  const lists = await Promise.all(Array.from({ length: READERS }, async (_, reader) => {
    const found: number[] = [];
    for (let n = reader; performance.now() < end; n += READERS) found.push(await detail(n));
    return found;
  }));
  return lists.flat();
}

async function times(number: number, run: () => Promise<number>): Promise<number[]> {
  const found: number[] = [];
  for (let n = 0; n < number; n++) found.push(await run());
  return found;
}

function sorted(found: readonly number[]): number[] {
  return [...found].sort((a, b) => a - b);
}

function median(found: readonly number[]): number {
  return sorted(found)[found.length >> 1] ?? 0;
}

function quantiles(found: readonly number[]): string {
  const all = sorted(found);
  const at = (share: number): string => (all[Math.floor(all.length * share)] ?? 0).toFixed(1);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, ${Math.round(all.length / SECONDS)}/s`;
}

function metadata(n: number): unknown {
  const digits = (Date.now() * 1000 + n).toString(16);
  return {
    common_name: `new-${digits}.example.com`,
    serial_number: digits,
    issuer: "CN=Bench CA",
    valid_from: "2026-01-01T00:00:00Z",
    valid_to: "2027-01-01T00:00:00Z",
    fingerprint_sha256: digits.padStart(64, "0"),
    algorithm: "rsa",
    key_size: 2048,
    sans: [`new-${digits}.example.com`],
  };
}

await main();
