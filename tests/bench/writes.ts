/**
 * `deno task bench:writes [-- --count 100000] [--stored 10000] [--folder F]`: measures processor time and WAL pages of
 * imports, and the space of a stored certificate in tables and indexes. Certificates are like those of public CAs. The
 * application runs in this process without a socket.
 */

import Native from "libsql";
import process from "node:process";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { benchApp } from "./bench_app.ts";
import { BENCH_KEY, benchDatabase } from "./bench_database.ts";
import { type UsualPem, usualPems } from "./usual_pems.ts";
import { benchOptions } from "./bench_options.ts";

const values = benchOptions("bench:writes", {
  count: ["100000", "Number of certificates"],
  stored: ["10000", "Certificates whose import measures the space of each"],
  singles: ["400", "Imports of one certificate"],
  bulks: ["20", "Imports of many certificates"],
  rounds: ["3", "Rounds"],
  folder: [undefined, "Folder that keeps the databases for the next run"],
  json: [false, "Print one line of JSON"],
});
const ADDRESS = "http://bench.test/api/plugins/certmgr/certificates/";
/** Frames of a WAL file have a page and 24 bytes, after a header. */
const [PAGE_BYTES, FRAME_BYTES, WAL_HEADER_BYTES] = [4096, 4120, 32];

const folder = values.folder ?? await Deno.makeTempDir({ prefix: "certmgr-bench-" });
const path = `${folder}/writes-${Deno.pid}.db`;
const main = await benchDatabase(Number(values.count), folder);
await Deno.copyFile(main, path);
const database = await openFileDatabase({ path });
const app = benchApp(database);
let next = 1;

async function post(address: string, body: unknown): Promise<void> {
  const response = await app.fetch(
    new Request(ADDRESS + address, {
      method: "POST",
      headers: { authorization: `Token ${BENCH_KEY}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
    { remoteAddr: { hostname: "127.0.0.1" } },
  );
  const text = await response.text();
  if (response.status !== 201) throw new Error(`${address}: ${response.status} ${text.slice(0, 500)}`);
}

async function pems(count: number): Promise<UsualPem[]> {
  next += count;
  return await usualPems(next - count, count);
}

const own = (number: number): unknown => ({ tenant: number % 200 + 1, tags: [number % 20 + 1] });

async function single(count: number): Promise<() => Promise<void>> {
  const bodies = (await pems(count)).map(({ withChain }, index) => ({
    pem_content: withChain,
    ...own(index) as object,
  }));
  return async () => {
    for (const body of bodies) await post("import/", body);
  };
}

async function bulk(count: number): Promise<() => Promise<void>> {
  const bodies: unknown[] = [];
  for (let at = 0; at < count; at++) {
    bodies.push(
      (await pems(100)).map(({ withChain }, index) => ({ pem_content: withChain, ...own(index) as object })),
    );
  }
  return async () => {
    for (const body of bodies) await post("bulk-import/", body);
  };
}

/** Returns the milliseconds of processor time per call. */
async function cpu(count: number, work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / count;
}

function pragma(text: string): void {
  const connection = new Native(path, { timeout: 5_000 });
  connection.prepare(text).all();
  connection.close();
}

/** Returns the WAL pages of each of a few imports. */
async function walPages(): Promise<number> {
  const few = 8;
  const work = await single(few);
  pragma("PRAGMA wal_checkpoint(TRUNCATE)");
  await work();
  return ((await Deno.stat(`${path}-wal`)).size - WAL_HEADER_BYTES) / FRAME_BYTES / few;
}

function sizes(): Map<string, number> {
  const connection = new Native(path, { timeout: 5_000 });
  try {
    const rows = connection.prepare("SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name").all();
    return new Map((rows as { name: string; bytes: number }[]).map(({ name, bytes }) => [name, bytes]));
  } finally {
    connection.close();
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;
}

try {
  await (await single(200))();
  await (await bulk(5))();
  const [ones, hundreds]: [number[], number[]] = [[], []];
  for (let round = 0; round < Number(values.rounds); round++) {
    ones.push(await cpu(Number(values.singles), await single(Number(values.singles))));
    hundreds.push(await cpu(Number(values.bulks), await bulk(Number(values.bulks))));
  }
  const pages = await walPages();
  const before = sizes();
  const stored = Number(values.stored);
  for (let done = 0; done < stored; done += 1_000) await (await bulk(10))();
  const after = sizes();
  const parts = [...after].map(([part, bytes]) => [part, (bytes - (before.get(part) ?? 0)) / stored] as const)
    .filter(([, bytes]) => bytes > 0).toSorted(([, a], [, b]) => b - a);
  const total = parts.reduce((sum, [, bytes]) => sum + bytes, 0);
  if (values.json) {
    console.log(JSON.stringify({ one: median(ones), hundred: median(hundreds), pages, total }));
  } else {
    console.log(`| Import of | CPU |\n| --- | --- |`);
    console.log(`| one PEM with its chain | ${median(ones).toFixed(2)} ms |`);
    console.log(`| 100 PEMs with chains | ${median(hundreds).toFixed(1)} ms |\n`);
    console.log(
      `WAL pages of one import: ${pages.toFixed(1)} (${Math.round(pages * PAGE_BYTES / 1024)} KiB)\n`,
    );
    console.log(`| Part | Bytes each |\n| --- | --- |`);
    for (const [part, bytes] of parts) console.log(`| ${part} | ${bytes.toFixed(1)} |`);
    console.log(`| **file** | ${total.toFixed(0)} |`);
  }
} finally {
  database.close();
  for (const suffix of ["", "-wal", "-shm"]) await Deno.remove(path + suffix).catch(() => {});
  if (values.folder === undefined) await Deno.remove(folder, { recursive: true });
}
